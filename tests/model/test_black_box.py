import pickle
import sys

import catboost
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

import sightline as sl
from sightline.model import can_be_queried, is_regressor
from sightline.table import Table


@pytest.fixture
def frame():
    random = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": random.integers(20, 60, 50),
            "town": random.choice(["Ulm", "Köln", None], 50),
            "income": random.normal(size=50).astype(np.float32),
        }
    )
    X["town"] = X["town"].astype("category").cat.set_categories(["Bonn", "Ulm", "Köln"])
    return X, np.where((X["age"] > 40) ^ (X["town"] == "Ulm"), "yes", "no")


def bound(model, X, y=None, **options):
    labels = None if y is None else sl.Labels.from_any(y)
    return sl.BlackBox(model, **options).bound(X, Table.from_any(X), labels)


class Recorder:
    """Gives every row the first class, and keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def predict(self, rows):
        self.asked.append(rows)
        return ["no"] * len(rows)


def test_labels_are_those_of_predict_and_probabilities_those_of_predict_proba(frame):
    X, y = frame
    encode = make_column_transformer((OneHotEncoder(), ["town"]), remainder="passthrough")
    model = make_pipeline(encode, StandardScaler(), LogisticRegression()).fit(X, y)
    box = bound(model, X)
    for rows in (X, Table.from_any(X)):
        codes, probabilities = box.answers(rows)
        assert (box.classes_[codes] == model.predict(X)).all()
        assert (probabilities == model.predict_proba(X)).all()
        assert (box.predict(rows) == model.predict(X)).all()
    assert box.name == "Pipeline ending in LogisticRegression"
    assert box.task == "classes"


def test_labels_only_give_probabilities_of_zero_and_one(frame):
    X, y = frame
    model = SVC().fit(X[["age", "income"]], y)
    codes, probabilities = bound(model, X[["age", "income"]]).answers(X[["age", "income"]])
    assert set(np.unique(probabilities)) == {0.0, 1.0}
    assert (probabilities.argmax(axis=1) == codes).all()


def test_the_model_gets_rows_as_the_user_has_them(frame):
    X, _ = frame
    recorder = Recorder()
    box = bound(recorder, X, classes=["no", "yes"])
    box.predict(Table.from_any(X))
    box.predict(X[["income", "town", "age"]])
    for asked in recorder.asked:
        pd.testing.assert_frame_equal(asked, X)


def test_polars_rows_stay_polars(frame):
    X = pl.from_pandas(frame[0])
    recorder = Recorder()
    bound(recorder, X, classes=["no", "yes"]).predict(Table.from_any(X))
    assert recorder.asked[0].schema == X.schema
    assert recorder.asked[0].equals(X)


def test_models_fitted_to_arrays_get_arrays_and_those_fitted_to_names_get_names(frame):
    X, y = frame
    X = X[["age", "income"]]
    on_array = SVC().fit(X.to_numpy(), y)
    assert (bound(on_array, X).predict(X) == on_array.predict(X.to_numpy())).all()
    on_frame = SVC().fit(X, y)
    assert (bound(on_frame, X.to_numpy()).predict(X.to_numpy()) == on_frame.predict(X)).all()
    assert (sl.BlackBox(on_frame).predict(Table.from_any(X)) == on_frame.predict(X)).all()


def test_rows_are_asked_in_batches_and_errors_name_the_batch(frame):
    X, _ = frame
    recorder = Recorder()
    box = bound(recorder, X, classes=["no", "yes"], batch_size=20)
    box.predict(X)
    assert [len(asked) for asked in recorder.asked] == [20, 20, 10]

    def fails_late(rows):
        if len(rows) == 10:
            raise KeyError("town")
        return ["no"] * len(rows)

    box = bound(fails_late, X, classes=["no", "yes"], batch_size=20)
    with pytest.raises(sl.DataError, match="fails_late failed on rows 40 to 49: KeyError: 'town'") as caught:
        box.predict(X)
    assert isinstance(caught.value.__cause__, KeyError)


def test_a_progress_bar_is_shown_on_a_terminal_for_several_batches(frame, monkeypatch, capsys):
    X, _ = frame
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    bound(Recorder(), X, classes=["no", "yes"], batch_size=20).predict(X)
    assert "Asking Recorder" in capsys.readouterr().err
    bound(Recorder(), X, classes=["no", "yes"], batch_size=20, show_progress=False).predict(X)
    bound(Recorder(), X, classes=["no", "yes"]).predict(X)
    assert capsys.readouterr().err == ""


def probabilities_of(*values):
    return lambda rows: np.tile(values, (len(rows), 1))


WRONG_ANSWERS = {
    "length": (
        lambda rows: ["no"],
        "an array of shape (1,) for rows 0 to 49. It must return one label per row",
    ),
    "dimensions": (
        lambda rows: np.zeros((len(rows), 2, 2)),
        "an array of shape (50, 2, 2) for rows 0 to 49.",
    ),
    "nothing": (lambda rows: None, "an array of shape () for rows 0 to 49."),
    "columns": (probabilities_of(0.2, 0.3, 0.5), "3 columns of probabilities for rows 0 to 49, but it has 2"),
    "NaN": (probabilities_of(np.nan, 0.5), "gave row 0 a probability that is missing (NaN)."),
    "negative": (probabilities_of(-0.5, 1.5), "gave row 0 a probability that is negative."),
    "infinite": (probabilities_of(np.inf, 0.5), "gave row 0 a probability that is infinite."),
    "sum": (probabilities_of(0.5, 0.6), "gave row 0 probabilities that sum to 1.1. They must sum to 1."),
    "text": (
        lambda rows: np.full((len(rows), 2), "high"),
        "probabilities that are not numbers for rows 0 to 49.",
    ),
    "unknown label": (
        lambda rows: ["maybe"] * len(rows),
        "gave row 0 the label 'maybe', which is not one of its",
    ),
    "number": (
        lambda rows: np.full(len(rows), 0.3),
        "returned the number 0.3 for row 0, which is not a label.",
    ),
    "no label": (lambda rows: np.full(len(rows), np.nan), "gave row 0 no label (NaN)."),
}


@pytest.mark.parametrize("case", WRONG_ANSWERS)
def test_wrong_answers_are_refused_in_a_sentence(frame, case):
    function, text = WRONG_ANSWERS[case]
    X, _ = frame
    with pytest.raises(sl.DataError) as caught:
        bound(function, X, classes=["no", "yes"]).answers(X)
    assert text in str(caught.value)


def test_probabilities_without_classes_are_refused(frame):
    X, _ = frame
    with pytest.raises(sl.DataError, match="the order of its classes is not known"):
        bound(probabilities_of(0.5, 0.5), X)


def test_columns_of_probabilities_without_classes_are_not_guessed(frame):
    X, y = frame

    class Reversed:
        def predict_proba(self, rows):
            return np.tile([0.1, 0.9], (len(rows), 1))  # "yes" first

        def predict(self, rows):
            return ["no"] * len(rows)

    box = bound(Reversed(), X, y)
    assert (box.predict_proba(X) == [1.0, 0.0]).all()
    only = type("Only", (), {"predict_proba": Reversed.predict_proba})()
    with pytest.raises(sl.DataError, match="the order of its classes is not known"):
        bound(only, X, y)


def test_a_single_class_is_enough(frame):
    X, _ = frame
    model = DummyClassifier().fit(X, ["no"] * len(X))
    assert bound(model, X).predict_proba(X).shape == (50, 1)


def test_columns_of_a_frame_are_matched_with_the_classes(frame):
    X, _ = frame

    def function(rows):
        return pd.DataFrame({"yes": np.ones(len(rows)), "no": np.zeros(len(rows))})

    assert bound(function, X, classes=["no", "yes"]).predict(X)[0] == "yes"


def test_classes_of_a_function_are_those_of_the_rows_and_of_y(frame):
    X, y = frame
    assert bound(lambda rows: rows["age"] > 40, X).classes_.tolist() == [False, True]
    box = bound(lambda rows: ["no"] * len(rows), X, y)
    assert box.classes_.tolist() == ["no", "yes"]
    with pytest.raises(sl.DataError, match=r"returns labels such as 0\.0, but y holds labels such as 'no'\."):
        bound(lambda rows: np.zeros(len(rows)), X, np.asarray(y, dtype=object))
    with pytest.raises(sl.DataError, match=r"returns labels such as .*False.*, but y holds labels such as"):
        bound(lambda rows: np.asarray(rows["age"] > 40), X, y)


def test_classes_are_names_for_those_of_the_model(frame):
    X, y = frame
    X, codes = X[["age", "income"]], (y == "yes").astype(int)
    model = LogisticRegression().fit(X, codes)
    named = bound(model, X, classes=["no", "yes"])
    assert (named.predict(X) == np.array(["no", "yes"])[model.predict(X)]).all()
    assert (named.predict_proba(X) == model.predict_proba(X)).all()
    assert (bound(model, X, classes=[1, 0]).predict(X) == model.predict(X)).all()  # not swapped
    with pytest.raises(sl.ParameterError, match="must name the 2 classes of LogisticRegression, 0 and 1"):
        bound(model, X, classes=["a", "b", "c"]).predict(X)


def test_labels_that_change_are_counted(frame):
    X, _ = frame
    random = np.random.default_rng(0)
    box = bound(lambda rows: random.choice(["no", "yes"], len(rows)), X, classes=["no", "yes"])
    codes, _ = box.answers(X)
    n_changed, n_asked = box.n_changed(Table.from_any(X), codes)
    assert n_asked == 50
    assert 10 < n_changed < 40


@pytest.mark.parametrize("model", [5, "model.json", object(), SVC])
def test_what_cannot_be_asked_is_refused(model):
    assert not can_be_queried(model)
    with pytest.raises(sl.UnsupportedModelError, match="has neither predict_proba nor predict"):
        sl.BlackBox(model)


def test_regressors_and_several_targets_are_refused(frame):
    X, y = frame
    X = X[["age", "income"]]
    assert is_regressor(SVR())
    with pytest.raises(
        sl.UnsupportedModelError, match=r"SVR is a regressor, but a classifier is needed here\."
    ):
        bound(SVR().fit(X, X["age"]), X)
    several = MultiOutputClassifier(RandomForestClassifier(2)).fit(X, np.column_stack([y, y]))
    with pytest.raises(sl.UnsupportedModelError, match="predicts 2 targets at once"):
        bound(several, X)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"classes": ["a", "a"]}, "The 'classes' parameter of BlackBox must list different labels."),
        ({"classes": "yes"}, "The 'classes' parameter of BlackBox must list different labels."),
        ({"batch_size": 0}, "The 'batch_size' parameter of BlackBox must be an int of at least 1."),
    ],
)
def test_bad_parameters_are_refused(options, text):
    with pytest.raises(sl.ParameterError, match=text):
        sl.BlackBox(len, **options)
    with pytest.raises(sl.ParameterError, match="is a BlackBox already"):
        sl.BlackBox(sl.BlackBox(len))


def test_clone_forgets_the_fit_of_an_estimator_and_keeps_functions(frame):
    X, y = frame
    X = X[["age", "income"]]
    box = sl.BlackBox(SVC(C=3).fit(X, y), batch_size=7)
    copied = clone(box)
    assert not hasattr(copied.model, "classes_")
    assert (copied.model.C, copied.batch_size) == (3, 7)
    assert clone(sl.BlackBox(len)).model is len
    boosted = catboost.CatBoostClassifier(cat_features=["town"], depth=3)
    assert clone(sl.BlackBox(boosted)).model.get_params() == boosted.get_params()


def test_no_rows_give_no_answers(frame):
    X, y = frame
    box = bound(SVC().fit(X[["age", "income"]], y), X[["age", "income"]])
    codes, probabilities = box.answers(X[["age", "income"]][:0])
    assert codes.shape == (0,)
    assert probabilities.shape == (0, 2)


def test_boxes_are_shown_and_pickled(frame):
    X, y = frame
    box = bound(SVC().fit(X[["age", "income"]], y), X[["age", "income"]])
    assert repr(box) == "BlackBox(SVC, 2 classes)"
    assert sl.show.to_text(box).startswith("SVC as a black box; predicts no or yes\n")
    assert "SVC as a black box" in box._repr_html_()
    assert str(sl.show.explain(box, X[["age", "income"]][:1])).endswith("A black box gives no reasons.")
    again = pickle.loads(pickle.dumps(box))
    assert (again.predict(Table.from_any(X[["age", "income"]])) == box.predict(X[["age", "income"]])).all()
