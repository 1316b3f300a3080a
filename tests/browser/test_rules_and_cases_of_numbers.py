"""The reports of rules and of cases that predict numbers in a browser."""

import re

import numpy as np
import pytest
from browser.flats import N_TRAIN, WORDS_OF_CLASSES, forest_of
from browser.visits import data_of_page, pages_of, rows_of_page, try_row, try_rows
from cases import thorough_after

import sightline as sl
from sightline.model import RuleSet, Voting


@pytest.fixture(scope="module")
def forest(flats):
    return forest_of(*flats)


@pytest.fixture(scope="module", params=thorough_after(1, ["partial", "full"]))
def rules(request, flats, forest):
    """Rules that count when they hold in part, and rules that must hold in full."""
    X, y = flats
    voting = {"pc": 0.5, "wr": 0.4, "fallback": 0.3} if request.param == "partial" else {"pc": 1.0, "wr": 0.0}
    return sl.RuleSetRegressor(forest, max_rules=20, random_state=0, **voting).fit(X[:N_TRAIN], y[:N_TRAIN])


@pytest.fixture(scope="module")
def rules_page(rules, flats, tmp_path_factory):
    X, y = flats
    path = tmp_path_factory.mktemp("rules") / "rules.html"
    sl.report(rules, X[N_TRAIN:], y[N_TRAIN:], path, rows="sample", sizes=(5, 40))
    return path


def shown_number(page, index):
    try_row(page, index)
    return float(page.locator("#prediction").get_attribute("data-value"))


def test_rules_predict_in_the_page_what_python_predicts(visit, rules, flats, rules_page):
    """On all rows of the page, missing values among them, and after a change of size."""
    page = visit(rules_page)
    assert page.locator("[role=tab]").all_inner_texts() == ["What if", "Size and fidelity"]
    numbers = np.array(rows_of_page(page)["number"])
    rows = flats[0][N_TRAIN:][numbers]
    assert try_rows(page, len(numbers)) == pytest.approx(rules.predict(rows), rel=1e-12)
    page.click("#tab-curve")
    page.locator("#size-slider").fill("0")
    assert page.inner_text(".size-text").startswith("5 rules: R² 0.")
    assert page.locator(".rules tbody tr").count() == 5
    page.click("#tab-whatif")
    assert try_rows(page, 20) == pytest.approx(rules.resized(5).predict(rows)[:20], rel=1e-12)


def test_rules_show_their_numbers_and_errors(visit, rules, rules_page):
    page = visit(rules_page)
    lead = page.inner_text("#lead")
    assert lead.startswith("This rule set of 20 rules follows the 10 trees with R² 0.")
    assert "Nothing is proved: there are no proofs for rules that predict numbers" in lead
    assert page.locator("h2").all_inner_texts() == [
        "Errors and fidelity",
        "Predicted against actual",
        "Where they differ most",
        "Which columns matter",
        "How each column moves the prediction",
        "Model card",
    ]
    heads = [head.rstrip(" ↕") for head in page.locator(".rules th").all_inner_texts()]
    assert heads == ["Predicts", "If", "Weight", "Trees", "Training rows", "MAE", "Unseen MAE"]
    statistics, heaviest = rules.rules_.statistics, int(np.argmax(rules.rules_.core.weight))
    first = data_of_page(page)["models"][0]["rules"][0]
    assert first["index"] == heaviest
    assert first["label"] == rules.rules_.values[heaviest]
    assert [first[name] for name in ("rows", "quality", "oob_rows", "oob_quality")] == [
        array[heaviest] for array in statistics.arrays
    ]
    page.get_by_role("button", name="Predicts").click()
    predicted = [float(text) for text in page.locator(".rules tbody td:first-child").all_inner_texts()]
    values = sorted(rules.rules_.values)
    assert sorted(predicted) == pytest.approx(values, rel=1e-3)
    for tab in ("whatif", "curve"):
        page.click(f"#tab-{tab}")
        assert WORDS_OF_CLASSES.findall(page.inner_text("body").replace("single precision", "")) == []


def test_what_holds_is_marked_and_what_could_change_is_said(visit, rules, flats, rules_page):
    page = visit(rules_page)
    page.click("#tab-whatif")
    for index in range(0, 40, 8):
        row = flats[0][N_TRAIN:][np.array([rows_of_page(page)["number"][index]])]
        number = shown_number(page, index)
        said = re.search(r"(\d+) of 20 rules hold\.", page.inner_text(".why"))
        holds = rules.rules_.core.holds(row.native())[0].astype(bool)
        begin, condition = rules.rules_.core.condition_begin, rules.rules_.core.condition
        n_full = sum(bool(holds[condition[begin[r] : begin[r + 1]]].all()) for r in range(20))
        assert int(said[1]) == n_full == page.locator(".rules tr.marked").count()
        ends = re.findall(r"as (low|high) as ([\d.]+)", page.inner_text(".flip"))
        assert ends
        for side, end in ends:
            assert float(end) < number if side == "low" else float(end) > number


@pytest.mark.thorough
def test_worst_rows_lead_to_what_if(visit, rules_page):
    page = visit(rules_page)
    part = next(part for part in data_of_page(page)["parts"] if part["kind"] == "disagreement")
    page.locator("#part-disagreement button").first.click()
    assert page.locator(".from-row select").input_value() == str(part["groups"][0]["rows"][0])
    assert page.locator("#part-disagreement details").count() == 0


@pytest.mark.thorough
def test_phone_and_print(visit, rules_page):
    page = visit(rules_page)
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert 1 <= pages_of(page.pdf()) <= 5
    page.emulate_media(media="print")
    assert page.locator(".scatter").count() == 2
    tops = [scatter.bounding_box()["y"] for scatter in page.locator(".scatter").all()]
    assert tops[0] == tops[1]


@pytest.mark.thorough
def test_rules_of_one_number_do_not_change_it(visit, flats, tmp_path):
    """Means of equal numbers differ in their last bits, which is no change."""
    X, y = flats
    rules = sl.RuleSetRegressor(forest_of(X, y), max_rules=6, random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    core, schema = rules.rules_.core, rules.rules_.schema
    same = RuleSet(core, schema, None, Voting((0.1,), (0.0,)), values=np.full(6, 0.1))
    sl.report(same, X[N_TRAIN:], y[N_TRAIN:], tmp_path / "same.html", rows="sample")
    page = visit(tmp_path / "same.html")
    try_row(page, 0)
    assert page.inner_text(".flip") == "No change of a single value would change the number."
    assert "MAE" not in " ".join(page.locator(".rules th").all_inner_texts())


@pytest.mark.parametrize("predict_with", thorough_after(1, ["meta", "ensemble"]))
def test_cases_of_the_page_are_those_of_python(visit, flats, forest, tmp_path, predict_with):
    X, y = flats
    cases = sl.MetaKNNRegressor(forest, predict_with=predict_with, random_state=0)
    cases.fit(X[:N_TRAIN], y[:N_TRAIN])
    found = sl.report(cases, X[N_TRAIN:], y[N_TRAIN:], tmp_path / "cases.html", rows="sample")
    assert (found.metrics["fidelity"] is None) == (predict_with == "ensemble")
    page = visit(tmp_path / "cases.html")
    rows, numbers = rows_of_page(page), cases.predict(X[N_TRAIN:])
    for index in range(0, len(rows["number"]), 30):
        page.locator("#case-row").select_option(str(index))
        number = rows["number"][index]
        assert float(page.inner_text("#prediction")) == pytest.approx(numbers[number], rel=1e-3)
        explanation = cases.cases_.explanation(X[N_TRAIN:][np.array([number])], 4)
        outcomes = page.locator(".cases .outcome td .class-label").all_inner_texts()
        assert [float(text) for text in outcomes] == pytest.approx(explanation.outcomes, rel=1e-3)
        sentences = page.locator(".why p").all_inner_texts()
        assert sentences == explanation.to_text().splitlines()[1:-3]
    assert WORDS_OF_CLASSES.findall(page.inner_text("body")) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360
