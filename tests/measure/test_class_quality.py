"""Every measure of classes against scikit-learn, scipy or brute force."""

import numpy as np
import pytest
from library_versions import has
from scipy.stats import rankdata, spearmanr
from sklearn.calibration import calibration_curve as sklearn_calibration_curve
from sklearn.metrics import (
    accuracy_score,
    average_precision_score,
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    precision_score,
    recall_score,
    roc_auc_score,
)

from sightline.measure import ClassBalance, ClassQuality, Fidelity, Measures, Predicted, fidelity
from sightline.measure._calibration import calibration_curve
from sightline.measure._fidelity import ScoreAgreement
from sightline.measure._interval import mean_of_estimates
from sightline.measure._ranking import Auc, average_precision, rank_correlation
from sightline.wording import Share, wilson_interval

LABELS = np.array(["a", "b", "c", "d"])


def drawn(n_classes, seed, n_rows=300, is_coarse=True):
    """Return true codes, predicted codes, probabilities with ties and zeros, and weights."""
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.full(n_classes, 2.0))
    truth = np.r_[np.arange(n_classes), random.choice(n_classes, n_rows - n_classes, p=shares)]
    scores = random.random((n_rows, n_classes)) + 0.8 * np.eye(n_classes)[truth]
    if is_coarse:
        scores = np.round(scores, 1) + 1e-3
        scores[random.random(n_rows) < 0.05] = np.eye(n_classes)[0]
    probabilities = scores / scores.sum(axis=1, keepdims=True)
    return truth, probabilities.argmax(axis=1), probabilities, random.integers(1, 5, n_rows).astype(float)


def quality_of(truth, codes, probabilities, weights=None, positive=None):
    labels = LABELS[: probabilities.shape[1]]
    return ClassQuality.of(
        truth, codes, probabilities, ClassBalance.of(truth, labels, weights, positive), 0.95, weights
    )


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_every_measure_is_that_of_scikit_learn(n_classes, seed, is_weighted):
    truth, codes, probabilities, weights = drawn(n_classes, seed)
    weights = weights if is_weighted else None
    found = quality_of(truth, codes, probabilities, weights, positive="b" if n_classes == 2 else None)
    options = {"sample_weight": weights}
    assert found.accuracy.value == pytest.approx(accuracy_score(truth, codes, **options))
    assert found.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(truth, codes, **options))
    assert np.allclose(found.confusion, confusion_matrix(truth, codes, **options))
    recalls = recall_score(truth, codes, average=None, zero_division=np.nan, **options)
    precisions = precision_score(truth, codes, average=None, zero_division=np.nan, **options)
    assert [one.value for one in found.recall.values()] == pytest.approx(recalls, nan_ok=True)
    assert [one.value for one in found.precision.values()] == pytest.approx(precisions, nan_ok=True)
    of_rows = probabilities if n_classes > 2 else probabilities[:, 1]
    auc = roc_auc_score(truth, of_rows, multi_class="ovr", **options)
    assert found.auc.value == pytest.approx(auc)
    one_hot = np.eye(n_classes)[truth]
    precision = average_precision_score(
        one_hot if n_classes > 2 else truth, of_rows, average="macro", **options
    )
    assert found.average_precision.value == pytest.approx(precision)
    assert found.log_loss.value == pytest.approx(log_loss(truth, probabilities, **options), rel=1e-6)
    brier = np.average(((probabilities - one_hot) ** 2).sum(axis=1), weights=weights)
    if n_classes == 2 or has("scikit-learn", "1.7"):
        brier = brier_score_loss(truth, of_rows, **options)
    assert found.brier.value == pytest.approx(brier)


@pytest.mark.parametrize("seed", range(4))
def test_integer_weights_repeat_rows(seed):
    truth, codes, probabilities, weights = drawn(3, seed, 60)
    repeated = np.repeat(np.arange(60), weights.astype(int))
    one = quality_of(truth, codes, probabilities, weights)
    other = quality_of(truth[repeated], codes[repeated], probabilities[repeated])
    values = [[found.value for *_, found in quality.lines()] for quality in (one, other)]
    assert values[0] == pytest.approx(values[1], nan_ok=True)
    ours = rank_correlation(probabilities[:, 0], probabilities[:, 1], weights=weights)
    theirs = rank_correlation(probabilities[repeated, 0], probabilities[repeated, 1])
    assert ours.value == pytest.approx(theirs.value)


@pytest.mark.parametrize("seed", range(5))
def test_auc_and_its_variance_by_pairs(seed):
    """DeLong's variance from the placements of all pairs, ties included."""
    truth, _, probabilities, _ = drawn(2, seed, 40)
    scores, is_class = probabilities[:, 1], truth == 1
    pairs = (np.sign(scores[is_class][:, None] - scores[~is_class][None, :]) + 1) / 2
    area = Auc.of(scores, is_class)
    assert area.value == pytest.approx(pairs.mean())
    variance = (
        pairs.mean(axis=1).var(ddof=1) / is_class.sum() + pairs.mean(axis=0).var(ddof=1) / (~is_class).sum()
    )
    assert (area.deviations**2).sum() == pytest.approx(variance)


def test_intervals_of_auc_cover():
    """Of 300 samples of a known AUC, about 95% of the intervals hold it, also for coarse scores."""
    random = np.random.default_rng(0)
    held = 0
    for _ in range(300):
        scores = np.round(np.r_[random.normal(1.0, 1, 30), random.normal(0, 1, 120)], 0)
        area = Auc.of(scores, np.arange(150) < 30).estimate(0.95)
        held += area.low <= COARSE_AUC <= area.high
    assert 0.92 <= held / 300 <= 0.98


@pytest.mark.parametrize(("n_class", "shares"), [(3, (0.05, 0.1, 0.1, 0.75)), (8, (0.0, 0.05, 0.05, 0.9))])
def test_intervals_of_auc_cover_for_few_rows_in_few_leaves(n_class, shares):
    """If all rows of a class were in one leaf, DeLong's intervals held the AUC in 57% and 86% of samples."""
    random, others = np.random.default_rng(0), np.array([0.8, 0.1, 0.07, 0.03])
    auc = sum(shares[i] * (others[:i].sum() + others[i] / 2) for i in range(4))
    held = 0
    for _ in range(300):
        scores = np.r_[random.choice(4, n_class, p=shares), random.choice(4, 300, p=others)]
        area = Auc.of(scores, np.arange(300 + n_class) < n_class).estimate(0.95)
        held += area.low <= auc <= area.high
    assert held / 300 >= 0.94


def test_rows_in_one_leaf_have_at_least_wilsons_interval():
    """An AUC of 0.42 for two rows in the largest leaf had the interval from 0.40 to 0.44."""
    scores, rare = np.r_[np.zeros(50), np.ones(40), np.full(10, 2.0)], np.arange(100) < 2
    one = Auc.of(scores, rare)
    found = one.estimate(0.95)
    assert (found.low, found.high) == pytest.approx(wilson_interval(one.value, 2, 0.95))
    # In a mean, such a class counts by its share
    frequent = Auc.of(scores, np.arange(100) % 2 == 0)
    assert not frequent.equal_rows
    mean = ((one + frequent) / 2).estimate(0.95)
    assert mean.value - mean.low == pytest.approx((found.value - found.low) / 2)
    assert mean.high - mean.value == pytest.approx((found.high - found.value) / 2)
    # A constant score has the AUC 0.5 on any rows
    constant = Auc.of(np.zeros(100), rare).estimate(0.95)
    assert (constant.low, constant.value, constant.high) == (0.5, 0.5, 0.5)


def _coarse_auc():
    from scipy.stats import norm

    grid = np.arange(-8, 10)
    one, other = (norm.cdf(grid + 0.5, mean) - norm.cdf(grid - 0.5, mean) for mean in (1.0, 0.0))
    return float(sum(one[i] * (other[:i].sum() + other[i] / 2) for i in range(len(grid))))


COARSE_AUC = _coarse_auc()


def test_ends_of_the_scale_have_intervals():
    perfect = Auc.of(np.arange(10.0), np.arange(10) >= 5).estimate(0.95)
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert perfect.low == pytest.approx(Share(5, 5).low)
    single = Auc.of(np.arange(10.0), np.arange(10) == 4).estimate(0.95)
    assert (single.low, single.high) == (0.0, 1.0)
    assert Auc.of(np.arange(3.0), np.ones(3, dtype=bool)) is None
    assert average_precision(np.arange(4.0), np.arange(4) >= 2).low == pytest.approx(Share(2, 2).low)


def test_the_interval_of_average_precision_is_narrow_near_1():
    """On the scale of log odds, it began at 0.002."""
    scores = np.linspace(1, 0, 180)
    scores[53] = scores[51] - 1e-9
    found = average_precision(scores, np.arange(180) < 53)
    assert 0.999 < found.value < 1
    assert found.low == pytest.approx(
        average_precision(np.linspace(1, 0, 180), np.arange(180) < 53).low, abs=0.01
    )
    assert found.value < found.high <= 1


def test_a_perfect_ranking_counts_as_perfect_whatever_the_rounding():
    """Its parts add up to slightly more or less than 1, for which there are no log odds."""
    rng = np.random.default_rng(0)
    for n_class in (9, 29, 53):
        scores, is_class = np.linspace(1, 0, n_class + 6), np.arange(n_class + 6) < n_class
        found = average_precision(scores, is_class)
        assert (found.value, found.low, found.high) == (1.0, pytest.approx(Share(n_class, n_class).low), 1.0)
        for weights in rng.uniform(0.1, 1, (30, n_class + 6)):
            for found in (
                average_precision(scores, is_class, weights=weights),
                Auc.of(scores, is_class, weights).estimate(0.95),
            ):
                assert found.value == found.high == 1.0
                assert 0.1 < found.low < 0.99


@pytest.mark.parametrize("seed", range(3))
def test_rank_correlation_is_that_of_scipy(seed):
    _, _, probabilities, _ = drawn(3, seed)
    found = rank_correlation(probabilities[:, 0], probabilities[:, 1])
    assert found.value == pytest.approx(spearmanr(probabilities[:, 0], probabilities[:, 1]).statistic)
    ranks = rankdata(probabilities[:, 0])
    assert rank_correlation(probabilities[:, 0], ranks).value == pytest.approx(1.0)
    assert np.isnan(rank_correlation(np.ones(5), np.arange(5.0)).value)


def test_calibration_curve_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    probabilities = random.random(500)
    is_class = random.random(500) < probabilities
    observed, predicted = sklearn_calibration_curve(is_class, probabilities, n_bins=10, strategy="quantile")
    curve = calibration_curve(probabilities, is_class)
    assert [one.predicted for one in curve] == pytest.approx(predicted.tolist())
    assert [one.observed.value for one in curve] == pytest.approx(observed.tolist())
    assert sum(one.observed.n_rows for one in curve) == 500


def test_calibration_curves_of_trees_resolve_the_few_high_probabilities():
    """Nine of ten rows have the same probability: the others do not share their bin."""
    probabilities = np.r_[np.full(900, 0.01), np.repeat(np.linspace(0.1, 0.9, 20), 5)]
    curve = calibration_curve(probabilities, probabilities > 0.5)
    assert [one.observed.n_rows for one in curve] == [900, 15, 15, *[10] * 7]
    assert curve[0].predicted == pytest.approx(0.01)
    assert [one.predicted for one in curve] == sorted(one.predicted for one in curve)


def test_the_mean_of_shares_has_an_interval_at_the_ends():
    """A published example: the difference of 56/70 and 48/80 by Newcombe's hybrid score method."""
    one, other = Share(56, 70), Share(48, 80)
    turned = Share(32, 80)  # 1 - 48/80, so that the mean of both is half the difference, plus a half.
    mean = mean_of_estimates([one, turned], 150)
    assert 2 * mean.value - 1 == pytest.approx(one.value - other.value)
    assert (2 * mean.low - 1, 2 * mean.high - 1) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    certain = mean_of_estimates([Share(5, 5), Share(50, 50)], 55)
    assert certain.high == 1.0
    assert certain.low < 0.8


def test_fidelity_overall_balanced_and_by_the_most_frequent_label():
    found = fidelity(["no"] * 8 + ["yes"] * 2, ["no"] * 9 + ["yes"])
    assert (found.overall.value, found.balanced.value) == (0.9, 0.75)
    assert (found.majority_label, found.majority.value) == ("no", 0.8)
    assert {label: share.n_rows for label, share in found.by_class.items()} == {"no": 8, "yes": 2}


def test_agreement_of_scores():
    theirs, ours = (
        np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]]),
        np.array([[0.8, 0.2], [0.1, 0.9], [0.6, 0.4]]),
    )
    balance = ClassBalance.of(np.array([0, 1, 0]), LABELS[:2])
    found = ScoreAgreement.of(theirs, ours, balance)
    assert found.mean_difference.value == pytest.approx(0.1)
    assert found.spearman.value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("counts", "positive", "is_imbalanced", "focus"),
    [
        ([50, 50], None, False, "b"),
        ([84, 16], None, True, "b"),
        ([83, 17], None, False, "b"),  # 17 is more than a fifth of 83
        ([1, 99], None, True, "a"),
        ([1, 99], "b", True, "b"),
        ([100, 0], None, False, "b"),
        ([40, 30, 30], None, False, None),
        ([40, 2, 30], None, True, "b"),
        ([40, 0, 30], None, False, None),
    ],
)
def test_which_class_the_headline_is_about(counts, positive, is_imbalanced, focus):
    codes = np.repeat(np.arange(len(counts)), counts)
    balance = ClassBalance.of(codes, LABELS[: len(counts)], positive=positive)
    assert balance.is_imbalanced is is_imbalanced
    assert balance.focus_label == focus


def test_a_class_without_rows_is_defined():
    truth, codes, probabilities, _ = drawn(3, 0)
    kept = truth < 2
    found = quality_of(truth[kept], codes[kept], probabilities[kept])
    assert np.isnan(found.recall["c"].value)
    assert np.isnan(found.scores.auc_by_class["c"].value)
    assert found.auc.value == pytest.approx(
        np.mean([roc_auc_score(truth[kept] == one, probabilities[kept, one]) for one in (0, 1)])
    )
    alone = quality_of(np.zeros(5, dtype=int), np.zeros(5, dtype=int), np.full((5, 2), 0.5))
    assert np.isnan(alone.auc.value)
    assert alone.auc.text == "undefined"
    assert alone.to_json()["auc"]["value"] is None


def test_models_of_other_classes_are_measured_together():
    """The ensemble knows a class that the model does not, y has another one."""
    y = np.array(["a", "b", "c", "d"])
    model = Predicted(np.array(["a", "b", "b", "a"]), np.full((4, 2), 0.5), np.array(["a", "b"]))
    ensemble = Predicted(np.array(["a", "b", "c", "a"]), np.full((4, 3), 1 / 3), np.array(["a", "b", "c"]))
    found = Measures.of_classes(y, model, ensemble)
    assert found.balance.classes.tolist() == ["a", "b", "c", "d"]
    assert found.model.accuracy.value == 0.5
    assert found.ensemble.accuracy.value == 0.75
    assert isinstance(found.fidelity, Fidelity)
    assert found.fidelity.overall.value == 0.75
