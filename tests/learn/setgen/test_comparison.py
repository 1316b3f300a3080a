import numpy as np
import pytest

from sightline.learn.setgen import Comparison
from sightline.learn.setgen._comparison import matched_pair_p


def test_matched_pairs_by_hand():
    # Differences 1, 2, 3: mean 2, deviation 1, t = 2 * sqrt(3), two degrees of freedom.
    first, second = np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0])
    assert matched_pair_p(first, second) == pytest.approx(0.0741799, abs=1e-6)


def test_differences_without_scatter():
    assert matched_pair_p(np.array([1.0, 2.0]), np.array([1.0, 2.0])) == 1.0
    assert matched_pair_p(np.array([2.0, 3.0]), np.array([1.0, 2.0])) == 0.0


def test_verdicts():
    plain = {"error": np.array([0.1, 0.2, 0.15]), "nodes": np.array([9.0, 11, 10]), "features": np.ones(3)}
    chosen = {
        "error": np.array([0.1, 0.1, 0.3]),
        "nodes": np.array([3.0, 5, 3]),
        "features": np.array([3.0, 3, 3]),
    }
    comparison = Comparison(plain, chosen)
    assert [comparison.verdict(name) for name in ("error", "nodes", "features")] == [
        "no significant difference",
        "smaller",
        "larger",
    ]
    assert comparison.to_text().splitlines()[2] == "nodes              10.0      3.7   0.003  smaller"
