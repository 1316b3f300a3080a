"""Proofs about models with a formula, against brute force: one row for every cell."""

import random
from dataclasses import replace

import numpy as np
import pytest
from cases import each
from grid import cell_table
from strategies import class_names, random_combination, random_ensemble, random_schema

import sightline as sl
from sightline.load._composition import Composition
from sightline.model import LEAF, Ensemble, class_sums


def cells_of(ensemble, missing=True):
    cells = cell_table(ensemble, missing=missing)
    assert cells is not None, "too many cells"
    return cells


@each(seed=range(150))
def test_merged_trees_give_every_cell_the_label(seed):
    ensemble = random_combination(random.Random(seed))
    cells = cells_of(ensemble)
    labels = ensemble.predict(cells)
    for to in ("tree", "graph"):
        merged = sl.merge(ensemble, to=to)
        assert merged.complete
        np.testing.assert_array_equal(merged.predict(cells), labels)


@each(seed=range(100))
def test_certificates_agree_with_brute_force(seed):
    rng = random.Random(seed)
    ensemble = random_combination(rng)
    cells = cells_of(ensemble)
    classes = ensemble.classes_[::-1] if rng.random() < 0.5 else ensemble.classes_
    plain = class_sums(ensemble) if ensemble.link.kind == "mixture" else ensemble
    other = plain.replaced(classes=classes)
    differ = (ensemble.predict(cells) != other.predict(cells)).any()
    certificate = sl.certify(sl.merge(ensemble), other)
    assert certificate.equivalent is not differ
    assert sl.certify(ensemble, other).equivalent is not differ


def select(add, step, column):
    return add("select", step, columns=[column])


LABELS = {
    "difference": lambda add, a, b: add("mirror", add("difference", a)),
    "negative weight": lambda add, a, b: add("average", a, b, numbers=[-1.0, 0.5, 2.0]),
    "negative divisor": lambda add, a, b: add("average", a, b, numbers=[1.0, -0.5, -2.0]),
    "rounded average": lambda add, a, b: add("average", a, b, numbers=[0.1, 0.7, 3.0], single=True),
    "divided": lambda add, a, b: add("divide", a, numbers=[-3.0]),
    "rounded": lambda add, a, b: add("divide", b, numbers=[3.0], single=True),
    "line": lambda add, a, b: add("affine", b, numbers=[-0.1, 0.3]),
    "rounded line": lambda add, a, b: add("affine", b, numbers=[0.1, 0.3], single=True),
    "place": lambda add, a, b: add("place", select(add, a, 1), numbers=[2], columns=[1]),
    "join": lambda add, a, b: add("concat", select(add, a, 1), select(add, b, 0)),
    "excess": lambda add, a, b: add("clip_one", add("affine", a, numbers=[1.000001, 0.0])),
    "rounded complement": lambda add, a, b: add("complement", select(add, a, 0), single=True),
    "shares": lambda add, a, b: add("normalize", add("square", a), numbers=[0.5]),
    "rounded shares": lambda add, a, b: add("normalize", add("square", a), numbers=[0.0], single=True),
    "box_cox": lambda add, a, b: add("inverse_box_cox", a, numbers=[0.5]),
    "no logarithm": lambda add, a, b: add("numpy_log", b),
    "softmax": lambda add, a, b: add("softmax", b, single=True),
    "mixed": lambda add, a, b: add("mix", a, numbers=[0.9, 0.1, 0.3, 0.7]),
}
"""What may stand between the trees and the label. Drawn outputs are no shares: they may be 0, or above 1."""


@pytest.mark.parametrize("name", LABELS)
@each(seed=range(12))
def test_whatever_stands_between_trees_and_label(name, seed):
    rng = random.Random(f"{name} {seed}")
    schema = random_schema(rng, 3)
    parts = [random_ensemble(rng, 2, schema, 2, ("mean", "sums")).model() for _ in range(2)]
    together = Composition(parts, ["first", "second"], "the test")
    label = LABELS[name](together.add, *(response.probabilities for response in together.responses))
    ensemble = together.ensemble(class_names(2), label, label)
    cells = cells_of(ensemble)
    labels = ensemble.predict(cells)
    merged = sl.merge(ensemble)
    np.testing.assert_array_equal(merged.predict(cells), labels)
    swapped = ensemble.replaced(classes=ensemble.classes_[::-1])
    assert sl.certify(merged, ensemble).equivalent
    assert sl.certify(ensemble, swapped).equivalent is False
    found = sl.counterfactuals(ensemble, cells[[0]], missing=True, readable=False)
    assert found.impossible is bool((labels == labels[0]).all())


@each(seed=range(60))
def test_isms_safe_leaves_are_right(seed):
    rng = random.Random(seed)
    ensemble = random_combination(rng, max_trees=2)
    cells = cells_of(ensemble, missing=False)
    few = cells[rng.sample(range(cells.n_rows), min(cells.n_rows, 5))]
    ism = sl.ISMClassifier(ensemble, variant="t", stop="safe").fit(few)
    assert ism.complete_
    assert ism.proved_[ism.tree_.core.test == LEAF].all()
    np.testing.assert_array_equal(ism.predict(cells), ensemble.predict(cells))


@pytest.mark.parametrize("seed", range(60))
def test_files_keep_everything(seed, tmp_path):
    ensemble = random_combination(random.Random(seed))
    text = ensemble.to_json()
    path = tmp_path / "model.json"
    path.write_text(text)
    again = sl.read_model(path)
    assert isinstance(again, Ensemble)
    assert again.to_json() == text
    cells = cells_of(ensemble)
    np.testing.assert_array_equal(again.predict_proba(cells), ensemble.predict_proba(cells))
    np.testing.assert_array_equal(again.predict(cells), ensemble.predict(cells))


DIVISORS = [(-2.0,), (3.0,), (1e300,), (1e-300,), (1e300, 1e-300), (1e-320, 1e-20)]
"""Signs turn, quotients become infinite or 0, and with them equal."""


@pytest.mark.parametrize("divide_by", DIVISORS, ids=str)
@each(seed=range(10))
def test_whatever_scores_are_divided_by(divide_by, seed):
    model = random_ensemble(random.Random(seed), 3, n_classes=2 + seed % 2).model()
    ensemble = model.replaced(link=replace(model.link, divide_by=divide_by))
    cells = cells_of(ensemble)
    with np.errstate(all="ignore"):
        labels = ensemble.predict(cells)
        for effort in ("quick", "smallest"):
            merged = sl.merge(ensemble, effort=effort, max_seconds=1)
            np.testing.assert_array_equal(merged.predict(cells), labels)
            assert sl.certify(merged, ensemble).equivalent
        found = sl.counterfactuals(ensemble, cells[[0]], missing=True, readable=False)
    assert found.impossible is bool((labels == labels[0]).all())
