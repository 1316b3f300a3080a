"""Proofs about models with a formula, against brute force: one row for every cell."""

import random

import numpy as np
import pytest
from cases import each
from grid import cell_table
from strategies import random_combination

import sightline as sl
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
