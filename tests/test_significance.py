import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sightline.exceptions import ParameterError
from sightline.significance import (
    corrected_resampled_t_test,
    paired_t_test,
    wilcoxon_test,
    win_draw_loss,
)

# Demšar 2006, Table 2: areas under the curve of C4.5 and of C4.5 with m tuned.
C45 = [.763, .599, .954, .628, .882, .936, .661, .583, .775, 1.000, .940, .619, .972, .957]  # fmt: skip
C45_M = [.768, .591, .971, .661, .888, .931, .668, .583, .838, 1.000, .962, .666, .981, .978]  # fmt: skip

differences = st.lists(st.integers(-20, 20), min_size=2, max_size=30)


def test_t_test_by_hand():
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2 * sqrt(3), two degrees of freedom.
    found = paired_t_test([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    assert (found.difference, found.effect_size) == (2.0, 2.0)
    assert found.statistic == pytest.approx(2 * np.sqrt(3))
    assert found.p_value == pytest.approx(0.0741799, abs=1e-6)


def test_differences_without_scatter():
    assert paired_t_test([1.0, 2.0], [1.0, 2.0]).p_value == 1.0
    clear = paired_t_test([2.0, 3.0], [1.0, 2.0])
    assert (clear.p_value, clear.statistic, clear.verdict()) == (0.0, -np.inf, "loss")


@given(differences)
def test_t_test_is_that_of_scipy(values):
    if len(set(values)) == 1:
        return
    found = paired_t_test(np.zeros(len(values)), values)
    expected = stats.ttest_1samp(values, 0)
    assert found.statistic == pytest.approx(expected.statistic)
    assert found.p_value == pytest.approx(expected.pvalue)


@pytest.fixture(scope="module")
def moons_scores():
    """Ten times ten folds of the two best kernels in scikit-learn's example on comparing models."""
    from sklearn.datasets import make_moons
    from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
    from sklearn.svm import SVC

    X, y = make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    models = (SVC(kernel="rbf"), SVC(kernel="linear"))
    return [cross_val_score(model, X, y, scoring="roc_auc", cv=folds) for model in models]


def test_corrected_t_test_of_a_published_example(moons_scores):
    # scikit-learn, "Statistical comparison of models using grid search": t 0.750, one-tailed p 0.227.
    rbf, linear = moons_scores
    found = corrected_resampled_t_test(linear, rbf, test_share=1 / 9)
    assert found.statistic == pytest.approx(0.750, abs=5e-4)
    assert found.p_value / 2 == pytest.approx(0.227, abs=5e-4)
    # The same page, without the correction: t 2.611, one-tailed p 0.005.
    plain = paired_t_test(linear, rbf)
    assert plain.statistic == pytest.approx(2.611, abs=5e-4)
    assert plain.p_value / 2 == pytest.approx(0.005, abs=5e-4)


def test_correction_by_hand():
    # Ten folds: variance times 1/10 + 1/9 instead of 1/10.
    first, second = np.zeros(10), np.arange(10.0)
    plain, corrected = paired_t_test(first, second), corrected_resampled_t_test(first, second, 1 / 9)
    assert plain.statistic / corrected.statistic == pytest.approx(np.sqrt(1 + 10 / 9))
    assert corrected.effect_size == plain.effect_size


def test_wilcoxon_of_a_published_example():
    # Demšar: R+ = 93, R- = 12, below the critical value 21 for 14 data sets at 0.05.
    found = wilcoxon_test(C45, C45_M)
    assert found.statistic == 12
    assert found.effect_size == pytest.approx((93 - 12) / 105)
    assert found.verdict(0.05) == "win"


@given(st.lists(st.integers(-30, 30).filter(bool), min_size=2, max_size=12, unique_by=abs))
def test_exact_wilcoxon_is_that_of_all_sign_patterns(values):
    n = len(values)
    signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
    sums = ((signs > 0) * np.arange(1, n + 1)).sum(axis=1)
    found = wilcoxon_test(np.zeros(n), values)
    assert found.p_value == pytest.approx(min(1.0, 2 * (sums <= found.statistic).mean()))


@given(differences)
def test_exchanging_the_columns_turns_the_answer(values):
    zero = np.zeros(len(values))
    turned = {"win": "loss", "loss": "win", "draw": "draw"}
    for test in (paired_t_test, wilcoxon_test, lambda a, b: corrected_resampled_t_test(a, b, 0.1)):
        one, other = test(zero, values), test(values, zero)
        assert one.p_value == pytest.approx(other.p_value)
        assert one.difference == -other.difference
        assert one.effect_size == pytest.approx(-other.effect_size)
        assert turned[one.verdict()] == other.verdict()


def test_nothing_differs():
    assert wilcoxon_test([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).p_value == 1.0


def test_wins_draws_and_losses_are_counted():
    low, high = np.array([1.0, 2.0, 1.5]), np.array([3.0, 4.1, 3.4])
    counts = win_draw_loss([(low, high), (high, low), (low, low), (low, high)], paired_t_test)
    assert (counts.win, counts.draw, counts.loss, str(counts)) == (2, 1, 1, "2/1/1")


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: paired_t_test([1.0, 2.0], [1.0]),
            "Paired results must be two columns of equal length. Got shapes (2,) and (1,).",
        ),
        (lambda: paired_t_test([1.0], [2.0]), "Paired results need at least two pairs. Got 1."),
        (
            lambda: wilcoxon_test([1.0, np.nan], [1.0, 2.0]),
            "Paired results must be finite numbers. Leave out pairs that were not measured.",
        ),
        (
            lambda: corrected_resampled_t_test([1.0, 2.0], [2.0, 2.0], 0.0),
            "The 'test_share' parameter of corrected_resampled_t_test must be positive: test rows over "
            "training rows. Got 0.0 instead.",
        ),
        (
            lambda: paired_t_test([1.0, 2.0], [2.0, 2.0]).verdict(1.0),
            "The 'level' parameter must be between 0 and 1, both excluded. Got 1.0 instead.",
        ),
    ],
)
def test_errors(call, text):
    with pytest.raises(ParameterError) as error:
        call()
    assert str(error.value) == text
