"""Models that hold a model which was trained on the same columns in another order."""

import catboost
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from sightline.exceptions import UnsupportedModelError
from sightline.load import load

X = pd.DataFrame(np.random.default_rng(3).normal(size=(200, 2)).round(1), columns=["a", "b"])
Y = (X["a"] > X["b"]).astype(int)
REVERSED = ["b", "a"]
WHY = (
    "Some models find columns by name, others by position. Train all on one order. "
    "sl.BlackBox takes any model."
)


def fitted(columns):
    model = catboost.CatBoostClassifier(5, verbose=False, allow_writing_files=False, thread_count=1)
    return model.fit(X[columns], Y)


def reordering(library):
    parts = [(name, "passthrough", [name]) for name in REVERSED]
    return ColumnTransformer(parts, verbose_feature_names_out=False).set_output(transform=library)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_steps_that_reorder_named_columns(library):
    follows = make_pipeline(reordering(library).fit(X), fitted(REVERSED))
    np.testing.assert_array_equal(load(follows).predict(X), follows.predict(X))
    with pytest.raises(UnsupportedModelError) as error:
        load(make_pipeline(reordering(library).fit(X), fitted(["a", "b"])))
    assert str(error.value) == (
        "the pipeline: the same columns in two orders: its steps make 'b' and 'a', its model was trained on "
        f"'a' and 'b'. {WHY}"
    )


def test_steps_that_drop_the_names():
    pipeline = make_pipeline(StandardScaler().fit(X), fitted(REVERSED))
    np.testing.assert_array_equal(load(pipeline).predict(X), pipeline.predict(X))


def test_votes_of_models_with_different_orders():
    members = [("boosted", FrozenEstimator(fitted(REVERSED))), ("tree", DecisionTreeClassifier(max_depth=3))]
    with pytest.raises(UnsupportedModelError) as error:
        load(VotingClassifier(members, voting="soft").fit(X, Y))
    assert str(error.value) == (
        "VotingClassifier: the same columns in two orders: 'boosted' was trained on 'b' and 'a', 'tree' on "
        f"'a' and 'b'. {WHY}"
    )


def test_one_member_with_another_order_than_its_owner():
    vote = VotingClassifier([("boosted", FrozenEstimator(fitted(REVERSED)))], voting="soft").fit(X, Y)
    vote.feature_names_in_ = np.array(["a", "b"], dtype=object)
    with pytest.raises(UnsupportedModelError, match="it was fitted on 'a' and 'b', its model was trained on"):
        load(vote)


def test_the_same_order_is_read():
    model = FixedThresholdClassifier(FrozenEstimator(fitted(["a", "b"])), threshold=0.4).fit(X, Y)
    np.testing.assert_array_equal(load(model).predict(X), model.predict(X))
