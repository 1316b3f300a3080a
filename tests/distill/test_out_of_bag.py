"""Out-of-bag rows, and that unknown bags are not taken for known ones."""

import numpy as np
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.distill import out_of_bag_mask, resolve_teacher

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + 0.3 * RNG.normal(size=60) > 0).astype(int)


def mask(ensemble, X=X, y=Y):
    return out_of_bag_mask(resolve_teacher(sl.RuleSetClassifier(ensemble, random_state=0), X, y))


def test_default_ensemble():
    assert mask(None).shape == (25, 60)


def test_given_bagging():
    bagged = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(X, Y)
    assert (mask(bagged) == (bagged.bag_counts_ == 0)).all()


def test_given_bagging_with_other_rows():
    bagged = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(X, Y)
    assert mask(bagged, X[:50], Y[:50]) is None
    assert mask(bagged, X, 1 - Y) is None
    assert mask(bagged, X, None) is None


def test_forests_learned_here():
    for forest in (
        RandomForestClassifier(5, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(), 5, random_state=0),
    ):
        found = mask(forest)
        forest.fit(X, Y)
        for row, drawn in zip(found, forest.estimators_samples_, strict=True):
            assert set(np.flatnonzero(row)) == set(range(60)) - set(drawn.tolist())
        # Fitted before: the labels of every bag must be those that its tree was grown on.
        assert (mask(forest) == found).all()
        assert mask(forest, X[:50], Y[:50]) is None
        assert mask(forest, X[::-1], Y[::-1]) is None


def test_everything_seen():
    assert mask(RandomForestClassifier(5, bootstrap=False, random_state=0)) is None
    assert mask(GradientBoostingClassifier(n_estimators=3, random_state=0)) is None


def test_copies_of_seen_rows_are_seen():
    twice = np.arange(60).repeat(2)
    bagged = sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(X[twice], Y[twice])
    found = mask(bagged, X[twice], Y[twice])
    drawn = bagged.bag_counts_.reshape(5, 60, 2).sum(axis=2)
    assert (found == (drawn == 0).repeat(2, axis=1)).all()


def test_rows_without_weight_are_left_out():
    weights = np.ones(60)
    weights[[0, 7, 31]] = 0
    forest = RandomForestClassifier(5, random_state=0)
    teacher = resolve_teacher(sl.RuleSetClassifier(forest, random_state=0), X, Y, weights)
    drawn_rows = forest.fit(X, Y, weights).estimators_samples_
    assert out_of_bag_mask(teacher).shape == (5, 57)
    for row, drawn in zip(out_of_bag_mask(teacher), drawn_rows, strict=True):
        outside = set(np.flatnonzero(weights)) - set(drawn.tolist())
        assert set(teacher.row_index[np.flatnonzero(row)]) == outside
