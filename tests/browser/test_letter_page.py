"""The page writes the same letter as Python."""

import numpy as np
import pytest
from browser.flats import N_TRAIN
from browser.visits import data_of_page, try_row, until
from cases import thorough_after
from show.hand_trees import leaf, plant, subset, threshold
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.table import Feature

TARGET = "out_come"


def of_python(explanation):
    return explanation.to_letter(target=TARGET)


@pytest.fixture
def open_letter(visit, tmp_path):
    """Open the letter on the page of a tree."""

    def opened(model, X, y, target=TARGET, ensemble=None, **options):
        path = tmp_path / "page.html"
        sl.report(model, X, y, path, rows=15, sizes=(), target=target, ensemble=ensemble, max_seconds=1)
        page = visit(path, **options)
        page.click("#tab-whatif")
        page.click("text=As a letter")
        until(page, "document.querySelector('.letter-text').textContent !== ''")
        return page

    return opened


@pytest.fixture
def loan_letter(open_letter, distilled, loans):
    return lambda **options: open_letter(distilled, loans[400:].X, loans[400:].y, **options)


def letter_of(page):
    return page.locator(".letter-text").text_content()


def compare(page, explanations):
    """Compare the letters of all rows on the page with those of Python."""
    for index, number in enumerate(data_of_page(page)["rows"]["number"]):
        try_row(page, index)
        assert letter_of(page) == of_python(explanations[number])


def test_letters_follow_rows_and_changes(loan_letter, distilled, loans):
    page, explanations = loan_letter(), distilled.tree_.explain(loans[400:].X)
    compare(page, explanations)
    last = data_of_page(page)["rows"]["number"][-1]
    row = {column.name: column.value_at(400 + last) for column in loans.X.columns}
    page.get_by_label("checking account", exact=True).select_option("")
    page.get_by_label("duration", exact=True).fill("13.5")
    page.keyboard.press("Tab")
    changed = distilled.tree_.explain({**row, "checking account": None, "duration": 13.5})
    assert letter_of(page) == of_python(changed)
    assert letter_of(page).startswith("This letter explains")
    assert "checking account: not known" in letter_of(page)


def test_a_target_whose_name_says_nothing_is_left_out(loan_letter, distilled, loans):
    page = loan_letter(target="Outcome")
    try_row(page, 0)
    number = data_of_page(page)["rows"]["number"][0]
    assert letter_of(page) == distilled.tree_.explain(loans[400:].X)[number].to_letter(target="Outcome")
    assert "Outcome" not in letter_of(page)


def test_letters_without_reasons_or_with_one(open_letter):
    tree = plant(threshold(0, 5.0, leaf(9, 1), leaf(1, 9)), [Feature("age")], ["a", "b"])
    page = open_letter(tree, [[1.0], [9.0]], ["a", "b"])
    compare(page, tree.explain([[1.0], [9.0]]))
    assert "\n\nThe main reason:\n\n1. age: 9" in letter_of(page)
    # Both branches have the shares of the root, so that the test moved nothing.
    tree = plant(threshold(0, 5.0, leaf(9, 1), leaf(9, 1)), [Feature("age")], ["a", "b"])
    page = open_letter(tree, [[1.0]], ["a"])
    compare(page, tree.explain([[1.0]]))
    assert "main reason" not in letter_of(page)


def test_booleans_are_yes_and_no(open_letter):
    answers = Feature("answer", ("true", "FALSE", "a", "b", "c"))
    root = subset(0, [1], subset(1, [0, 1], leaf(9, 0), leaf(1, 9)), leaf(9, 1))
    tree = plant(root, [Feature("smoker", (False, True)), answers], ["True", "no"])
    rows = [[True, "a"], [False, "FALSE"], [True, "true"]]
    page = open_letter(tree, rows, tree.predict(rows))
    compare(page, tree.explain(rows))
    try_row(page, 0)
    assert "smoker: yes\n" in letter_of(page)
    assert "answer: a (not yes, no)" in letter_of(page)


def test_a_label_that_few_earlier_cases_have_is_compared_with_all_cases(open_letter):
    tree = plant(
        threshold(0, 5.0, leaf(60, 0), leaf(6, 4, output=[0.4, 0.6])), [Feature("amount")], ["no", "yes"]
    )
    compare(open_letter(tree, [[1.0], [9.0]], ["no", "yes"]), tree.explain([[1.0], [9.0]]))


def test_reasons_for_labels_by_costs(open_letter):
    """The second leaf has the rare label, which no earlier case had."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 2)).round(2)
    chances = np.c_[0.8 + 0 * X[:, 0], 0.05 + 0.1 * (X[:, 0] < 0), 0.3 * (X[:, 1] > 0)]
    y = np.array(["a", "b", "c"])[(chances * rng.random((600, 3))).argmax(axis=1)]
    costs = [[0, 1, 3], [6, 0, 9], [6, 1, 0]]
    tree = sl.DistilledTreeClassifier(max_leaves=8, cost_matrix=costs, random_state=0).fit(X, y).tree_
    assert tree.label_costs is not None
    compare(open_letter(tree, X, y), tree.explain(X))


def test_no_earlier_case_had_the_result(open_letter):
    for n_rows in (60, 1):
        few = leaf(n_rows, 0, output=[0.1, 0.9])
        tree = plant(threshold(0, 5.0, leaf(60, 9), few), [Feature("age")], ["a", "b"])
        for model in (tree, tree.of_weighted_rows()):
            page = open_letter(model, [[1.0], [9.0]], ["a", "b"])
            compare(page, model.explain([[1.0], [9.0]]))
            assert "was the outcome" in letter_of(page) or "was not" in letter_of(page)


def test_part_of_a_case_is_no_number_of_cases(open_letter):
    tree = plant(threshold(0, 5.0, leaf(0.3, 0.1), leaf(3.4, 1.0)), [Feature("age")], ["a", "b"])
    compare(open_letter(tree, [[1.0], [9.0]], ["a", "b"]), tree.explain([[1.0], [9.0]]))


def test_a_result_that_few_get_is_not_usual(open_letter):
    few = plant(threshold(0, 5.0, leaf(10, 5), leaf(20, 40)), [Feature("age")], ["a", "b"])
    few = few.with_outputs(np.array([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]]), few.classes_)
    few = few.with_counts(np.array([75.0, 15.0, 60.0]), None, "learnt")
    page = open_letter(few, [[1.0], [9.0]], ["a", "b"])
    compare(page, few.explain([[1.0], [9.0]]))
    try_row(page, 0)
    assert "No single fact stands out." in letter_of(page)


def test_a_merged_tree_is_not_sure_of_its_labels(open_letter):
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, 9, 200), random.normal(size=200)])
    y = np.where(X.sum(axis=1) > 4, "yes", "no")
    merged = sl.merge(RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, y), X=X)
    page = open_letter(merged, X, y)
    compare(page, merged.explain(X))
    assert "sure" not in letter_of(page)


@pytest.mark.parametrize("leaf_model", thorough_after(1, ["linear", "mean"]))
def test_letters_about_numbers(open_letter, flats, leaf_model):
    X, y = flats[0], {"mean": 1000, "linear": 1}[leaf_model] * flats[1]
    model = sl.DistilledTreeRegressor(max_leaves=5, leaf=leaf_model, random_state=0)
    model.fit(X[:N_TRAIN], y[:N_TRAIN])
    compare(open_letter(model, X[N_TRAIN:], y[N_TRAIN:]), model.tree_.explain(X[N_TRAIN:]))


@pytest.mark.thorough
@pytest.mark.parametrize("with_counts", [True, False])
def test_missing_values_that_take_several_ways_and_numbers_between_two(open_letter, with_counts):
    below = threshold(0, 1234.565, leaf(3, 5), leaf(10, 0), shares=[0.3, 0.7])
    above = subset(1, [0, 2], leaf(0, 1), threshold(0, 12345.65, leaf(7, 1), leaf(1, 7)), shares=[0.5, 0.5])
    features = [Feature("amount"), Feature("kind_of_use", ("car", "a_b", "house"))]
    tree = plant(threshold(0, 5000.0, below, above), features, ["no", "yes"], with_counts)
    rows = [[x, use] for x in (0.1234565, 1234.575, 9000.0, 123456.5, None) for use in ("car", "a_b", None)]
    compare(open_letter(tree, rows, tree.predict(rows)), tree.explain(rows))


def test_a_letter_is_copied_or_selected(loan_letter):
    page = loan_letter()
    copy = page.locator(".letter button")
    refuse = """(isRefused) => {
      navigator.clipboard.writeText = async (text) => { if (isRefused) throw Error(); window.copied = text; };
      document.execCommand = () => false; }"""
    page.evaluate(refuse, False)
    copy.click()
    until(page, "document.querySelector('.letter button').textContent === 'Copied'")
    assert page.evaluate("window.copied") == letter_of(page)
    page.evaluate(refuse, True)
    until(page, "document.querySelector('.letter button').textContent === 'Copy'")
    copy.click()
    until(page, "document.querySelector('.letter button').textContent === 'Selected'")
    assert page.evaluate("getSelection().toString()").split() == letter_of(page).split()


@pytest.mark.thorough
def test_a_letter_fits_a_dark_phone(loan_letter):
    page = loan_letter(color_scheme="dark")
    page.set_viewport_size({"width": 390, "height": 844})
    text = page.locator(".letter-text")
    assert text.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert text.evaluate("element => element.scrollWidth <= element.clientWidth")
    ink, ground = (
        text.evaluate(f"element => getComputedStyle(element).{name}") for name in ("color", "backgroundColor")
    )
    assert (ink, ground) == ("rgb(238, 241, 245)", "rgb(32, 37, 45)")


@pytest.mark.thorough
def test_a_tree_with_too_many_probabilities_has_no_letter(visit, tmp_path, monkeypatch, distilled, loans):
    monkeypatch.setattr("sightline.report._letters.MAX_MERITS", 10)
    sl.report(distilled, loans[400:].X, loans[400:].y, tmp_path / "page.html", sizes=(), max_seconds=1)
    page = visit(tmp_path / "page.html")
    page.click("#tab-whatif")
    assert page.locator("#prediction").is_visible()
    assert not page.locator(".letter").is_visible()


def test_units(open_letter):
    features = [Feature("rate", unit="%"), Feature("debt", unit="$"), Feature("start", unit=":")]
    low = threshold(1, -20000, leaf(1, 3), leaf(0, 8))
    tree = plant(threshold(0, 12, leaf(8, 0), threshold(2, 9.5, low, leaf(5, 4))), features, ["a", "b"])
    rows = [[18.7, -5000.0, 8.25], [11.0, 300.0, 8.0], [15.0, -30000.0, 30.5], [15.0, -21000.0, 9.0]]
    table = sl.Table.from_any(rows).aligned(tree.schema, "the tree")
    page = open_letter(tree, table, ["b", "a", "a", "b"])
    compare(page, tree.explain(table))
    try_row(page, 0)
    assert "debt: -$5,000 (more than -$20,000)" in letter_of(page)


def test_bounds_of_strict_tests(open_letter):
    inner = threshold(0, np.nextafter(36.0, 0), leaf(1, 9), leaf(9, 1))
    tree = plant(threshold(0, np.nextafter(24.0, 0), leaf(9, 1), inner), [Feature("dur")], ["a", "b"])
    table = sl.Table.from_any([[24.0], [40.0], [12.0], [36.0], [23.9999999]]).aligned(tree.schema, "the tree")
    page = open_letter(tree, table, ["b", "a", "a", "a", "a"])
    compare(page, tree.explain(table))
    try_row(page, 0)
    assert "dur: 24 (at least 24, less than 36)" in letter_of(page)


def note_of(page):
    return page.locator(".letter-note").text_content()


def test_the_letter_says_whether_the_ensemble_agrees(loan_letter):
    page = loan_letter()
    rows = data_of_page(page)["rows"]
    differs = [own != other for own, other in zip(rows["model_label"], rows["ensemble_label"], strict=True)]
    for index in (differs.index(False), differs.index(True)):
        try_row(page, index)
        if differs[index]:
            assert note_of(page).startswith("The ensemble predicts ")
            assert note_of(page).endswith("Send it only if the tree decides.")
        else:
            assert note_of(page) == "The ensemble predicts the same for this row."
    page.get_by_label("duration", exact=True).fill("13.5")
    page.keyboard.press("Tab")
    assert note_of(page).startswith("This page cannot ask the ensemble about this row.")


def test_nobody_else_is_mentioned_without_an_ensemble(open_letter):
    tree = plant(threshold(0, 5, leaf(9, 1), leaf(0, 9)), [Feature("age")], ["a", "b"])
    page = open_letter(tree, [[1.0], [9.0]], ["a", "b"])
    try_row(page, 0)
    assert note_of(page) == ""


def test_a_proved_leaf_needs_no_question(open_letter):
    X = np.column_stack([np.arange(40.0), np.arange(40.0) % 7])
    y = np.where(X[:, 0] < 20, "a", "b")
    forest = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y)
    page = open_letter(sl.merge(forest), X, y, ensemble=forest)
    until(page, "document.querySelector('.letter-note').textContent !== ''")
    assert note_of(page) == "Proved: the ensemble gives this label to every possible row that gets here."
