"""The report of a rule set in a browser."""

import re

import numpy as np
import pytest
from browser.visits import rows_of_page, try_row, try_rows
from cases import thorough_after

import sightline as sl


@pytest.fixture(scope="module", params=thorough_after(1, ["partial", "full"]))
def rules(request, loans):
    """Rules that vote when they hold in part, and rules that must hold in full."""
    voting = {"pc": 0.6, "wr": 0.4} if request.param == "partial" else {"pc": 1.0, "wr": 0.0}
    ensemble = sl.BaggedTreesClassifier(n_trees=7, random_state=0).fit(loans[:400].X, loans[:400].y)
    classifier = sl.RuleSetClassifier(ensemble, max_rules=25, random_state=0, **voting)
    return classifier.fit(loans[:400].X, loans[:400].y)


def test_rules_vote_in_the_page_as_in_python(visit, rules, loans, tmp_path):
    """On all 200 rows of the page, missing values among them, and after a change of size."""
    path = tmp_path / "rules.html"
    held_out = loans[400:]
    found = sl.report(rules, held_out.X, held_out.y, path, rows="sample", sizes=(5, 60))
    assert found.to_text().startswith(
        f"This rule set of {rules.rules_.n_rules} rules gives the same label as "
    )
    page = visit(path)
    assert page.locator("[role=tab]").all_inner_texts() == ["What if", "Size and fidelity"]
    numbers = np.array(rows_of_page(page)["number"])
    assert try_rows(page, 200) == rules.predict(held_out.X[numbers]).tolist()
    page.click("#tab-curve")
    page.locator("#size-slider").fill("0")
    assert page.inner_text(".size-text").startswith("5 rules: fidelity ")
    assert page.locator(".rules tbody tr").count() == 5
    for conditions in page.locator(".rules ul.conditions").all():
        texts = conditions.locator("li").all_inner_texts()
        assert all(len(texts) == 1 or not text.endswith(" or missing") for text in texts)
    page.click("#tab-whatif")
    assert try_rows(page, 20) == rules.resized(5).predict(held_out.X[numbers[:20]]).tolist()


def test_rules_that_hold_are_marked(visit, loans, tmp_path):
    rows = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]] * 10
    X = sl.Table.from_any(rows, feature_names=["size", "colour"])
    rules = sl.RuleSetClassifier(pc=1.0, fallback=None, random_state=0).fit(
        X, ["no", "no", "yes", "yes"] * 10
    )
    path = tmp_path / "small.html"
    sl.report(rules, X, ["no", "no", "yes", "yes"] * 10, path, rows="sample", sizes=())
    page = visit(path)
    assert (
        page.locator(".note").first.inner_text()
        == "A rule votes with its full weight when all its conditions hold."
    )
    assert try_row(page, 0) == "no"
    marked = page.locator(".rules tr.marked")
    assert marked.count() >= 1
    assert set(marked.locator("td:first-child").all_inner_texts()) == {"no"}
    assert "the heaviest first. Highlighted: " in page.inner_text(".rules caption")
    assert re.search(r"\d+ of \d+ rules? hold\.", page.inner_text(".why"))
    assert "It would be yes if size > " in page.inner_text(".flip")
    for number in (0, 2):
        try_row(page, number)
        weights = [float(text) for text in page.locator(".rules td[data-head=Weight]").all_inner_texts()]
        assert weights == sorted(weights, reverse=True)


def test_sums_of_weights_are_not_called_rows(visit, loans, tmp_path):
    """Two rules said "100% in 7.31 rows"."""
    train, weights = loans[:200], np.where(np.arange(200) % 3 == 0, 0.37, 0.11)
    rules = sl.RuleSetClassifier(max_rules=5, random_state=0).fit(train.X, train.y, sample_weight=weights)
    path = tmp_path / "weighted.html"
    sl.report(rules, loans[400:].X, loans[400:].y, path, sizes=())
    page = visit(path)
    heads = [head.rstrip(" ↕") for head in page.locator(".rules th").all_inner_texts()]
    assert "Training weight" in heads
    assert "rows" not in " ".join(heads + page.locator(".rules tbody td.number").all_inner_texts())


@pytest.mark.thorough
def test_a_thousand_rules_open_at_once_and_stay_usable(visit, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 8))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(scale=0.5, size=1500)).astype(int)
    rules = sl.RuleSetClassifier(pc=0.7, wr=0.2, random_state=0).fit(X[:1200], y[:1200])
    assert rules.rules_.n_rules >= 1000
    path = tmp_path / "thousand.html"
    sl.report(rules, X[1200:], y[1200:], path, rows="sample", sizes=(), max_seconds=1)
    assert path.stat().st_size < 2_000_000
    page = visit(path)
    # What a browser builds before the page is there.
    assert page.locator("*").count() < 5000
    assert page.locator(".rules tbody tr").count() == 100
    page.get_by_label("Search rules").fill("x3 >")
    assert 1 <= page.locator(".rules tbody tr").count() <= 100
    numbers = np.array(rows_of_page(page)["number"])[:5]
    predicted = [try_row(page, index) for index in range(5)]
    assert predicted == [str(label) for label in rules.predict(X[1200:][numbers])]
