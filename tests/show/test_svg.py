import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from show.hand_trees import balanced, chain, leaf, multiway, plant, threshold
from show.tree_strategies import trees

from sightline.show import to_svg
from sightline.show._example import credit_tree
from sightline.table import Feature

NAMESPACE = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "</title><script>alert(1)</script>",
    '" onload="alert(1)',
    "]]> <!-- & &#x3c;",
    "a\nb\x00\x1b[31m\ufffe\ud800",
    "emoji 😀 👩\u200d🔬",
    "x" * 500,
    "",
    "javascript:alert(1)",
]


def parsed(svg):
    return ET.fromstring(svg)


def test_golden(golden):
    golden("credit.svg", to_svg(credit_tree()))
    golden("credit_right.svg", to_svg(credit_tree(), direction="right"))


def test_it_is_an_image_with_a_name():
    root = parsed(to_svg(credit_tree()))
    assert root.get("role") == "img"
    assert root.find(f"{NAMESPACE}title").text == "Decision tree with 4 leaves for bad, good"
    assert root.get("viewBox").startswith("0 0 ")


@given(trees())
def test_every_tree_is_well_formed(tree):
    parsed(to_svg(tree))


def test_hostile_names_stay_text():
    values = multiway(1, *[leaf(1, 1) for _ in HOSTILE])
    tree = plant(
        threshold(0, 1, values, leaf(0, 1)),
        [Feature(HOSTILE[0]), Feature(HOSTILE[1], tuple(HOSTILE))],
        HOSTILE[2:4],
    )
    root = parsed(to_svg(tree))
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    assert tags == {"svg", "title", "style", "rect", "path", "text", "tspan", "g"}
    attributes = {name for element in root.iter() for name in element.attrib}
    assert not any(name.startswith("on") or "href" in name for name in attributes)
    texts = [element.text for element in root.iter(f"{NAMESPACE}text")]
    assert all(len(text or "") <= 64 for text in texts)
    titles = [element.text for element in root.iter(f"{NAMESPACE}title")]
    assert any("x" * 500 in title for title in titles if title)


def test_nothing_is_loaded_or_run():
    svg = to_svg(credit_tree())
    assert "<script" not in svg
    assert "url(" not in svg
    assert svg.count("http") == 1


@pytest.mark.thorough
def test_large_trees_are_folded():
    for tree in (chain(100_000), balanced(17)):
        svg = to_svg(tree)
        assert len(svg) < 200_000
        assert "are folded into" in svg
