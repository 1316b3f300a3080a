"""The function ``measure``: whatever model, with or without labels, ensemble and probabilities."""

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.measure import NumberErrors

X, CODES = make_classification(
    600, 5, n_informative=4, n_redundant=0, weights=[0.95], flip_y=0.02, random_state=1
)
Y = np.where(CODES == 1, "yes", "no")
TRAIN, TEST = slice(0, None, 2), slice(1, None, 2)


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(10, max_depth=4, random_state=0).fit(X[TRAIN], Y[TRAIN])


@pytest.fixture(scope="module")
def tree(forest):
    return sl.DistilledTreeClassifier(forest, max_leaves=4, random_state=0, augment=200, refine=False).fit(
        X[TRAIN], Y[TRAIN]
    )


def test_model_ensemble_ordinary_tree_and_guess(tree, forest):
    ordinary = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X[TRAIN], Y[TRAIN])
    found = sl.measure(tree, X[TEST], Y[TEST], baseline=ordinary)
    assert list(found.qualities) == ["model", "ensemble", "ordinary tree of 4 leaves", "always no"]
    assert found.ensemble.accuracy.value == forest.score(X[TEST], Y[TEST])
    assert found.baseline.accuracy.value == ordinary.score(X[TEST], Y[TEST])
    assert found.guess.accuracy.value == (Y[TEST] == "no").mean()
    assert found.guess.auc.value == 0.5
    assert found.guess.average_precision.value == pytest.approx((Y[TEST] == "yes").mean())
    assert found.fidelity.overall.value == (tree.predict(X[TEST]) == forest.predict(X[TEST])).mean()
    assert found.is_imbalanced
    assert found.balance.focus_label == "yes"


def test_str_dict_frame_and_html(tree):
    found = sl.measure(tree, X[TEST], Y[TEST])
    lines = str(found).splitlines()
    assert lines[0].startswith("300 rows: no 9")
    assert lines[1].startswith("The classes are imbalanced.")
    heads = [line.split("  ")[0] for line in lines]
    assert heads.index("balanced accuracy") < heads.index("recall of yes") < heads.index("accuracy")
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["imbalanced"] is True
    assert document["model"]["recall"]["yes"]["rows"] == (Y[TEST] == "yes").sum()
    confusion = document["model"]["confusion"]
    assert sum(sum(line.values()) for line in confusion.values()) == 300
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["of", "measure", "class", "value", "low", "high", "rows"]
    assert (
        (frame.low <= frame.value + 1e-12) & (frame.value <= frame.high + 1e-12) | frame.value.isna()
    ).all()
    assert isinstance(found.to_frame("polars"), pl.DataFrame)
    assert "<th>recall of yes</th>" in found._repr_html_()
    assert "Rows by true class" in str(found)


def test_without_labels_only_fidelity_is_measured(tree):
    found = sl.measure(tree, X[TEST])
    assert found.model is found.ensemble is found.guess is None
    assert found.fidelity.overall.n_rows == 300
    assert "by the ensemble's labels" in str(found)
    with pytest.raises(sl.DataError, match=r"^There is nothing to measure: pass y, an ensemble, or both\.$"):
        sl.measure(tree.tree_, X[TEST])


def test_without_an_ensemble_only_quality_is_measured(tree):
    found = sl.measure(tree.tree_, X[TEST], Y[TEST])
    assert found.ensemble is found.fidelity is None
    assert found.model.auc is not None


def halfway(rows):
    return np.c_[rows[:, 0] <= 0, rows[:, 0] > 0] * 0.5 + 0.25


@pytest.mark.parametrize("kind", ["function", "labels only", "probabilities"])
def test_black_boxes(tree, kind):
    model = SVC().fit(X[TRAIN], Y[TRAIN])
    asked = {
        "function": lambda rows: np.where(rows[:, 0] > 0, "no", "yes"),
        "labels only": model,
        "probabilities": sl.BlackBox(
            lambda rows: np.c_[rows[:, 0] <= 0, rows[:, 0] > 0] * 0.5 + 0.25, ["no", "yes"]
        ),
    }[kind]
    found = sl.measure(asked, X[TEST], Y[TEST])
    assert found.model.accuracy.n_rows == 300
    assert (found.model.scores is None) == (kind != "probabilities")
    assert "accuracy" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)
    against = sl.measure(tree, X[TEST], Y[TEST], ensemble=asked)
    assert (against.fidelity.scores is None) == (kind != "probabilities")


@pytest.mark.parametrize(
    "estimator",
    [
        sl.RuleSetClassifier(max_rules=4, random_state=0),
        sl.StumpEnsembleClassifier(max_size=3, random_state=0),
        sl.MetaKNNClassifier(predict_with="meta", random_state=0),
        sl.ISMClassifier(max_leaves=4, random_state=0),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_every_kind_of_model(estimator):
    rows, labels = load_iris(return_X_y=True, as_frame=True)
    estimator.fit(rows[::2], labels[::2])
    found = sl.measure(estimator, rows[1::2], labels[1::2])
    assert found.model.accuracy.value == estimator.score(rows[1::2], labels[1::2])
    assert 0.5 < found.model.auc.value <= 1
    assert "recall of 2" in str(found)


def test_numbers():
    rows, numbers = make_regression(120, 4, noise=5, random_state=0)
    forest = RandomForestRegressor(5, random_state=0).fit(rows[::2], numbers[::2])
    tree = sl.DistilledTreeRegressor(forest, max_leaves=4, random_state=0).fit(rows[::2])
    found = sl.measure(tree, rows[1::2], numbers[1::2])
    assert isinstance(found.model, NumberErrors)
    assert found.model.value == NumberErrors.of(numbers[1::2], tree.predict(rows[1::2])).value
    assert found.fidelity.value == NumberErrors.of(forest.predict(rows[1::2]), tree.predict(rows[1::2])).value
    assert list(found.qualities) == ["model", "ensemble", "always the mean"]
    assert found.guess.value == 0.0
    assert "R² to the ensemble" in str(found)
    named = {"task", "rows", "weights", "model", "ensemble", "baseline", "mean", "fidelity", "difference"}
    assert set(found.to_dict()) == named
    weights = np.arange(60) % 3
    kept = weights > 0
    weighted = sl.measure(tree, rows[1::2], numbers[1::2], sample_weight=weights)
    repeated = np.repeat(np.arange(60), weights)
    alone = sl.measure(tree, rows[1::2][repeated], numbers[1::2][repeated])
    assert weighted.model.r2.value == pytest.approx(alone.model.r2.value)
    assert weighted.n_rows == kept.sum()
    assert found.to_dict()["weights"] is None
    assert weighted.to_dict()["weights"] == {"name": None, "effective_rows": pytest.approx(36)}
    assert "Rows are weighted: " in str(weighted)
    assert "the rows count as 36 of equal weight. 20 rows of weight 0 ignored." in str(weighted)


def test_a_second_tree_is_not_called_an_ensemble(forest):
    first, second = (
        sl.DistilledTreeClassifier(forest, max_leaves=n, random_state=0).fit(X[TRAIN], Y[TRAIN]).tree_
        for n in (3, 6)
    )
    found = sl.measure(first, X[TEST], Y[TEST], second)
    assert list(found.qualities)[:2] == ["model", "other tree"]
    assert "model minus other tree" in str(found)
    assert "ensemble" not in str(found)
    assert "by the other tree's labels" in str(sl.measure(first, X[TEST], None, second))


def test_weighted_measures_say_so_and_the_confusion_matrix_holds_weights():
    rows, labels = load_breast_cancer(return_X_y=True, as_frame=True)
    tree = sl.DistilledTreeClassifier(max_leaves=3, random_state=0).fit(rows[::2], labels[::2])
    exposure = pd.Series(np.linspace(0.01, 1, len(rows)), index=rows.index, name="exposure")[1::2]
    found = sl.measure(tree, rows[1::2], labels[1::2], sample_weight=exposure)
    assert "Rows are weighted by exposure: " in str(found)
    assert "Weight of the rows by true class (down)" in str(found)
    sums = [[f"{weight:,.2f}" for weight in line] for line in found.model.confusion]
    assert all(" ".join(line) in " ".join(str(found).split()) for line in sums)
    plain = str(sl.measure(tree, rows[1::2], labels[1::2]))
    assert "weight" not in plain
    assert "Rows by true class (down)" in plain


def test_rows_of_weight_0_do_not_count(tree):
    weights = (np.arange(300) % 2).astype(float)
    found = sl.measure(tree, X[TEST], Y[TEST], sample_weight=weights)
    other = sl.measure(tree, X[TEST][1::2], Y[TEST][1::2])
    assert found.n_rows == 150
    assert found.model.auc.value == pytest.approx(other.model.auc.value)
    assert found.fidelity.overall.value == pytest.approx(other.fidelity.overall.value)


def test_a_table_has_its_own_target(tree, tmp_path):
    path = tmp_path / "rows.csv"
    pd.DataFrame(X[TEST], columns=[f"x{i}" for i in range(5)]).assign(label=Y[TEST]).to_csv(path, index=False)
    table = sl.read_table(path, target="label")
    assert sl.measure(tree, table).model.accuracy.n_rows == 300


def test_the_positive_class_can_be_chosen(tree):
    found = sl.measure(tree, X[TEST], Y[TEST], positive="no")
    assert found.balance.focus_label == "no"
    assert found.model.average_precision.value > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"y": Y[:3]}, r"^X has 300 rows, but y has 3 labels\. Pass one label per row\.$"),
        (
            {"y": np.arange(300) % 2},
            "^y has the labels 0 and 1, but the classes of the model are 'no' and 'yes'",
        ),
        (
            {"y": Y[TEST], "confidence": 1.0},
            r"^The 'confidence' parameter of measure must be between 0 and 1, both excluded\. Got 1\.0",
        ),
        ({"y": Y[TEST], "X": X[:0]}, "while a minimum of 1 is required"),
    ],
)
def test_refusals(tree, options, message):
    with pytest.raises(sl.SightlineError, match=message):
        sl.measure(tree, **{"X": X[TEST], **options})


def test_wrong_parameters_are_refused(tree):
    wrong = [
        ({"positive": "YES"}, "positive names 'YES', but the model predicts 'no' and 'yes'."),
        ({"positive": np.array(["no"])}, "positive names array(['no'], dtype='<U2'), but the model predicts"),
        *(
            ({"confidence": value}, "The 'confidence' parameter of measure must be between 0 and 1, both")
            for value in (None, "x", np.array([0.5]), True)
        ),
    ]
    for parameters, text in wrong:
        with pytest.raises(ParameterError, match=f"^{re.escape(text)}"):
            sl.measure(tree, X[TEST], Y[TEST], **parameters)
