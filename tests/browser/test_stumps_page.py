"""The report of stumps that vote in a browser."""

import numpy as np
import pytest
from browser.visits import data_of_page, focus_is_seen, pages_of, tab_to, try_row, try_rows, until
from cases import thorough_after

import sightline as sl


def three_classes(loans):
    """Loans by how they ended and how large they were."""
    amount = np.array([2000.0 if value is None else value for value in loans.X.columns[3].to_list()])
    return np.where(amount > 9000, "large", np.asarray(loans.y))


@pytest.fixture(scope="module", params=thorough_after(1, ["native", "ovr"]))
def stumps(request, loans):
    options = {"multiclass": request.param, "max_size": 4, "nominal": "binary"}
    return sl.StumpEnsembleClassifier(**options).fit(loans[:400].X, three_classes(loans[:400]))


def test_stumps_vote_in_the_page_as_in_python(visit, stumps, loans, tmp_path):
    """On all 200 rows of the page, missing values among them, in one vote and in one per class."""
    held_out = loans[400:]
    path = tmp_path / "stumps.html"
    found = sl.report(stumps, held_out.X, three_classes(held_out), path, rows="sample")
    n_stumps = len(stumps.stumps_)
    assert f"Accuracy on 300 rows: this vote of {n_stumps} stumps " in found.to_text()
    page = visit(path)
    assert page.locator("[role=tab]").all_inner_texts() == ["What if"]
    assert page.locator(".rules tbody tr").count() == n_stumps
    numbers = np.array(data_of_page(page)["rows"]["number"])
    rows = held_out.X[numbers]
    assert try_rows(page, 200) == stumps.predict(rows).tolist()
    votes = stumps.ensemble_.trees
    for index in (0, 57, 199):
        try_row(page, index)
        predicted = page.locator(".rules tbody tr td:nth-child(2)").all_inner_texts()
        assert predicted == [tree.predict(rows[index : index + 1])[0] for tree in votes]


def test_page_shows_worth_reasons_and_the_equal_model(visit, loans, tmp_path):
    train, held_out = loans[:400], loans[400:]
    stumps = sl.StumpEnsembleClassifier(max_size=5).fit(train.X, train.y)
    path = tmp_path / "stumps.html"
    sl.report(stumps, held_out.X, held_out.y, path, rows="sample")
    page = visit(path)
    table = stumps.tables_[0]
    alone = page.locator(".rules tbody tr td:nth-child(4)").all_inner_texts()
    assert [float(text.removesuffix("%")) for text in alone] == pytest.approx(100 * table.alone, abs=0.051)
    assert f"of {len(table)} stumps vote for it:" in page.inner_text(".why")
    assert "undefined" not in page.inner_text("main")
    equal = next(part for part in data_of_page(page)["parts"] if part["kind"] == "equal")
    assert page.inner_text("#part-equal .note") == equal["note"]
    assert page.locator("#part-equal .node.lit").count() >= 2
    try_row(page, 3)
    until(page, "document.querySelectorAll('#part-equal .node.lit').length >= 2")
    predicted = page.locator("#prediction").inner_text()
    assert page.locator("#part-equal .node.leaf.lit").first.text_content().startswith(predicted)


@pytest.mark.thorough
def test_stored_stumps_have_a_page_too_and_forests_have_none(visit, loans, tmp_path):
    train, held_out = loans[:400], loans[400:]
    stumps = sl.StumpEnsembleClassifier(max_size=3).fit(train.X, train.y)
    stored = tmp_path / "model.json"
    stumps.ensemble_.to_json(stored)
    path = tmp_path / "stored.html"
    sl.report(sl.read_model(stored), held_out.X, held_out.y, path, rows="sample")
    page = visit(path)
    assert page.locator(".rules thead th").all_inner_texts() == ["No.", "Votes", "Stump"]
    predicted = [try_row(page, index) for index in range(20)]
    numbers = np.array(data_of_page(page)["rows"]["number"])[:20]
    assert predicted == stumps.predict(held_out.X[numbers]).tolist()


@pytest.fixture(scope="module")
def five_stumps(loans, tmp_path_factory):
    train, held_out = loans[:400], loans[400:]
    stumps = sl.StumpEnsembleClassifier(max_size=5).fit(train.X, train.y)
    path = tmp_path_factory.mktemp("stumps") / "stumps.html"
    sl.report(stumps, held_out.X, held_out.y, path, rows="sample")
    return path, stumps


@pytest.mark.thorough
def test_phone_and_dark(visit, five_stumps):
    page = visit(five_stumps[0], color_scheme="dark")
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.thorough
def test_keyboard_alone(visit, five_stumps):
    """A row is chosen, a feature changed, and the votes follow."""
    page = visit(five_stumps[0])
    tab_to(page, ".from-row select")
    assert focus_is_seen(page)
    before = page.locator(".from-row select").input_value()
    page.keyboard.press("ArrowDown")
    assert page.locator(".from-row select").input_value() != before
    tab_to(page, ".field input[type=range]")
    slider = page.evaluate("document.activeElement.value")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.value") != slider
    numbers = np.array(data_of_page(page)["rows"]["number"])
    assert len(numbers) == 200
    assert page.locator("#prediction").inner_text() in ("no", "yes")
    assert page.locator(".rules tbody tr").count() == len(five_stumps[1].stumps_)


@pytest.mark.thorough
def test_print(visit, five_stumps):
    page = visit(five_stumps[0])
    assert 1 <= pages_of(page.pdf()) <= 4
    page.emulate_media(media="print")
    assert page.locator(".rules tbody tr").count() == len(five_stumps[1].stumps_)
    assert page.locator(".rules tbody tr").last.is_visible()
    assert not page.locator(".toolbar").first.is_visible()
    assert not page.locator("#part-whatif").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1366
