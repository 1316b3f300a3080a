import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sightline.exceptions import ParameterError
from sightline.lab import rank_learners
from sightline.lab._ranking import nemenyi_quantile

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
# Demšar 2006, Table 6. Its ranks show that one printed 0.975 was the larger.
TABLE = np.array([
    [.763, .768, .771, .798], [.599, .591, .590, .569], [.954, .971, .968, .967], [.628, .661, .654, .657],
    [.882, .888, .886, .898], [.936, .931, .916, .931], [.661, .668, .609, .685], [.583, .583, .563, .625],
    [.775, .838, .866, .875], [1.0, 1.0, 1.0, 1.0], [.940, .962, .965, .962], [.619, .666, .614, .669],
    [.972, .981, .9751, .975], [.957, .978, .946, .970],
])  # fmt: skip


def test_published_example():
    ranking = rank_learners(TABLE, NAMES)
    assert np.round(ranking.ranks, 3).tolist() == [3.143, 2.0, 2.893, 1.964]
    assert ranking.friedman == pytest.approx(9.28, abs=0.005)
    assert ranking.iman_davenport == pytest.approx(3.69, abs=0.005)
    assert ranking.critical_difference == pytest.approx(1.25, abs=0.005)
    # The paper: the post-hoc test is not powerful enough at 0.05 ...
    assert ranking.groups() == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    # ... and at 0.10, with 1.12, separates C4.5 from the two best.
    lenient = rank_learners(TABLE, NAMES, level=0.1)
    assert lenient.critical_difference == pytest.approx(1.12, abs=0.005)
    assert lenient.groups() == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]


def test_published_quantiles():
    # Demšar 2006, Table 5, two to ten classifiers.
    strict = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    lenient = [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]
    for k in range(2, 11):
        assert nemenyi_quantile(k, 0.05) == pytest.approx(strict[k - 2], abs=1.1e-3)
        assert nemenyi_quantile(k, 0.10) == pytest.approx(lenient[k - 2], abs=1.1e-3)


@given(st.integers(2, 8), st.integers(3, 6), st.integers(0, 99))
def test_friedman_equals_scipy_without_ties(n_sets, k, seed):
    table = np.random.RandomState(seed).permutation(n_sets * k).reshape(n_sets, k)
    ranking = rank_learners(table)
    assert ranking.friedman == pytest.approx(stats.friedmanchisquare(*table.T).statistic)


def test_all_data_sets_agree():
    ranking = rank_learners({"a": [1, 2, 3], "b": [2, 3, 4]})
    assert ranking.ranks.tolist() == [2.0, 1.0]
    assert (ranking.iman_davenport, ranking.iman_davenport_p) == (np.inf, 0.0)


def test_plot_names_every_learner():
    ax = rank_learners(TABLE, NAMES, level=0.1).plot()
    texts = " ".join(text.get_text() for text in ax.texts)
    assert all(name in texts for name in NAMES)
    assert "critical difference 1.12 (Nemenyi, level 0.1)" in texts


@pytest.mark.parametrize(
    ("results", "options", "text"),
    [
        ({"a": [1, 2]}, {}, "A ranking needs at least two learners and two data sets. Got 1 and 2."),
        ([[1, 2], [2, 1]], {"names": ["a"]}, "Got 1 names for 2 learners."),
        ([[1, np.nan], [2, 1]], {}, "A ranking needs a finite number for every learner and data set."),
        (
            [[1, 2], [2, 1]],
            {"level": 0},
            "The 'level' parameter must be between 0 and 1, both excluded. Got 0 instead.",
        ),
    ],
)
def test_errors(results, options, text):
    with pytest.raises(ParameterError) as error:
        rank_learners(results, **options)
    assert str(error.value) == text
