"""The report of a tree of numbers in a browser: it predicts what Python predicts, never speaks of classes."""

import json
import re

import numpy as np
import pytest
from browser.flats import WORDS_OF_CLASSES, forest_of
from browser.visits import data_of_page, rows_of_page, try_row
from show.hand_trees import number, plant, threshold

import sightline as sl
from sightline.table import Feature


@pytest.fixture(scope="module")
def regressor(flats):
    X, y = flats
    forest = sl.load(forest_of(X, y))
    return sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0, n_jobs=1).fit(X[:250], y[:250])


@pytest.fixture(scope="module")
def report_page(regressor, flats, tmp_path_factory):
    X, y = flats
    path = tmp_path_factory.mktemp("report") / "flats.html"
    sl.report(regressor, X[250:], y[250:], path, rows="sample", sizes=(4, 8, 16))
    return path


def test_parts_and_words(visit, report_page):
    page = visit(report_page)
    assert page.inner_text("#lead").startswith("This tree of 8 leaves follows the 10 trees with R² 0.")
    assert page.locator("h2").all_inner_texts() == [
        "The tree as rules",
        "Errors and fidelity",
        "Predicted against actual",
        "Where they differ most",
        "Which columns matter",
        "How each column moves the prediction",
        "Model card",
    ]
    assert page.locator("#lead a.wrong").inner_text().startswith("The largest difference here is ")
    for tab in ("node", "whatif", "curve"):
        page.click(f"#tab-{tab}")
        assert WORDS_OF_CLASSES.findall(page.inner_text("body")) == []
    assert WORDS_OF_CLASSES.findall(page.inner_text("#part-card")) == []


def test_leaves_in_which_they_differ_do_not_count_rows(visit, report_page):
    """The numbers of nearly all rows differ: every leaf said "273 of 273 rows"."""
    page = visit(report_page)
    leaves = page.locator("#part-disagreement summary").all_inner_texts()
    assert leaves
    assert [text for text in leaves if " rows" in text] == []


LABELS_OF_CHARTS = """() => [...document.querySelectorAll("svg.chart")].map((chart) => {
  const { left, right } = chart.getBoundingClientRect();
  return [...chart.querySelectorAll("text")].map((text) => {
    const box = text.getBoundingClientRect();
    return [text.textContent, box.left >= left - 0.5 && box.right <= right + 0.5];
  });
})"""


def test_labels_of_axes_are_whole_and_distinct(visit, report_page, tmp_path):
    """The last label was cut off at the edge of the chart, and neighbors could read the same."""
    head, begin, rest = report_page.read_text().partition('id="data">')
    island, end, tail = rest.partition("</script>")
    data = json.loads(island)
    ranges = [(0, 3000), (100.05, 100.35), (0, 25e6), (-0.5, 3.5)]
    scatter = next(part for part in data["parts"] if part["kind"] == "scatter")
    scatter["charts"] = [{**scatter["charts"][0], "low": low, "high": high} for low, high in ranges]
    effects = next(part for part in data["parts"] if part["kind"] == "effects")
    effects["ticks"] = [[0, "1000000.5"], [1, "1000001"]]
    (tmp_path / "wide.html").write_text(head + begin + json.dumps(data) + end + tail)
    page = visit(tmp_path / "wide.html")
    scatters = page.locator("#part-scatter")
    assert scatters.locator("svg.chart").count() == len(ranges)
    labels = page.evaluate(LABELS_OF_CHARTS)
    assert [text for chart in labels for text, is_whole in chart if not is_whole] == []
    for chart in scatters.locator("svg.chart").all():
        texts = chart.locator("text").all_text_contents()[:-2]
        # Once on each axis.
        assert len(texts) == 2 * len(set(texts)) >= 4


def test_what_if_predicts_what_python_predicts(visit, report_page, regressor, flats):
    page = visit(report_page)
    page.click("#tab-whatif")
    rows = rows_of_page(page)
    numbers = regressor.predict(flats[0][250:])
    for index in range(0, len(rows["number"]), 12):
        try_row(page, index)
        shown = float(page.locator("#prediction").get_attribute("data-value"))
        assert shown == pytest.approx(numbers[rows["number"][index]], rel=1e-12)
        assert rows["model_label"][index] == numbers[rows["number"][index]]


@pytest.mark.thorough
def test_one_changed_value_moves_the_number_as_far_as_the_page_says(visit, report_page, regressor):
    page = visit(report_page)
    page.click("#tab-whatif")
    try_row(page, 0)
    sentence = page.inner_text(".flip")
    ends = [float(number) for number in re.findall(r"as (?:low|high) as ([\d.]+)", sentence)]
    leaves = regressor.tree_.core.output[:, 0]
    assert all(np.isclose(leaves, end, rtol=1e-3).any() for end in ends)
    assert len(ends) >= 1


@pytest.mark.thorough
def test_nodes_count_the_rows_of_the_report(visit, report_page, regressor, flats):
    page = visit(report_page)
    model = data_of_page(page)["models"][0]
    gaps = np.abs(regressor.predict(flats[0][250:]) - regressor.ensemble_.predict(flats[0][250:]))
    assert sum(model["bins"][0]) == pytest.approx(150)
    assert model["gap"][0] == pytest.approx(gaps.mean())
    page.click("#node-0")
    assert "away from the ensemble's number on average" in page.inner_text("#part-node .facts")
    assert page.locator("#part-node .distribution svg rect").count() == np.count_nonzero(model["bins"][0])
    assert page.locator(".node .chart-of-node").count() == page.locator(".node").count()


def test_scatter_counts_every_row_once(visit, report_page):
    page = visit(report_page)
    charts = next(part for part in data_of_page(page)["parts"] if part["kind"] == "scatter")["charts"]
    assert [chart["title"] for chart in charts] == [
        "Against the ensemble's number",
        "Against the true number",
    ]
    for chart, drawn in zip(charts, page.locator(".scatter").all(), strict=True):
        assert sum(rows for *_, rows in chart["cells"]) == 150
        assert drawn.locator(".cell").count() == len(chart["cells"])


def test_worst_rows_come_first_and_lead_to_what_if(visit, report_page):
    page = visit(report_page)
    rows = rows_of_page(page)
    part = next(part for part in data_of_page(page)["parts"] if part["kind"] == "disagreement")
    gaps = np.abs(np.subtract(rows["model_label"], rows["ensemble_label"]))
    assert part["largest"] == pytest.approx(gaps[part["groups"][0]["rows"][0]])
    page.locator("#part-disagreement button").first.click()
    assert page.locator(".from-row select").input_value() == str(part["groups"][0]["rows"][0])


@pytest.mark.thorough
def test_sizes_are_measured_in_r2(visit, report_page):
    page = visit(report_page)
    page.click("#tab-curve")
    text = page.inner_text(".size-text")
    assert re.fullmatch(
        r"8 leaves: R² 0\.\d{3} to the ensemble, 0\.\d{3} to the true numbers on 150 rows; .*\.", text
    )
    page.locator("#size-slider").fill("0")
    assert page.inner_text(".size-text").startswith("4 leaves: R² 0.")
    # It is drawn in the next frame.
    page.wait_for_function("document.querySelectorAll('.node.leaf').length == 4")


@pytest.mark.thorough
def test_nothing_is_wider_than_a_phone(visit, report_page):
    page = visit(report_page)
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.thorough
def test_constant_numbers_and_no_target(visit, tmp_path, flats):
    X, _ = flats
    ones = np.ones(250)
    tree = sl.DistilledTreeRegressor(forest_of(X, ones), max_leaves=4, random_state=0).fit(X[:250], ones)
    sl.report(tree, X[250:], None, tmp_path / "flat.html", rows="sample", sizes=())
    page = visit(tmp_path / "flat.html")
    assert "with R² undefined on 150 rows: its number is 0 away" in page.inner_text("#lead")
    assert page.locator("#lead a.wrong").inner_text() == "They agree on all 150 rows."


def test_lines_in_leaves_are_computed_and_shown(visit, tmp_path, flats, regressor):
    X, y = flats
    lines = sl.DistilledTreeRegressor(regressor.ensemble_, max_leaves=3, leaf="linear", random_state=0)
    lines.fit(X[:250], y[:250])
    sl.report(lines, X[250:], y[250:], tmp_path / "lines.html", rows="sample", sizes=())
    page = visit(tmp_path / "lines.html")
    assert " × size" in page.locator(".node.leaf .title").first.text_content()
    page.click("#tab-whatif")
    rows, numbers = rows_of_page(page), lines.predict(X[250:])
    for index in range(0, len(rows["number"]), 30):
        try_row(page, index)
        shown = float(page.locator("#prediction").get_attribute("data-value"))
        assert shown == pytest.approx(numbers[rows["number"][index]], rel=1e-12)
    fields = page.locator(".field:not([hidden]) > label:first-child").all_inner_texts()
    terms = {lines.tree_.schema.names[feature] for feature in lines.tree_.lines.feature}
    assert terms <= set(fields)


def test_the_ends_of_a_line_are_named_with_their_unit(visit, tmp_path):
    (tmp_path / "rates.csv").write_text(
        "\n".join(["rate,cost", *(f"{i / 4}%,{3 * i + 0.5}" for i in range(80))])
    )
    table = sl.read_table(tmp_path / "rates.csv", "cost")
    y = np.asarray(table.y)
    tree = sl.DistilledTreeRegressor(forest_of(table.X, y), max_leaves=2, leaf="linear", random_state=0)
    sl.report(tree.fit(table.X, y), table.X, y, tmp_path / "rates.html", rows="sample", sizes=())
    page = visit(tmp_path / "rates.html")
    page.click("#tab-whatif")
    try_row(page, 0)
    assert "(if rate = 19%)" in page.inner_text(".flip")


def test_large_numbers_have_thousands_separators_everywhere(visit, tmp_path):
    """The tree had them, and the sentences above it had not."""
    tree = plant(threshold(0, 5.0, number(20_100.0), number(1_234_567.0)), [Feature("x")], None)
    X, y = [[1.0], [9.0]] * 10, [12_345.0, 1_250_000.0] * 10
    sl.report(tree, X, y, tmp_path / "page.html", max_seconds=1)
    page = visit(tmp_path / "page.html")
    page.click("#tab-whatif")
    text = page.locator("body").inner_text()
    assert "11,594" in page.locator("#lead").inner_text()
    # But for years and hashes.
    assert re.findall(r"(?<![\w,-])\d{4,}(?![\w-])", text) == []
