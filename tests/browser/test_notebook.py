"""Models in notebooks: interactive in a sandboxed frame, static where scripts are off."""

from dataclasses import replace

import numpy as np
import pytest
from cases import thorough_after

import sightline as sl
from sightline.model import Tree
from sightline.table import Subject


def notebook(visit, folder, html):
    """Open a page that holds the output of a cell, as a notebook does."""
    path = folder / "notebook.html"
    path.write_text(f'<!doctype html><meta charset="utf-8"><body><div id="main">{html}</div></body>')
    return visit(path)


def test_tree_folds_and_answers_what_if(visit, tmp_path, distilled):
    page = notebook(visit, tmp_path, distilled._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("#node-0").wait_for()
    n_nodes = frame.locator(".node").count()
    assert n_nodes == distilled.tree_.n_nodes
    frame.locator(".node.leaf").first.hover()
    assert frame.locator(".status").inner_text().startswith("If ")
    frame.locator("#node-0 .knob").click()
    frame.locator(".node").nth(1).wait_for(state="detached")
    frame.locator("#tab-whatif").click()
    assert frame.locator("#prediction").inner_text() in {"no", "yes"}
    field = frame.locator(".field select").first
    before = field.input_value()
    field.select_option(index=1 if before != "1" else 0)
    assert frame.locator("#prediction").inner_text() in {"no", "yes"}


def test_the_drawing_says_how_labels_are_decided(visit, tmp_path, distilled):
    rule = "The ensemble labels a row 'yes' if its probability is at least 0.2."
    tree = distilled.tree_
    ruled = Tree(tree.core, replace(tree.schema, subject=Subject("default", label_rule=rule)), tree.classes_)
    page = notebook(visit, tmp_path, ruled._repr_html_())
    status = page.frame_locator("iframe").locator(".status").inner_text()
    assert status == f"All {tree.n_leaves} leaves are shown. {rule}"


@pytest.mark.thorough
def test_numbers_have_ranges_without_rows(visit, tmp_path):
    X = np.random.default_rng(0).uniform(0, 100, (200, 2))
    tree = sl.DistilledTreeRegressor(max_leaves=4, random_state=0).fit(X, X[:, 0] // 10)
    page = notebook(visit, tmp_path, tree.tree_._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator("#tab-whatif").click()
    low = float(frame.locator("#prediction").get_attribute("data-value"))
    frame.locator(".field input[type=range]").first.fill("1000")
    assert float(frame.locator("#prediction").get_attribute("data-value")) > low


@pytest.mark.parametrize("kind", thorough_after(1, ["graph", "report"]))
def test_other_displays(visit, tmp_path, distilled, loans, kind):
    shown = distilled.tree_.to_graph() if kind == "graph" else sl.report(distilled, loans[400:].X, sizes=())
    page = notebook(visit, tmp_path, shown._repr_html_())
    page.frame_locator("iframe").locator("#node-0").wait_for()


@pytest.mark.thorough
def test_static_where_scripts_are_off(browser, tmp_path, distilled):
    # A frame that may not run scripts: Playwright's own switch does not reach frames of another process.
    path = tmp_path / "notebook.html"
    path.write_text(distilled._repr_html_().replace('sandbox="allow-scripts"', 'sandbox=""', 1))
    page = browser.new_page()
    page.goto(path.as_uri())
    drawing = page.frame_locator("iframe").locator("svg.sl-tree")
    drawing.wait_for()
    assert "checking account" in drawing.text_content()
    page.close()
