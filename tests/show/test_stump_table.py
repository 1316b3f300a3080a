"""Stumps one by one: as text, as HTML, side by side in a drawing; and votes in sentences."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from strategies import at_most, leaf, schema_of, tree_of

import sightline as sl
from sightline.model import Link, StumpTable, combined

TEXT = """\
2 stumps, together wrong on 25.0% of 8 training rows; ties go to class 0

(1) wrong on 12.5% alone; without it the others are wrong on 37.5%
    ├─ f0 <= 0: class 0 (100% of 1 row)
    └─ f0 > 0: class 1 (100% of 1 row)

(2) wrong on 37.5% alone; without it the others are wrong on 12.5%
    ├─ f1 <= 5: class 0 (100% of 1 row)
    └─ f1 > 5: class 1 (100% of 1 row)
"""


def stumps():
    schema = schema_of([0, 0])
    return [
        tree_of(at_most(f, cut, leaf(1.0, 0.0), leaf(0.0, 1.0), [1.0, 0.0]), schema)
        for f, cut in ((0, 0.0), (1, 5.0))
    ]


def table(**more):
    alone, without = np.array([0.125, 0.375]), np.array([0.375, 0.125])
    given = {"alone": alone, "without": without, "loss_without": without, "error": 0.25, "n_rows": 8}
    return StumpTable(tuple(stumps()), **given, tie_to="class 0", **more)


def vote(base=(2.0**-32, 0.0)):
    trees = stumps()
    core = combined([tree.core for tree in trees], votes=True, base=list(base))
    return sl.Ensemble(core, trees[0].schema, trees[0].classes_, Link("mean", (2.0,)))


def test_text():
    assert table().to_text() == TEXT
    assert table(note="Too large.").to_text() == f"Too large.\n\n{TEXT}"


def test_html_escapes_the_note():
    html = table(note="<b>")._repr_html_()
    assert "&lt;b&gt;" in html
    assert html.count("<svg ") == 2


def test_drawing():
    ax = table(note="Too large.").plot()
    assert [text.get_text() for text in ax.texts] == [
        "Too large.",
        "(1)  wrong on 12% alone; without it 38%",
        "(2)  wrong on 38% alone; without it 12%",
    ]
    assert len(ax.child_axes) == 2
    width, height = ax.figure.get_size_inches()
    assert width > height > 1


def test_drawing_into_given_axes():
    from matplotlib.figure import Figure

    ax = Figure(figsize=(8, 3)).add_subplot()
    assert table().plot(ax=ax) is ax
    with pytest.raises(TypeError, match=r"StumpTable\.plot\(\) got an unexpected keyword argument 'colour'"):
        table().plot(colour="red")


def test_votes_for_and_against():
    assert str(vote().explain([-1.0, 7.0])) == (
        "Predicted class 0. 1 of 2 stumps votes for it; the tie goes to the class with more training rows:\n"
        "(1) f0 <= 0 (yours: -1)\n"
        "1 vote against it:\n"
        "(2) f1 > 5 (yours: 7): class 1"
    )
    assert str(vote().explain([1.0, 7.0])) == (
        "Predicted class 1. 2 of 2 stumps vote for it:\n(1) f0 > 0 (yours: 1)\n(2) f1 > 5 (yours: 7)"
    )


def test_votes_with_a_missing_value():
    assert str(vote().explain([None, 4.0])) == (
        "Predicted class 0. 2 of 2 stumps vote for it:\n"
        "(1) The value of f0 is missing; it is treated as f0 <= 0\n"
        "(2) f1 <= 5 (yours: 4)"
    )


def test_one_class_against_the_rest():
    X, y = load_iris(return_X_y=True, as_frame=True)
    stumps = sl.StumpEnsembleClassifier(multiclass="ovr", max_size=1).fit(X, y)
    text = stumps.to_text()
    for label in (0, 1, 2):
        assert f"1 stump for {label}, wrong on " in text
    lines = str(stumps.explain(X.iloc[0])).splitlines()
    assert lines[0].startswith("Predicted target = 0 with probability ")
    assert lines[1] == "Predicted target = 0. 1 of 1 stump votes for it:"
    assert "Predicted target = not 1. 1 of 1 stump votes for it:" in lines
    ax = stumps.plot()
    assert len(ax.child_axes) == 3
    assert [text.get_text()[:3] for text in ax.texts] == ["(1)"] * 3
    assert stumps._repr_html_().count("<svg ") >= 3


def test_plots_of_all_forms():
    X, y = load_iris(return_X_y=True, as_frame=True)
    stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
    assert len(stumps.plot().child_axes) == len(stumps.stumps_)
    for form in ("tree", "graph"):
        assert stumps.plot(form=form).patches
        assert stumps.to_text(form).startswith(form.capitalize())
