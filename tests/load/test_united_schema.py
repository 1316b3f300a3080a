"""Members with different preprocessing over the same columns."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from xgboost import XGBClassifier

import sightline as sl
from sightline.exceptions import DataError, UnsupportedModelError
from sightline.load import load

NUMBERS, WORDS = ["age", "income"], ["job", "town"]


def frame_of(seed, n_rows=150, jobs="abcd"):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 70, n_rows).astype(float),
            "job": rng.choice(list(jobs), n_rows),
            "income": np.where(rng.random(n_rows) < 0.2, np.nan, rng.normal(3, 1, n_rows)),
            "town": rng.choice(["x", "y", "z"], n_rows),
        }
    ).astype({"job": object, "town": object})
    frame.loc[rng.random(n_rows) < 0.1, "town"] = np.nan
    return frame


def labels_of(frame, n_classes=2):
    score = frame["age"] / 20 + frame["income"].fillna(2) + (frame["job"] < "c") * 2
    return np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def one_hot(**options):
    numbers = make_pipeline(SimpleImputer(), StandardScaler())
    encoder = OneHotEncoder(**options, sparse_output=False)
    return ColumnTransformer([("numbers", numbers, NUMBERS), ("words", encoder, WORDS)])


def ordinal():
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-5)
    return ColumnTransformer([("words", encoder, WORDS)], remainder="passthrough")


MEMBERS = {
    "forest": lambda: make_pipeline(
        one_hot(handle_unknown="ignore"), RandomForestClassifier(4, max_depth=4, random_state=0)
    ),
    "frequent": lambda: make_pipeline(
        one_hot(handle_unknown="infrequent_if_exist", min_frequency=30),
        XGBClassifier(n_estimators=3, max_depth=2),
    ),
    "histogram": lambda: make_pipeline(ordinal(), HistGradientBoostingClassifier(max_iter=3)),
    "strict": lambda: make_pipeline(
        one_hot(), LGBMClassifier(n_estimators=3, num_leaves=4, verbose=-1, n_jobs=1)
    ),
    "numbers only": lambda: make_pipeline(
        ColumnTransformer([("numbers", SimpleImputer(), NUMBERS)]),
        RandomForestClassifier(3, max_depth=3, random_state=0),
    ),
}


def assert_same(model, *frames):
    ensemble = load(model)
    for frame in frames:
        np.testing.assert_array_equal(ensemble.predict(frame), model.predict(frame))
        np.testing.assert_array_equal(ensemble.predict_proba(frame), model.predict_proba(frame))
    return ensemble


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "names",
    [
        ("forest", "histogram"),
        ("frequent", "forest", "numbers only"),
        ("histogram", "frequent"),
        ("strict", "numbers only"),
    ],
    ids=" and ".join,
)
def test_votes_of_pipelines(seed, names):
    frame = frame_of(seed)
    model = VotingClassifier([(name, MEMBERS[name]()) for name in names], voting="soft")
    model.fit(frame, labels_of(frame))
    frames = [frame, frame_of(seed + 50)]
    if "strict" not in names:
        frames.append(frame_of(seed + 90, jobs="abwxyz"))
    ensemble = assert_same(model, *frames)
    assert ensemble.feature_names == list(frame)


def test_folds_that_know_different_categories():
    frame = frame_of(7)
    frame.loc[:1, "job"] = "rare"
    y = labels_of(frame)
    # No shuffling: only one of the folds trains on the rare category.
    model = CalibratedClassifierCV(MEMBERS["forest"](), cv=3, method="isotonic").fit(frame, y)
    assert_same(model, frame, frame_of(8, jobs="abuv"))


def test_everything_nested():
    frame = frame_of(3)
    y = labels_of(frame)
    forest = MEMBERS["forest"]().fit(frame, y)
    calibrated = CalibratedClassifierCV(FrozenEstimator(forest), method="sigmoid")
    trees = CalibratedClassifierCV(RandomForestClassifier(3, random_state=0), cv=2)
    search = GridSearchCV(
        make_pipeline(one_hot(handle_unknown="ignore"), trees),
        {"calibratedclassifiercv__method": ["sigmoid", "isotonic"]},
        cv=2,
    )
    votes = VotingClassifier([("calibrated", calibrated), ("search", search)], voting="soft", weights=[1, 2])
    model = FixedThresholdClassifier(votes, threshold=0.4, pos_label=1).fit(frame, y)
    assert_same(model, frame, frame_of(4, jobs="abuv"))
    tree = sl.DistilledTreeClassifier(model, max_leaves=6).fit(frame)
    assert "job is" in tree.tree_.to_text()


def test_a_small_vote_is_merged_and_certified():
    frame = frame_of(3)
    members = [(name, MEMBERS[name]()) for name in ("numbers only", "frequent")]
    small = load(VotingClassifier(members, voting="soft").fit(frame, labels_of(frame)))
    merged = sl.merge(small)
    assert merged.complete
    np.testing.assert_array_equal(merged.predict(frame), small.predict(frame))
    assert sl.certify(merged, small, frame).equivalent


def test_one_model_per_class():
    frame = frame_of(5)
    y = np.array(["low", "middle", "high"])[labels_of(frame, 3)]
    assert_same(OneVsRestClassifier(MEMBERS["histogram"]()).fit(frame, y), frame, frame_of(6))


def test_a_column_of_numbers_for_one_and_of_words_for_another():
    frame = frame_of(1).astype({"age": int})[["age"]]
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), RandomForestClassifier(2, random_state=0))
    plain = RandomForestClassifier(2, random_state=0)
    model = VotingClassifier([("encoded", encoded), ("plain", plain)], voting="soft")
    model.fit(frame, labels_of(frame_of(1)))
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    assert str(caught.value) == (
        "VotingClassifier: column 'age' is read differently by 'encoded' and 'plain'. "
        "sl.BlackBox takes any model."
    )


def test_members_of_which_one_refuses_new_categories():
    frame = frame_of(2)
    members = [(name, MEMBERS[name]()) for name in ("strict", "forest")]
    model = VotingClassifier(members, voting="soft").fit(frame, labels_of(frame))
    ensemble = assert_same(model, frame)
    with pytest.raises(DataError, match="job"):
        ensemble.predict(frame_of(3, jobs="xyz"))
