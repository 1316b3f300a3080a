"""Limits of the trees of ISM and CMM: support, depth and number of columns."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, make_classification
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import sightline as sl
from sightline.exceptions import ParameterError


@pytest.fixture(scope="module")
def forest_and_rows():
    X, y = make_classification(300, 8, n_informative=5, random_state=0)
    return RandomForestClassifier(10, max_depth=5, random_state=0).fit(X, y), X, y


def smallest_leaf(tree):
    return tree.core.weight[tree.core.test == 0].min()


@pytest.mark.parametrize("variant", ["t", "td", "d", "hybrid"])
def test_leaves_of_ism_have_their_support(forest_and_rows, variant):
    forest, X, y = forest_and_rows
    plain, supported, share = (
        sl.ISMClassifier(forest, variant=variant, min_leaf=min_leaf, collapse=False).fit(X, y).tree_
        for min_leaf in (0, 12, 0.1)
    )
    assert smallest_leaf(plain) < 12 <= smallest_leaf(supported)
    assert smallest_leaf(share) >= 30
    assert share.n_leaves > 2


def test_support_of_ism_is_refused_where_it_cannot_be_counted(forest_and_rows):
    forest, X, y = forest_and_rows
    ism = sl.ISMClassifier(forest, variant="t", test_probability="marginal", min_leaf=2)
    with pytest.raises(ParameterError, match="Use test_probability='pooled'"):
        ism.fit(X, y)


@pytest.mark.parametrize("max_features", [1, 2, 4])
@pytest.mark.parametrize("distiller", [sl.ISMClassifier, sl.CMMClassifier])
def test_trees_keep_to_their_columns(forest_and_rows, distiller, max_features):
    forest, X, y = forest_and_rows
    options = {} if distiller is sl.ISMClassifier else {"random_state": 0}
    tree = distiller(forest, max_features=max_features, **options).fit(X, y).tree_
    assert 1 <= tree.size_["features"] <= max_features
    unlimited = distiller(forest, max_features=8, **options).fit(X, y).tree_
    assert unlimited.to_json() == distiller(forest, **options).fit(X, y).tree_.to_json()


def test_the_columns_that_decide_about_most_rows_stay():
    X = np.random.default_rng(0).random((400, 3))
    y = np.where(X[:, 2] > 0.5, 1, (X[:, 0] > 0.95).astype(int))
    forest = RandomForestClassifier(10, random_state=0).fit(X, y)
    tree = sl.ISMClassifier(forest, max_features=1).fit(X, y).tree_
    assert tree.core.used_features == [2]


def test_numbers_have_the_same_limits():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, max_depth=5, random_state=0).fit(X, y)
    tree = sl.ISMRegressor(forest, max_leaves=12, max_features=2, min_leaf=20).fit(X, y).tree_
    assert tree.size_["features"] <= 2
    assert smallest_leaf(tree) >= 20


def test_cmm_keeps_to_its_depth(forest_and_rows):
    forest, X, y = forest_and_rows
    assert sl.CMMClassifier(forest, max_depth=2, random_state=0).fit(X, y).tree_.depth <= 2


def test_a_group_is_a_list_of_columns():
    with pytest.raises(ParameterError, match=r"^group must be a list of columns: "):
        sl.DistilledTreeRegressor(group=np.array([1, 2])).fit(np.eye(5), np.arange(5.0))
