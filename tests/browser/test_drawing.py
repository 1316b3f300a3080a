"""The drawing of the page: the layout of the other drawings, text that can be read, nothing cut."""

import re

import numpy as np
import pandas as pd
import pytest
from browser.visits import data_of_page, until
from cases import thorough_after

import sightline as sl
from sightline.show import BoxMaker, SplitCharts
from sightline.show.drawing._tree_layout import Arrangement

LONG = "installment_commitment_as_share_of_disposable_income_in_percent"


@pytest.fixture(scope="module")
def sixteen(loans):
    tree = sl.DistilledTreeClassifier(max_leaves=16, random_state=0)
    return tree.fit(loans[:400].X, loans[:400].y)


@pytest.fixture(scope="module")
def drawn_page(sixteen, loans, tmp_path_factory):
    path = tmp_path_factory.mktemp("drawing") / "tree.html"
    sl.report(sixteen, loans[400:].X, loans[400:].y, path, sizes=())
    return path


def boxes_of(page):
    """Return position and size of the boxes in the drawing's own units, by node."""
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll(".node")].map((node) => {
          const [x, y] = node.getAttribute("transform").match(/-?[\\d.]+/g).map(Number);
          const box = node.querySelector(".box");
          const size = ["width", "height"].map((name) => Number(box.getAttribute(name)));
          return [node.dataset.key, [x, y, ...size]];
        }))"""
    )


def layout_of(page, tree, loans, direction):
    """Return the layout that the other drawings have, with the notes of the page's leaves."""
    charts = SplitCharts.of(tree, loans[400:].X, loans[400:].y).charts()
    plain = BoxMaker(tree)
    notes = {}
    for node, box in enumerate(data_of_page(page)["models"][0]["boxes"]):
        if plain.outline.is_leaf[node]:
            said = " · ".join(text for text, style in box["lines"] if style == "detail")
            notes[node] = said.removeprefix(plain.texts(node, "leaf")[1]).removeprefix(" · ")
    maker = BoxMaker(tree, notes=notes, charts=charts)
    return Arrangement(maker, None, None, direction).layout()


@pytest.mark.parametrize("direction", thorough_after(1, ["down", "right"]))
def test_page_has_the_layout_of_the_other_drawings(visit, drawn_page, sixteen, loans, direction):
    page = visit(drawn_page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Open all").click()
    turn = page.get_by_role("button", name=f"Grow {direction}")
    if turn.count():
        turn.click()
    if page.get_by_role("button", name="Charts").count():
        page.get_by_role("button", name="Charts").click()
    until(page, f"document.querySelectorAll('.node').length === {sixteen.tree_.n_nodes}")
    drawn = boxes_of(page)
    layout = layout_of(page, sixteen.tree_, loans, direction)
    first = layout.boxes[0]
    assert len(layout.boxes) == len(drawn)
    for box in layout.boxes:
        x, y, width, height = drawn[str(box.node)]
        assert [x - drawn["0"][0], y - drawn["0"][1]] == pytest.approx(
            [box.x - first.x, box.y - first.y], abs=0.11
        )
        assert [width, height] == pytest.approx([box.width, box.height])


def sizes_of_text(page):
    return page.evaluate(
        """() => [...document.querySelectorAll(".drawing text")].map((text) =>
          parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""
    )


@pytest.mark.thorough
def test_text_of_sixteen_leaves_can_be_read(visit, drawn_page, sixteen):
    page = visit(drawn_page)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.reload()
    page.wait_for_selector(".node.leaf")
    assert page.locator(".node.leaf").count() == sixteen.tree_.n_leaves
    assert page.inner_text(".status").startswith("All ")
    assert min(sizes_of_text(page)) >= 10.99
    # All of it is in the window of the drawing.
    frame = page.locator(".drawing").bounding_box()
    for box in page.locator(".node .box").all():
        place = box.bounding_box()
        assert place["x"] >= frame["x"] - 1
        assert place["x"] + place["width"] <= frame["x"] + frame["width"] + 1
        assert place["y"] + place["height"] <= frame["y"] + frame["height"] + 1


@pytest.mark.thorough
def test_compact_and_wide(visit, drawn_page):
    page = visit(drawn_page)
    page.set_viewport_size({"width": 1440, "height": 900})
    if page.get_by_role("button", name="Charts").count():
        page.get_by_role("button", name="Charts").click()
    n_charts = page.locator(".node.test .chart-of-node").count()
    assert n_charts == page.locator(".node.test").count() > 0
    assert page.locator(".node .threshold").count() > 0
    page.get_by_role("button", name="Compact").click()
    assert page.locator(".chart-of-node").count() == 0
    before = page.locator(".drawing").bounding_box()["width"]
    page.locator(".widen").click()
    assert abs(page.locator(".drawing").bounding_box()["width"] - before) > 200


@pytest.mark.thorough
def test_long_names_wrap_and_are_not_cut(visit, tmp_path):
    random = np.random.default_rng(0)
    frame = pd.DataFrame({LONG: random.uniform(size=200), "kind": random.choice(["a" * 45, "b b"], 200)})
    y = np.where((frame[LONG] > 0.5) ^ (frame["kind"] == "b b"), "accepted without conditions", "rejected")
    tree = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(frame, y)
    sl.report(tree, frame, y, tmp_path / "long.html", sizes=())
    page = visit(tmp_path / "long.html")
    titles = page.locator(".node.test").evaluate_all(
        """nodes => nodes.map((node) =>
          [...node.querySelectorAll(".title")].map((line) => line.textContent).join(""))"""
    )
    assert LONG in titles
    assert not re.search("…", page.locator(".drawing").text_content())
    for node in page.locator(".node").all():
        box = node.locator(".box").bounding_box()
        for line in node.locator("text.title, text.detail").all():
            place = line.bounding_box()
            assert place["x"] + place["width"] <= box["x"] + box["width"] + 1


@pytest.mark.thorough
def test_a_drawing_larger_than_a_phone_says_how_to_move_it(visit, loan_report):
    page = visit(loan_report)
    assert "Drag" not in page.inner_text(".status")
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    page.wait_for_selector("#main > *")
    assert page.inner_text(".status").endswith("folded. Drag it to see the rest, or choose Fit.")
    page.click("text=Fit")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
