"""Rows with weights: a report measures what ``sl.measure`` measures, and says so."""

import numpy as np
import pandas as pd
import pytest
from show.hand_trees import leaf, plant, threshold
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import mean_absolute_error

import sightline as sl
from sightline.exceptions import DataError
from sightline.report import report
from sightline.report._parts import Summary
from sightline.table import Feature

N_ROWS = 400
RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.integers(18, 80, N_ROWS), "power": RNG.integers(3, 12, N_ROWS)})
EXPOSURE = pd.Series(RNG.uniform(0.02, 1, N_ROWS), name="exposure")
EXPOSURE[::40] = 0.0
LABELS = pd.Series(np.where(X.age + 4 * X.power + RNG.normal(0, 12, N_ROWS) > 75, "yes", "no"), name="claim")
NUMBERS = pd.Series(X.age * X.power + RNG.normal(0, 9, N_ROWS), name="cost")
TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)


@pytest.fixture(scope="module")
def tree():
    forest = RandomForestClassifier(9, max_depth=6, random_state=0).fit(X[TRAIN], LABELS[TRAIN])
    return sl.DistilledTreeClassifier(forest, max_leaves=5, random_state=0).fit(X[TRAIN], LABELS[TRAIN])


@pytest.fixture(scope="module")
def number_tree():
    forest = RandomForestRegressor(9, max_depth=6, random_state=0).fit(X[TRAIN], NUMBERS[TRAIN])
    return sl.DistilledTreeRegressor(forest, max_leaves=5, random_state=0).fit(X[TRAIN], NUMBERS[TRAIN])


def test_the_report_measures_what_measure_measures(tree):
    weights = EXPOSURE[TEST]
    page = report(tree, X[TEST], LABELS[TEST], sizes=(2, 5, 9), sample_weight=weights)
    found = sl.measure(tree, X[TEST], LABELS[TEST], sample_weight=weights)
    plain = report(tree, X[TEST], LABELS[TEST], sizes=(2, 5))
    assert page.metrics["measures"]["model"] == found.to_dict()["model"]
    assert page.metrics["fidelity"] == found.fidelity.to_json() != plain.metrics["fidelity"]
    assert page.metrics["weights"] == {
        "name": "exposure",
        "effective_rows": pytest.approx(weights.sum() ** 2 / (weights**2).sum()),
    }
    assert plain.metrics["weights"] is None
    curve = page.metrics["curve"]
    at_own_size = curve["fidelity"][curve["sizes"].index(tree.tree_.n_leaves)]
    assert at_own_size == pytest.approx(found.fidelity.value)


def test_sentences_and_page_name_the_weights_and_count_rows(tree):
    page = report(tree, X[TEST], LABELS[TEST], sizes=(), sample_weight=EXPOSURE[TEST])
    n_rows = int((EXPOSURE[TEST] > 0).sum())
    assert f"% of {n_rows} rows weighted by exposure (95% interval" in page.to_text()
    assert "\nRows are weighted by exposure: " in page.to_text()
    unnamed = report(tree, X[TEST], LABELS[TEST], sizes=(), sample_weight=EXPOSURE[TEST].to_numpy())
    assert f"% of {n_rows} weighted rows (95% interval" in unnamed.to_text()
    assert "Rows are weighted by exposure: " in page.to_html()
    assert "Weight of the rows by true class" in page.to_html()
    assert "weighted" not in report(tree, X[TEST], LABELS[TEST], sizes=()).to_text()


def test_the_share_of_a_rare_class_stands_beside_the_number_of_rows():
    """The first sentence called a share of the weight a share of the rows: "finds 30.0% of the 4 rows"."""
    rows = [[1.0]] * 60 + [[3.0]] * 3 + [[2.0]]
    weights = pd.Series([1.0] * 63 + [7.0], name="exposure")
    tree, other = (
        plant(threshold(0, at, leaf(9, 1), leaf(2, 8)), [Feature("x")], ["no", "yes"]) for at in (2.5, 1.5)
    )

    def headline(labels, **ensemble):
        page = report(tree, rows, labels, sizes=(), sample_weight=weights, **ensemble)
        return page.to_text().splitlines()[0]

    labels = ["no"] * 60 + ["yes"] * 4
    start = "This tree of 2 leaves finds 3 of the 4 rows with yes (30.0% of their weight"
    assert headline(labels).startswith(f"{start}; recall weighted by exposure, 95% interval ")
    assert headline(labels, ensemble=other).startswith(
        f"{start}), where the other tree finds 4 (100.0%; recall weighted by exposure: "
    )
    assert headline(None, ensemble=other).startswith(
        "This tree of 2 leaves gives the same label to 3 of the 4 rows that the other tree labels yes "
        "(30.0% of their weight; 95% interval "
    )


def test_weights_of_1_are_not_called_absent():
    forest = RandomForestRegressor(3, max_depth=3, random_state=0).fit(X[TRAIN], NUMBERS[TRAIN])
    fitted = sl.DistilledTreeRegressor(forest, max_leaves=3, random_state=0).fit(
        X[TRAIN], NUMBERS[TRAIN], sample_weight=EXPOSURE[TRAIN]
    )
    for weights, why in ((None, "no weights were given"), (np.ones(200), "every weight is 1")):
        text = report(fitted, X[TEST], NUMBERS[TEST], sizes=(), sample_weight=weights).to_text()
        assert f"Unlike the training rows, the rows of this report all count the same: {why}." in text


def test_errors_of_numbers_are_weighted_also_in_the_leaves(number_tree):
    weights = EXPOSURE[TEST].to_numpy()
    page = report(number_tree, X[TEST], NUMBERS[TEST], sizes=(), sample_weight=EXPOSURE[TEST])
    own, theirs = (model.predict(X[TEST]) for model in (number_tree, number_tree.ensemble_))
    mean = mean_absolute_error(theirs, own, sample_weight=weights)
    assert page.metrics["fidelity"]["mae"]["value"] == pytest.approx(mean)
    assert "weighted by exposure" in page.to_text()
    data = Summary(page.evidence).to_json()
    leaf = number_tree.apply(X[TEST])[0]
    inside = number_tree.apply(X[TEST]) == leaf
    gap = np.average(np.abs(own - theirs)[inside], weights=weights[inside])
    assert data["models"][0]["gap"][leaf] == pytest.approx(gap)
    assert data["numbers"]["mean"] == pytest.approx(np.average(NUMBERS[TEST], weights=weights))


def test_a_page_without_an_ensemble_begins_with_what_was_found(number_tree):
    """Its headline said how rows were weighted."""
    lines = sl.report(number_tree.model_, X, NUMBERS, sample_weight=EXPOSURE).to_text().splitlines()
    assert lines[0].startswith("R² to the true numbers, and mean absolute error on ")
    assert lines[1].startswith("Rows are weighted")


def test_bad_weights_are_refused(tree):
    for weights, message in (
        ([1.0], "sample_weight has 1 weights for 200 rows. Pass one per row."),
        (-EXPOSURE[TEST], r"sample_weight\[0\] is negative"),
        (0 * EXPOSURE[TEST], "All sample weights are zero"),
        (np.where(X.age[TEST] > 30, "a", "b"), "sample_weight must hold one number per row."),
    ):
        with pytest.raises(DataError, match=message):
            report(tree, X[TEST], LABELS[TEST], sizes=(), sample_weight=weights)


def test_rows_in_parts_have_their_own_weights():
    frame = X.assign(exposure=EXPOSURE, claim=LABELS)
    forest = RandomForestClassifier(5, max_depth=5, random_state=0).fit(X, LABELS)

    def page(sample_size):
        rows = sl.Rows(frame, "claim", "exposure", sample_size=sample_size)
        fitted = sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0).fit(rows)
        with pytest.raises(DataError, match=r"^The weights of rows in parts are a column too\."):
            report(fitted, rows, sample_weight=EXPOSURE)
        return report(fitted, rows)

    assert page(N_ROWS).metrics["weights"]["name"] == "exposure"
    drawn = page(100)
    assert drawn.metrics["weights"]["name"] == "exposure"
    assert drawn.metrics["remarks"][-1].startswith("The training rows are weighted by exposure. ")


def test_a_page_of_weighted_rows_in_parts_and_the_tally_measure_the_same(tree, monkeypatch):
    rows = sl.Rows(X.assign(exposure=EXPOSURE, claim=LABELS), "claim", "exposure", sample_size=100)
    fitted = sl.DistilledTreeClassifier(tree.ensemble_, max_leaves=4, random_state=0).fit(rows)
    page, tally = report(fitted, rows, sizes=()), fitted.tally_
    judging = rows.judges.among(0, N_ROWS, rows.drawn(), EXPOSURE.to_numpy())
    assert judging.sum() == 195  # half of those of positive weight
    found = sl.measure(fitted, X[judging], LABELS[judging], sample_weight=EXPOSURE[judging])
    shown = page.metrics["fidelity"]
    for one in (tally.fidelity.to_json(), found.fidelity.overall.to_json()):
        assert {name: shown[name] for name in one} == pytest.approx(one)
    assert page.metrics["weights"]["effective_rows"] == pytest.approx(tally.n_effective)
    assert page.evidence.notes["All rows"] == {
        "Rows used to choose the model": "100",
        "Rows used to judge it": "195, counted by weight",
        "Fidelity on these": tally.fidelity.text,
        "Accuracy on these": tally.accuracy.text,
        "Accuracy of the ensemble": tally.ensemble_accuracy.text,
        "Weights": "the measures above count each row by its exposure",
    }
    assert page.metrics["remarks"][-1] == (
        "The training rows are weighted by exposure. Nodes show sums of weights instead of numbers of "
        "training rows. Measures on rows outside the sample count each row by its weight."
    )
    monkeypatch.setattr("sightline.report._rows_in_parts.MAX_ROWS", 50)
    few = report(fitted, rows, sizes=())
    assert few.metrics["weights"] is None
    assert few.metrics["fidelity"]["rows"] == 50
    assert few.evidence.notes["All rows"]["Weights"] == (
        "the measures above count each row by its exposure; rows of this page were drawn in proportion to "
        "it, so each counts once"
    )
    sentence = (
        "The rows of this report were drawn in proportion to exposure, so each of them counts the same: "
        "shares, means and errors are those of the weighted rows."
    )
    assert f"\n{sentence}\n" in few.to_text()
    card = next(part for part in Summary(few.evidence).to_json()["parts"] if part["kind"] == "card")
    assert ["Weights", sentence] in card["sections"][0]["lines"]
    assert "no weights were given" not in few.to_text()
