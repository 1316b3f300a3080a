"""What a model loses against its ensemble, measured row by row."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, log_loss, r2_score, roc_auc_score

import sightline as sl
from sightline.measure import Measures, Predicted
from sightline.measure._difference import Differences, share_difference

CLASSES = np.array(["no", "yes"])


def predicted(scores):
    return Predicted(np.where(scores >= 0.5, "yes", "no"), np.column_stack([1 - scores, scores]), CLASSES)


@pytest.fixture(scope="module")
def sample():
    """Return labels, and scores of two models that are often wrong about the same rows."""
    random = np.random.default_rng(0)
    is_yes = random.random(400) < 0.3
    common = 0.35 * is_yes + 0.65 * random.random(400)
    noise = random.normal(0, 0.1, (2, 400))
    ensemble, model = np.clip(common + noise * [[0.3], [1.0]], 0, 1)
    return np.where(is_yes, "yes", "no"), model, ensemble


def measures(y, model, ensemble, **options):
    return Measures.of_classes(y, predicted(model), predicted(ensemble), **options)


def plain(y, scores):
    is_yes, labels = y == "yes", np.where(scores >= 0.5, "yes", "no")
    return {
        "accuracy": (labels == y).mean(),
        "balanced accuracy": balanced_accuracy_score(y, labels),
        "AUC": roc_auc_score(is_yes, scores),
        "Brier score": ((scores - is_yes) ** 2).mean(),
        "log loss": log_loss(is_yes, scores),
    }


def test_differences_are_those_of_the_measures(sample):
    y, model, ensemble = sample
    found, ours, theirs = measures(*sample).differences, plain(y, model), plain(y, ensemble)
    for name, one in found.by_measure.items():
        assert one.value == pytest.approx(ours[name] - theirs[name]), name
        assert one.low < one.value < one.high
    recalls = [(np.where(scores >= 0.5, "yes", "no")[y == "yes"] == "yes").mean() for scores in sample[1:]]
    assert found.recall["yes"].value == pytest.approx(recalls[0] - recalls[1])


@pytest.mark.thorough
def test_intervals_are_as_wide_as_a_paired_bootstrap_says(sample):
    y, model, ensemble = sample
    random, kept = np.random.default_rng(1), {}
    for _ in range(300):
        rows = random.integers(0, len(y), len(y))
        ours, theirs = plain(y[rows], model[rows]), plain(y[rows], ensemble[rows])
        for name in ours:
            kept.setdefault(name, []).append(ours[name] - theirs[name])
    for name, one in measures(*sample).differences.by_measure.items():
        drawn = np.quantile(kept[name], [0.025, 0.975])
        assert one.high - one.low == pytest.approx(drawn[1] - drawn[0], rel=0.2), name
        assert one.low == pytest.approx(drawn[0], abs=0.25 * (drawn[1] - drawn[0])), name


def test_pairs_say_more_than_two_separate_intervals(sample):
    found = measures(*sample)
    for name in ("accuracy", "auc"):
        one, other = getattr(found.model, name), getattr(found.ensemble, name)
        apart = np.hypot(one.high - one.low, other.high - other.low)
        paired = found.differences.by_measure["AUC" if name == "auc" else name]
        assert paired.high - paired.low < 0.8 * apart


def test_more_rows_of_the_same_kind_make_the_interval_narrower():
    ours, theirs = np.arange(40) < 10, np.arange(40) < 15
    few, many = share_difference(ours, theirs), share_difference(np.tile(ours, 9), np.tile(theirs, 9))
    assert few.value == many.value == pytest.approx(-0.125)
    assert few.low < many.low < many.value < many.high < few.high


def test_equal_predictions_leave_an_interval(sample):
    y, model, _ = sample
    found = measures(y, model, model).differences.by_measure
    assert {one.value for one in found.values()} == {0.0}
    for name in ("accuracy", "balanced accuracy", "AUC"):
        assert found[name].low < 0 < found[name].high
        assert found[name].text in ("0", "0.0 points")


def test_weights_count_as_repeated_rows(sample):
    weights = np.random.default_rng(2).integers(1, 4, 400).astype(float)
    repeated = [np.repeat(one, weights.astype(int)) for one in sample]
    weighted, plain_found = measures(*sample, weights=weights), measures(*repeated)
    for name, one in weighted.differences.by_measure.items():
        assert one.value == pytest.approx(plain_found.differences.by_measure[name].value), name


def test_numbers_have_differences_of_r2_and_mae():
    random = np.random.default_rng(3)
    truth = random.normal(size=200)
    ours, theirs = truth + random.normal(0, 0.5, 200), truth + random.normal(0, 0.2, 200)
    found = Differences.of_numbers(truth, ours, theirs).by_measure
    assert found["R²"].value == pytest.approx(r2_score(truth, ours) - r2_score(truth, theirs))
    assert found["MAE"].value == pytest.approx(abs(ours - truth).mean() - abs(theirs - truth).mean())
    assert found["R²"].high < 0 < found["MAE"].low
    huge = Differences.of_numbers(truth * 1e200, ours * 1e200, theirs * 1e200).by_measure
    assert huge["R²"].value == pytest.approx(found["R²"].value)
    same = Differences.of_numbers(np.full(6, 0.1), np.ones(6), np.zeros(6)).by_measure
    assert same["R²"].text == "undefined"


def test_tables_and_json_hold_the_differences(sample):
    found = measures(*sample)
    assert "model minus ensemble" in found.to_text().splitlines()[3]
    document = found.to_dict()["difference"]
    assert set(document) == {"accuracy", "balanced_accuracy", "auc", "brier", "log_loss", "recall"}
    assert document["accuracy"]["low"] < document["accuracy"]["value"]
    frame = found.to_frame()
    assert (frame["of"] == "model minus ensemble").sum() == 7
    alone = sl.measure(sl.C45Classifier().fit([[0.0], [1.0]] * 9, ["a", "b"] * 9), [[0.0], [1.0]], ["a", "b"])
    assert alone.differences is None
    assert alone.to_dict()["difference"] is None


def test_the_text_ends_with_the_calibration_curve(sample):
    lines = measures(*sample).to_text().split("Calibration of the model:\n")[1].splitlines()
    assert lines[0].split("  ")[0] == "predicted probability of yes"
    assert len(lines) == 11
    assert sum(int(line.split()[-1]) for line in lines[1:]) == 400
