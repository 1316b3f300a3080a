import numpy as np

from sightline.model import FidelityCurve


def curve_of(fidelity, n_rows=100):
    return FidelityCurve(np.arange(1, len(fidelity) + 1) * 2, np.array(fidelity), None, None, n_rows)


def test_the_knee_is_the_smallest_within_one_standard_error():
    # The best is 0.9, its standard error 0.03.
    assert curve_of([0.8, 0.86, 0.871, 0.9, 0.89]).knee == 6
    assert curve_of([0.8, 0.86, 0.871, 0.9, 0.89], n_rows=1_000_000).knee == 8


def test_perfect_trees_have_no_error():
    assert curve_of([0.99, 1.0, 1.0]).knee == 4


def test_it_says_what_it_holds():
    assert repr(curve_of([0.5, 1.0])) == "FidelityCurve(2 sizes, 100 rows, knee at 4 leaves)"


def test_rare_labels_count_as_much_as_frequent_ones():
    """A tree that never says yes gives the ensemble's label to 98% of the rows, but 50% if balanced."""
    ensemble = np.array(["no"] * 980 + ["yes"] * 20)
    never, half = np.full(1000, "no"), ensemble.copy()
    half[:100] = "yes"
    curve = FidelityCurve.from_labels({2: never, 4: half, 8: half}, ensemble, None)
    assert curve.measure == "balanced share"
    assert np.allclose(curve.fidelity, [0.5, (880 / 980 + 1) / 2, (880 / 980 + 1) / 2])
    assert curve.knee == 4
    assert np.isclose(curve.error, np.sqrt(880 / 980 * 100 / 980 / 980) / 2)
    text = curve.to_text()
    assert text.startswith("Balanced fidelity on 1,000 rows, because the classes are imbalanced\n")
    balanced = FidelityCurve.from_labels({2: never}, ensemble, np.array(["no", "yes"] * 500))
    assert balanced.measure == "share"
