import numpy as np
import pytest
from sklearn.datasets import load_iris

import sightline as sl
from sightline.distill import resolve_teacher
from sightline.learn import Growth
from sightline.table import Labels


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("labels", ["true", "ensemble"])
@pytest.mark.parametrize("prune", [True, False])
def test_it_is_c45_on_the_training_rows_and_the_artificial_ones(iris, labels, prune):
    X, y = iris
    bagged = sl.BaggedTreesClassifier(random_state=0).fit(X, y)
    model = sl.CMMClassifier(bagged, 200, labels=labels, prune=prune, random_state=0).fit(X, y)
    teacher = resolve_teacher(sl.CMMClassifier(bagged), X, y)
    made = model.artificial_
    assert made.n_rows == 200
    table = teacher.table.stacked(made)
    own = y if labels == "true" else bagged.predict(X)
    codes = np.concatenate([own, bagged.predict(made)]).astype(np.int32)
    options = sl.C45Classifier(binary_splits=True, prune=prune)
    learned = Growth(table, Labels(codes, np.arange(3)), options).tree()
    assert model.to_json() == learned.with_labels(X, y.astype(np.int32)).to_json()
    np.testing.assert_array_equal(model.tree_.core.counts[0], [50, 50, 50])


def test_pruned_trees_are_smaller(iris):
    X, y = iris
    pruned, full = (
        sl.CMMClassifier(prune=p, random_state=0).fit(X, y).size_["leaves"] for p in (True, False)
    )
    assert pruned < full


def test_without_artificial_rows_it_is_c45(iris):
    X, y = iris
    model = sl.CMMClassifier(n_artificial=0, random_state=0).fit(X, y)
    learned = sl.C45Classifier(binary_splits=True).fit(X, y).tree_
    assert model.to_json() == learned.with_labels(X, y.astype(np.int32)).to_json()


def test_without_labels_the_ensembles_are_used(iris):
    X, y = iris
    bagged = sl.BaggedTreesClassifier(random_state=0).fit(X, y)
    silent = sl.CMMClassifier(bagged, random_state=0).fit(X)
    told = sl.CMMClassifier(bagged, labels="ensemble", random_state=0).fit(X, y)
    assert silent.tree_.label_source == "ensemble"
    assert told.tree_.label_source == "own"
    np.testing.assert_array_equal(silent.tree_.core.threshold, told.tree_.core.threshold)
    np.testing.assert_array_equal(silent.tree_.core.output, told.tree_.core.output)


def test_other_sizes_are_what_a_limit_gives(iris):
    X, y = iris
    model = sl.CMMClassifier(random_state=0).fit(X, y)
    limited = sl.CMMClassifier(max_leaves=3, random_state=0).fit(X, y)
    assert model.resized(3).to_json() == limited.to_json()
    assert limited.size_["leaves"] <= 3


def test_weighted_rows_weigh_beside_artificial_ones(iris):
    X, y = iris
    heavy = sl.CMMClassifier(random_state=0).fit(X, y, sample_weight=np.full(150, 100.0))
    assert heavy.tree_.core.weight[0] == 15_000
    n_artificial = np.bincount(heavy.ensemble_.predict(heavy.artificial_), minlength=3)
    np.testing.assert_allclose(heavy.tree_.core.output[0], (5_000 + n_artificial) / 16_000)
