"""The report of a case base in a browser."""

import numpy as np
import pytest
from browser.visits import data_of_page, focus_is_seen, pages_of, tab_to
from cases import thorough_after

import sightline as sl


@pytest.fixture(scope="module", params=thorough_after(1, ["meta", "ensemble"]))
def cases(request, loans):
    bagged = sl.BaggedTreesClassifier(n_trees=9, random_state=0)
    meta = sl.MetaKNNClassifier(bagged, predict_with=request.param, random_state=0)
    return meta.fit(loans[:400].X, loans[:400].y)


def test_cases_of_the_page_are_those_of_python(visit, cases, loans, tmp_path):
    held_out = loans[400:]
    path = tmp_path / "cases.html"
    found = sl.report(cases, held_out.X, held_out.y, path, rows="sample")
    # A model that repeats the ensemble's labels is not compared with it.
    assert (found.metrics["fidelity"] is None) == (cases.predict_with == "ensemble")
    assert path.stat().st_size < 2_000_000
    page = visit(path)
    assert "they agree on" in page.inner_text("#lead")
    numbers = np.array(data_of_page(page)["rows"]["number"])
    rows = held_out.X[numbers]
    explanations = cases.explanations(rows, 4)
    predicted = cases.predict(rows)
    for index in range(200):
        page.locator("#case-row").select_option(str(index))
        assert page.locator("#prediction").inner_text() == predicted[index]
        if index % 50:
            continue
        caption = page.inner_text(".cases caption")
        assert caption.endswith("Case numbers are row numbers of the training data and start at 0.")
        use = ["Use"] if (cases.cases_.use < 1).any() else []
        first, *heads = page.locator(".cases thead th").all_inner_texts()
        assert [first, *heads[: 1 + len(use)]] == ["Feature", *use, "This row"]
        heads = heads[1 + len(use) :]
        explanation = explanations[index]
        assert heads[:-1] == [f"Case {match.case}" for match in explanation.supporting]
        assert heads[-1] == f"Counterexample: case {explanation.contrast.case}"
        marked = page.locator(".cases td.differs").count()
        assert marked == sum(len(match.differing) for match in explanation.matches)
        sentences = page.locator(".why p").all_inner_texts()
        assert sentences == explanation.to_text().splitlines()[1:-3]


@pytest.mark.thorough
def test_only_what_differs_and_rows_of_disagreement(visit, loans, tmp_path):
    bagged = sl.BaggedTreesClassifier(n_trees=9, random_state=0)
    meta = sl.MetaKNNClassifier(bagged, predict_with="meta", random_state=0)
    meta.fit(loans[:400].X, loans[:400].y)
    path = tmp_path / "cases.html"
    sl.report(meta, loans[400:].X, loans[400:].y, path, rows="sample")
    page = visit(path)
    page.get_by_label("only differences").check()
    lines = page.locator(".cases tbody tr:not(.outcome)")
    assert 0 < lines.count() < len(loans.X.columns)
    assert all(line.locator(".differs").count() for line in lines.all())
    page.locator("#part-disagreement button").first.click()
    chosen = int(page.locator("#case-row").input_value())
    data = data_of_page(page)
    assert data["rows"]["model_label"][chosen] != data["rows"]["ensemble_label"][chosen]
    page.set_viewport_size({"width": 320, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.fixture(scope="module")
def meta_page(loans, tmp_path_factory):
    bagged = sl.BaggedTreesClassifier(n_trees=9, random_state=0)
    meta = sl.MetaKNNClassifier(bagged, predict_with="meta", random_state=0)
    meta.fit(loans[:400].X, loans[:400].y)
    path = tmp_path_factory.mktemp("cases") / "cases.html"
    sl.report(meta, loans[400:].X, loans[400:].y, path, rows="sample")
    return path


@pytest.mark.thorough
def test_keyboard_alone(visit, meta_page):
    """A row is chosen, and what is the same is left out."""
    page = visit(meta_page)
    tab_to(page, "#case-row")
    assert focus_is_seen(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator("#case-row").input_value() == "2"
    predicted = data_of_page(page)["classes"][data_of_page(page)["rows"]["model_label"][2]]["name"]
    assert page.locator("#prediction").inner_text() == predicted
    lines = page.locator(".cases tbody tr:not(.outcome)").count()
    tab_to(page, "input[type=checkbox]")
    page.keyboard.press(" ")
    assert page.locator(".cases tbody tr:not(.outcome)").count() < lines


@pytest.mark.thorough
def test_print(visit, meta_page):
    page = visit(meta_page)
    assert 1 <= pages_of(page.pdf()) <= 5
    page.emulate_media(media="print")
    assert page.locator(".cases tbody tr").first.is_visible()
    assert page.locator("#part-card").is_visible()
    assert not page.locator(".toolbar").first.is_visible()
    right = (
        "Math.max(...[...document.querySelectorAll('.cases td')].map(e => e.getBoundingClientRect().right))"
    )
    page.set_viewport_size({"width": 703, "height": 1000})
    assert page.evaluate(right) <= 703
