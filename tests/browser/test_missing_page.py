"""The page says where missing values go."""

import numpy as np
from browser.visits import try_row
from show.hand_trees import leaf, plant, threshold

import sightline as sl
from sightline.table import Feature


def page_of(visit, tmp_path, model):
    X = np.array([[2.0, 1.0], [8.0, 1.0], [np.nan, 5.0]])
    sl.report(model, X, np.array(["a", "b", "b"]), tmp_path / "page.html", rows=3, sizes=(), max_seconds=1)
    return visit(tmp_path / "page.html")


def tree(shares):
    root = threshold(0, 5, leaf(9, 1), threshold(1, 3, leaf(2, 8), leaf(0, 9)), shares=shares)
    return plant(root, [Feature("income", complete=False), Feature("age", complete=True)], ["a", "b"])


def test_branches_paths_and_rules_name_missing_values(visit, tmp_path):
    page = page_of(visit, tmp_path, tree([0, 1]))
    assert "no or missing" in page.locator("text.answer tspan").all_text_contents()
    assert "income > 5 or missing" in page.locator("text.answer title").all_text_contents()
    assert "(income > 5 or missing)" in page.locator("ul.conditions li").all_text_contents()
    page.click("#tab-whatif")
    try_row(page, 1)
    assert page.inner_text(".why") == "Because income > 5 and age <= 3."


def test_rows_that_are_split_are_mentioned(visit, tmp_path):
    page = page_of(visit, tmp_path, tree(None))
    note = "If income is missing, a row takes all branches, weighted by their training rows."
    assert note in page.locator("body").text_content()
