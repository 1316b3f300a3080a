"""Black boxes that predict numbers: who says so, what is refused, and what changes are noticed."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import SVR

import sightline as sl
from sightline.table import Table

X = pd.DataFrame({"age": np.arange(50.0), "income": np.arange(50.0)[::-1] ** 2})


def bound(model, **options):
    return sl.BlackBox(model, **options).bound(X, Table.from_any(X), task="numbers")


def total(rows):
    return rows["age"] + rows["income"] / 7


def test_answers_are_the_numbers_in_one_column_and_codes_of_zero():
    model = LinearRegression().fit(X, total(X))
    box = bound(model, batch_size=20)
    codes, numbers = box.answers(Table.from_any(X))
    assert codes.tolist() == [0] * 50
    assert numbers[:, 0] == pytest.approx(model.predict(X))
    assert (box.predict(X) == numbers[:, 0]).all()
    assert (box.task, box.classes_, box.n_classes) == ("numbers", None, 0)
    assert box.answers(X[:0])[1].shape == (0, 1)
    with pytest.raises(AttributeError, match="predicts numbers: it has no class probabilities"):
        box.predict_proba(X)


def test_a_model_says_what_it_predicts_and_a_function_is_told():
    assert sl.BlackBox(SVR()).known_task == "numbers"
    assert sl.BlackBox(LogisticRegression()).known_task == "classes"
    assert sl.BlackBox(total, classes=["a", "b"]).known_task == "classes"
    assert sl.BlackBox(total).known_task is None
    assert (sl.BlackBox(total, task="numbers").predict(X) == total(X)).all()
    assert clone(sl.BlackBox(total, task="numbers")).task == "numbers"


@pytest.mark.parametrize(
    ("model", "task", "text"),
    [
        (SVR(), "classes", "SVR is a regressor, but a classifier is needed here."),
        (
            LogisticRegression(),
            "numbers",
            "LogisticRegression is a classifier, but a regressor is needed here.",
        ),
    ],
)
def test_the_other_task_is_refused(model, task, text):
    with pytest.raises(sl.UnsupportedModelError) as caught:
        sl.BlackBox(model).bound(X, Table.from_any(X), task=task)
    assert str(caught.value) == text


@pytest.mark.parametrize("options", [{"task": "ranks"}, {"task": "numbers", "classes": ["a", "b"]}])
def test_a_bad_task_is_refused(options):
    with pytest.raises(
        sl.ParameterError, match="The 'task' parameter of BlackBox must be 'classes' or 'numbers'"
    ):
        sl.BlackBox(total, **options)


WRONG_ANSWERS = {
    "NaN": (lambda rows: np.where(rows["age"] > 3, np.nan, 1.0), "<lambda> gave row 4 no number (NaN)."),
    "infinite": (lambda rows: np.full(len(rows), -np.inf), "<lambda> gave row 0 an infinite number."),
    "too few": (
        lambda rows: [1.0],
        "<lambda> returned an array of shape (1,) for rows 0 to 49. It must return one number per row.",
    ),
    "nothing": (
        lambda rows: None,
        "an array of shape () for rows 0 to 49. It must return one number per row.",
    ),
    "two outputs": (
        lambda rows: np.zeros((len(rows), 2)),
        "returned 2 numbers per row for rows 0 to 49. A black box must give one number per row: pass one "
        "model per number.",
    ),
    "three dimensions": (lambda rows: np.zeros((len(rows), 2, 2)), "an array of shape (50, 2, 2)"),
    "text": (
        lambda rows: ["high"] * len(rows),
        "returned 'high' for row 0, which is not a number. A model that predicts classes needs a classifier, "
        "such as DistilledTreeClassifier.",
    ),
}


@pytest.mark.parametrize("case", WRONG_ANSWERS)
def test_wrong_numbers_are_refused_in_a_sentence(case):
    function, text = WRONG_ANSWERS[case]
    with pytest.raises(sl.DataError) as caught:
        bound(function).answers(X)
    assert text in str(caught.value)


def test_one_column_whole_numbers_and_booleans_are_numbers():
    for answer in (
        lambda rows: total(rows).to_numpy()[:, None],
        lambda rows: rows["age"] > 3,
        lambda rows: range(50),
    ):
        assert bound(answer).predict(X).dtype == np.float64


def test_numbers_that_change_are_counted_but_rounding_is_not():
    random = np.random.default_rng(0)
    table = Table.from_any(X)
    for noise, least in ((0.0, 0), (1e-9, 0), (0.3, 45)):
        box = bound(lambda rows, noise=noise: total(rows) * (1 + noise * random.normal(size=len(rows))))
        n_changed, n_asked = box.n_changed(table, box.predict(X))
        assert n_asked == 50
        assert n_changed >= least
        assert least or n_changed == 0
    batch = bound(lambda rows: rows["age"] - rows["age"].mean())
    assert batch.n_changed(table, batch.predict(X))[0] >= 40
    huge = bound(lambda rows: rows["age"] * 1e300)
    assert huge.n_changed(table, huge.predict(X))[0] == 0


def test_boxes_of_numbers_are_shown_and_pickled():
    box = bound(LinearRegression().fit(X, total(X)))
    assert repr(box) == "BlackBox(LinearRegression, numbers)"
    assert sl.show.to_text(box).startswith("LinearRegression as a black box; predicts a number\n")
    text = str(sl.show.explain(box, X[:1]))
    assert text == f"Predicts {total(X)[0]:g}. A black box gives no reasons."
    assert (pickle.loads(pickle.dumps(box)).predict(X) == box.predict(X)).all()
