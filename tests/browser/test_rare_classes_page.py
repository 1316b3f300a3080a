"""The page of a tree in which few leaves predict a rare class: all of them are drawn."""

import numpy as np
import pytest
from browser.visits import data_of_page
from sklearn.ensemble import RandomForestClassifier

import sightline as sl


@pytest.fixture(scope="module")
def rare_report(tmp_path_factory):
    """A tree of 40 leaves, three or more of which predict a class with 1% of the rows."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 6))
    score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    y = np.where(score > np.quantile(score, 0.99), "rare", "other")
    forest = RandomForestClassifier(20, max_depth=8, class_weight="balanced", random_state=0)
    forest.fit(X[::2], y[::2])
    tree = sl.DistilledTreeClassifier(forest, 40, augment=0, refine=False, random_state=0).fit(X[::2], y[::2])
    path = tmp_path_factory.mktemp("rare") / "rare.html"
    sl.report(tree, X[1::2], y[1::2], path, sizes=(), max_seconds=1)
    return path


def test_every_leaf_of_a_rare_class_is_drawn(visit, rare_report):
    page = visit(rare_report)
    data = data_of_page(page)
    assert [one["is_rare"] for one in data["classes"]] == [one["name"] == "rare" for one in data["classes"]]
    model = data["models"][0]
    rare = next(index for index, one in enumerate(data["classes"]) if one["is_rare"])
    nodes = enumerate(zip(model["test"], model["best"], strict=True))
    leaves = [node for node, found in nodes if found == (model["kinds"]["leaf"], rare)]
    assert len(leaves) >= 3
    drawn = set(page.locator(".drawing .node").evaluate_all("nodes => nodes.map((node) => node.id)"))
    assert {f"node-{leaf}" for leaf in leaves} <= drawn
    assert len(drawn) < len(model["test"])


def test_the_headline_and_the_table_of_measures(visit, rare_report):
    page = visit(rare_report)
    assert page.inner_text("#lead .headline").startswith("This tree of 40 leaves finds ")
    heads = page.locator("#part-measures table").first.locator("thead th").all_inner_texts()
    assert heads[1:3] == ["Tree", "Ensemble"]
    assert heads[-1] == "Always other"
    first = page.locator("#part-measures tbody tr").first
    assert first.locator("th").inner_text() == "Balanced accuracy"
    assert page.locator("#part-measures table").nth(1).locator("tbody tr").count() == 2
