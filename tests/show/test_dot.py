import re
from dataclasses import replace

from sightline.show import to_dot
from sightline.show._example import credit_tree
from sightline.show.drawing._dot import render_dot
from sightline.show.drawing._tree_layout import lay_out


def test_credit_tree_by_hand():
    assert to_dot(credit_tree()).splitlines()[4:] == [
        'b0 [label="age <= 30\\n100 rows", tooltip="age <= 30: 100 rows (good 67%, bad 33%)"];',
        'b1 [label="income <= 2000\\n40 rows", tooltip="income <= 2000: 40 rows (bad 65%, good 35%)"];',
        'b2 [label="bad\\n80% of 25 rows", tooltip="bad: 25 rows (bad 80%, good 20%)", color="#0072b2", '
        "penwidth=2];",
        'b3 [label="good\\n60% of 15 rows", tooltip="good: 15 rows (good 60%, bad 40%)", color="#e69f00", '
        "penwidth=2];",
        'b4 [label="purpose is one of car, holiday\\n60 rows", '
        'tooltip="purpose is one of car, holiday: 60 rows (good 88%, bad 12%)"];',
        'b5 [label="good\\n75% of 20 rows", tooltip="good: 20 rows (good 75%, bad 25%)", color="#e69f00", '
        "penwidth=2];",
        'b6 [label="good\\n95% of 40 rows", tooltip="good: 40 rows (good 95%, bad 5%)", color="#e69f00", '
        "penwidth=2];",
        'b0 -> b1 [label="yes", tooltip="age <= 30", penwidth=4.20];',
        'b1 -> b2 [label="yes", tooltip="income <= 2000", penwidth=3.00];',
        'b1 -> b3 [label="no", tooltip="income > 2000", penwidth=2.20];',
        'b0 -> b4 [label="no", tooltip="age > 30", penwidth=5.80];',
        'b4 -> b5 [label="yes", tooltip="purpose is one of car, holiday", penwidth=2.60];',
        'b4 -> b6 [label="no", tooltip="purpose = house", penwidth=4.20];',
        "}",
    ]


def test_marks_and_folded_nodes_are_styled():
    text = to_dot(credit_tree(), max_depth=1, marks={2: "proved"})
    assert 'style="rounded,filled,dashed"' in text
    assert 'fillcolor="#e3f4ea"' in to_dot(credit_tree(), marks={2: "proved"})
    assert "digraph" in to_dot(credit_tree().to_graph())


def test_long_strings_are_shortened_because_graphviz_refuses_them():
    layout = lay_out(credit_tree())
    layout = replace(layout, title="&" * 30_000, boxes=[replace(layout.boxes[0], full_text="é" * 30_000)])
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', render_dot(layout))
    assert max(len(string.encode()) for string in strings) <= 16_384
    assert any(string.endswith("…") for string in strings)
    assert not any(re.search(r"&(?!amp;)", string) for string in strings)
