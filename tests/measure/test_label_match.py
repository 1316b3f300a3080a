"""Labels that a model has no class for: refused if y is coded differently, else counted as errors."""

import warnings

import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import run

X = np.arange(40.0)[:, None]
CODES = (X[:, 0] >= 20).astype(int)
NAMES = np.where(CODES == 1, "rejected", "paid")
SOME_OPEN = np.where(X[:, 0] % 10 == 3, "open", NAMES)
NOTE = (
    "y has labels that the model does not know: 'open' (4 rows). These rows count as errors. "
    "Drop them to measure the other rows only."
)


def tree(y):
    return sl.C45Classifier(min_leaf=1).fit(X, y)


@pytest.mark.parametrize("ask", [sl.measure, lambda *given: sl.report(*given, sizes=())])
@pytest.mark.parametrize(
    ("y", "rename"),
    [
        (CODES + 1, "y.map({1: 0, 2: 1})"),
        (2 * CODES - 1, "y.map({-1: 0, 1: 1})"),
        (CODES.astype(str), "y.map({'0': 0, '1': 1})"),
        (np.where(np.abs(X[:, 0] - 20) < 15, 7, CODES), "rename its labels, or name"),
    ],
)
def test_other_codes_are_refused(ask, y, rename):
    with pytest.raises(sl.DataError) as caught:
        ask(tree(CODES), X, y)
    assert "but the classes of the model are 0 and 1: " in str(caught.value)
    assert rename in str(caught.value)


def test_a_label_of_both_is_not_renamed():
    with pytest.raises(sl.DataError, match="rename its labels, or name the ensemble's classes"):
        sl.measure(tree(NAMES), X, np.where(CODES == 1, "bad", "rejected"))


def test_the_whole_refusal():
    with pytest.raises(sl.DataError) as caught:
        sl.measure(tree(CODES), X, CODES + 1)
    assert str(caught.value) == (
        "y has the labels 1 and 2, but the classes of the model are 0 and 1: 20 of 40 rows have a label that "
        "the model does not know. If y is coded differently, rename its labels, for example with "
        "y.map({1: 0, 2: 1}), or name the ensemble's classes as in y: sl.load(ensemble, classes=[…]). "
        "Otherwise drop these rows."
    )


@pytest.mark.parametrize("y", [CODES * 1.0, CODES == 1, np.zeros(40, dtype=int)])
def test_the_same_codes_of_another_type_and_absent_classes_are_no_reason_to_warn(y):
    found = sl.measure(tree(CODES), X, y)
    assert found.model.accuracy.value == (y == CODES).mean()


def test_rows_with_an_unknown_label_count_as_errors():
    with pytest.warns(sl.DataWarning) as caught:
        found = sl.measure(tree(NAMES), X, SOME_OPEN)
    assert [str(one.message) for one in caught] == [NOTE]
    assert caught[0].filename == __file__
    assert found.model.accuracy.value == 0.9
    assert found.model.recall["open"].value == 0
    assert found.balance.focus_label != "open"


def test_a_report_with_a_rare_unknown_label():
    """It was refused: the class in focus was one that the model does not have."""
    forest = sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, NAMES)
    model = sl.DistilledTreeClassifier(forest, 4, random_state=0).fit(X, NAMES)
    with pytest.warns(sl.DataWarning) as caught:
        report = sl.report(model, X, SOME_OPEN, sizes=())
    assert [str(one.message) for one in caught] == [NOTE]
    assert NOTE in report.to_text()
    assert NOTE in report.metrics["remarks"]
    assert "open: 4" in report.to_html()


def test_the_command_says_it_once(tmp_path, capsys):
    model, rows = tmp_path / "tree.json", tmp_path / "rows.csv"
    tree(NAMES).to_json(model)
    rows.write_text("x0,y\n" + "".join(f"{x},{y}\n" for x, y in zip(X[:, 0], SOME_OPEN, strict=True)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        code = run(["report", str(model), "-d", str(rows), "-t", "y", "-o", str(tmp_path / "page.html")])
    assert code == 0
    printed = capsys.readouterr()
    assert (printed.out + printed.err).count(NOTE) == 1


def test_compare_does_not_learn_from_labels_that_a_given_ensemble_does_not_know():
    """Every method failed in the first fold, with a KeyError."""
    forest = sl.load(sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, CODES))
    for y in (CODES + 1, np.where(X[:, 0] % 10 == 3, 9, CODES)):
        with pytest.raises(sl.DataError, match="but the classes of the ensemble are 0 and 1: "):
            sl.compare(X, y, ensemble=forest, n_folds=2, n_repeats=1, show_progress=False)
