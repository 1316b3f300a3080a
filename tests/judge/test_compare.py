import subprocess
import sys
from itertools import pairwise

import joblib
import numpy as np
import pandas as pd
import pytest
from dask_cluster import joblib_on_dask
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.judge._comparison import MethodComparison, MethodResult
from sightline.judge._methods import TEACHER, UNCOUNTED, built_in_methods
from sightline.lab._encoding import OneHotColumns
from sightline.lab._protocol import Protocol

METHODS = built_in_methods()
COUNTED = {method.name for method in METHODS if method.kind not in UNCOUNTED}
SOME = ["C4.5 tree", "distilled tree, 16 leaves", "20 rules"]


@pytest.fixture(scope="module")
def frame():
    random = np.random.RandomState(0)
    size, colour = random.normal(size=90).round(2), random.choice(["red", "blue", "green"], size=90)
    noise = random.uniform(size=90) < 0.1
    label = np.where(((size > 0) & (colour != "red")) ^ noise, "yes", "no")
    X = pd.DataFrame({"size": size, "colour": colour})
    X.loc[::11, "size"] = np.nan
    return X, label


@pytest.fixture(scope="module")
def everything(frame):
    return sl.compare(*frame, n_folds=3)


def test_every_method_is_there(everything):
    assert [result.name for result in everything.results[:2]] == ["C4.5 tree", TEACHER]
    assert {result.name for result in everything.results} == {TEACHER, *(method.name for method in METHODS)}
    for result in everything.results:
        assert 0.4 < result.accuracy <= 1
        assert np.isfinite(result.tests) == (result.name in {TEACHER, *COUNTED})
    assert everything[TEACHER].fidelity == 1.0
    assert everything[TEACHER].against_teacher is None
    assert everything["20 rules"].tests < everything["rule set"].tests


def test_former_names_of_methods_are_accepted(frame, everything):
    """The only name in British spelling stood beside "nearest-neighbor classifiers"."""
    assert "neighbour" not in str(everything)
    found = sl.compare(*frame, methods=["neighbours on subspaces"], n_folds=2)
    assert [result.name for result in found.results] == [TEACHER, "neighbors on subspaces"]
    assert found["neighbours on subspaces"] is found["neighbors on subspaces"]
    with pytest.raises(ParameterError, match="There is already a method 'neighbours on subspaces'"):
        sl.compare(*frame, extra={"neighbours on subspaces": GaussianNB()})


def test_front_and_choice(everything):
    front = everything.front()
    for smaller, larger in pairwise(front):
        assert smaller.tests < larger.tests
        assert smaller.accuracy < larger.accuracy
    assert front[-1].accuracy == everything.best.accuracy
    for result in everything.results:
        if result.name not in COUNTED:
            continue
        assert any(it.tests <= result.tests and it.accuracy >= result.accuracy for it in front)
    assert everything.simplest.is_near_teacher


def result(name, accuracy, tests, t):
    return MethodResult(name, "tree", "", "accuracy", 0.0, 1.0, tests, 0.0, None, None, t >= -1, accuracy)


def comparison_of(frame, *results):
    X, y = sl.Table.from_any(frame[0]), sl.Labels.from_any(frame[1])
    return MethodComparison("fruit", X, y, Protocol(1, 3), 0.05, results)


def test_not_significantly_worse_is_not_as_good(frame):
    """With few rows nothing is significantly worse, so the choice asks for one standard error."""
    small, middle = result("guess", 0.70, 1.0, -1.8), result("tree", 0.74, 9.0, -0.5)
    whole = result(TEACHER, 0.75, 900.0, 0.0)
    found = comparison_of(frame, small, middle, whole)
    assert found.simplest is middle
    label, share = found.guess
    assert share == max(frame[1].tolist().count(each) for each in ("yes", "no")) / 90
    assert found.sentences() == [
        f"Most accurate: {TEACHER}. It labels 75.0% of unseen rows correctly. Always predicting "
        f"{label} would be right for {100 * share:.1f}%.",
        f"The simplest method that is about as accurate as {TEACHER} (75.0%, 900 tests): tree, 74.0% with "
        "9 tests to read. Here, about as accurate means at most one standard error of the difference below "
        'it, which is stricter than "may be chance" in the table.',
    ]
    assert comparison_of(frame, small, whole).sentences()[1] == (
        f"No method with at most half as many tests is about as accurate as {TEACHER} (75.0%, 900 tests)."
    )


def test_a_model_of_the_same_size_is_not_simpler(frame):
    whole, other = result(TEACHER, 0.75, 900.0, 0.0), result("another forest", 0.75, 899.0, 0.0)
    assert comparison_of(frame, other, whole).simplest is whole
    half = result("half a forest", 0.74, 450.0, -0.5)
    assert comparison_of(frame, half, other, whole).simplest is half


def test_no_method_is_best_if_none_beats_the_most_frequent_label(frame):
    label, share = comparison_of(frame, result(TEACHER, 0.75, 900.0, 0.0)).guess
    small, whole = result("tree", share, 9.0, 0.0), result(TEACHER, share - 0.1, 900.0, 0.0)
    found = comparison_of(frame, small, whole)
    assert found.sentences() == [
        f"No method beats always predicting {label} in accuracy. The one that comes closest is tree: it "
        f"labels {100 * share:.1f}% of unseen rows correctly. Always predicting {label} would be right for "
        f"{100 * share:.1f}%."
    ]
    assert 'class="chosen"' not in found.to_html()
    assert "The shaded method" not in found.to_html()
    assert "The shaded method" in comparison_of(frame, result(TEACHER, 0.95, 900.0, 0.0)).to_html()


def test_the_caption_mentions_only_lines_that_are_drawn(frame):
    """It explained a dashed line that a plot with one point on the front does not have."""
    small, middle, whole = (
        result(name, 0.8, n, 0.0) for name, n in (("a", 5.0), ("b", 9.0), (TEACHER, 90.0))
    )
    page = comparison_of(frame, small, middle, whole).to_html()
    assert "No method is simpler or more accurate than a. The dotted line is" in page
    assert "dashed line" not in page
    page = comparison_of(frame, small, result("b", 0.9, 9.0, 0.0), whole).to_html()
    assert "No method is both simpler and more accurate than those on the dashed line." in page
    unsized = comparison_of(frame, result(TEACHER, 0.8, np.nan, 0.0)).words.caption([])
    expected = (
        "the share of unseen rows that it labels correctly. The dotted line is the most frequent label."
    )
    assert unsized == expected


def test_folds_without_a_rare_label_of_the_ensemble_do_not_make_a_model_balanced():
    """A tree that never says yes had a balanced fidelity of 85%: in most folds, the ensemble never did."""
    X = np.random.default_rng(0).normal(size=(300, 1))
    y = np.where(X[:, 0] > 2.3, "yes", "no")
    ensemble = DecisionTreeClassifier(max_depth=1).fit(X, y)
    assert 0 < (ensemble.predict(X) == "yes").sum() < 6
    never = DummyClassifier(strategy="most_frequent")
    found = sl.compare(
        X, y, methods=["C4.5 tree"], ensemble=sl.load(ensemble), extra={"never": never}, n_folds=6
    )
    assert found["never"].balanced_fidelity == 0.5


def test_rare_classes_count_as_much_as_frequent_ones():
    """A tree that never says yes is right for 95% of the rows, and still not the best or simplest."""
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 2))
    y = np.where(X[:, 0] > np.quantile(X[:, 0], 0.95), "yes", "no")
    never = DummyClassifier(strategy="most_frequent")
    found = sl.compare(X, y, methods=["C4.5 tree"], extra={"never": never}, n_folds=3)
    assert found["never"].accuracy == pytest.approx(0.95, abs=0.001)
    assert found["never"].score == found["never"].balanced_accuracy == 0.5
    assert found["never"].auc == 0.5
    assert found["never"].balanced_fidelity == 0.5
    assert found["C4.5 tree"].score > 0.8
    assert found.best.name != "never"
    assert found.guess == ("no", 0.5)
    reason, best, _ = found.sentences()
    assert reason == (
        "The classes are imbalanced: 5.0% of the rows are yes. Methods are compared by balanced accuracy, "
        "which counts every class the same."
    )
    assert best.endswith("Always predicting no would reach 50.0%.")
    head = found.to_text().splitlines()[2].split("  ")
    assert [name.strip() for name in head if name.strip()][:4] == [
        "method",
        "balanced accuracy",
        "AUC",
        "accuracy",
    ]
    assert "balanced fidelity" in found.to_html()
    assert set(found.to_dict()[0]) >= {"balanced_accuracy", "auc", "average_precision", "balanced_fidelity"}


def test_text_page_and_picture(everything, tmp_path):
    text = everything.to_text()
    assert text.startswith("the data: 90 rows, 2 columns, 2 classes; 3-fold cross-validation\n")
    assert text == repr(everything)
    assert "Most accurate: " in text
    page = everything.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page
    assert "How to read this" in page
    assert page.count("<svg") == 1
    names = {child.get_text() for child in everything.plot().texts}
    assert names >= COUNTED
    assert len(everything.to_dict()) == len(METHODS) + 1


def test_other_estimators_can_be_added(frame):
    X, y = frame
    pipeline = make_pipeline(make_column_transformer((OneHotEncoder(), ["colour"])), LogisticRegression())
    found = sl.compare(
        X.fillna(0), y, methods=SOME[:1], extra={"bayes": GaussianNB(), "own": pipeline}, n_folds=3
    )
    assert [result.name for result in found.results] == ["C4.5 tree", TEACHER, "bayes", "own"]
    assert np.isnan(found["bayes"].tests)
    assert "bayes" not in {child.get_text() for child in found.plot().texts}
    assert " – " in found.to_text()  # noqa: RUF001 - a dash


def test_another_ensemble_is_imitated(frame):
    found = sl.compare(*frame, methods=SOME, ensemble=RandomForestClassifier(10), n_folds=3)
    assert found[TEACHER].description == "RandomForestClassifier"
    assert found["distilled tree, 16 leaves"].fidelity > 0.7
    assert found.X.names == ["size", "colour = blue", "colour = green", "colour = red"]


def test_a_table_with_a_target_needs_no_labels(frame):
    X, y = frame
    table = sl.Table(sl.Table.from_any(X).columns, sl.Labels.from_any(y), name="fruit")
    found = sl.compare(table, methods=SOME[:1], n_folds=3)
    assert found.name == "fruit"
    apart = sl.compare(X, y, methods=SOME[:1], n_folds=3)
    assert found["C4.5 tree"].accuracy == apart["C4.5 tree"].accuracy


def test_same_numbers_for_any_number_of_workers(frame):
    first = sl.compare(*frame, methods=SOME, n_folds=3).to_dict()
    with joblib.parallel_config(backend="threading"):
        second = sl.compare(*frame, methods=SOME, n_folds=3, n_jobs=2).to_dict()
    with joblib_on_dask():
        third = sl.compare(*frame, methods=SOME, n_folds=3, n_jobs=-1).to_dict()
    for results in (second, third):
        for one, other in zip(first, results, strict=True):
            assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_names_cannot_break_the_page(frame):
    name = "<b>$x_1"
    found = sl.compare(*frame, methods=SOME[:1], extra={name: sl.C45Classifier(prune=False)}, n_folds=3)
    page = found.to_html()
    assert "<b>$" not in page
    assert "&lt;b&gt;$x_1" in page


def test_every_method_accepts_a_column_without_values():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=60), "nothing": np.full(60, np.nan)})
    found = sl.compare(X, X.x > 0, methods=["gradient boosting", "scikit-learn tree"], n_folds=2)
    assert {"gradient boosting", "scikit-learn tree"} <= {result.name for result in found.results}
    some = X.assign(nothing=1.0)
    assert OneHotColumns().fit(X).transform(some).tolist() == [[value, 0.0] for value in X.x]


def test_one_column_per_category(frame):
    X, _ = frame
    matrix = OneHotColumns().fit(X).transform(X)
    assert matrix.shape == (90, 4)
    assert np.isnan(matrix[0, 0])
    assert (matrix[:, 1:].sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"y": None}, "compare needs labels or numbers. Pass y, or a table with a target."),
        ({"y": ["a"] * 90}, "All 90 rows have the same label. There is nothing to compare."),
        ({"y": ["a", "b"]}, "X has 90 rows, but y has 2 labels."),
        (
            {"methods": ["oracle"]},
            f"There is no method 'oracle'. Choose from: {'; '.join(method.name for method in METHODS)}.",
        ),
        (
            {"extra": {"CMM tree": GaussianNB()}},
            "There is already a method 'CMM tree'. Choose another name.",
        ),
        (
            {"extra": {"bayes": 3}},
            "The method 'bayes' must be an unfitted estimator. Got 3 instead.",
        ),
    ],
)
def test_errors(frame, change, text):
    X, y = frame
    options = {"y": y} | change
    with pytest.raises(sl.SightlineError) as error:
        sl.compare(X, n_folds=3, **options)
    assert str(error.value) == text


def test_judge_loads_the_lab_only_to_compare():
    """Proofs and measures load no runner; a comparison loads the runner, but no paper."""
    code = (
        "import sys, sightline as sl; sl.certify; from sightline.judge import fidelity; "
        "print('sightline.lab' in sys.modules); "
        "sl.compare([[0.0], [1.0]] * 4, ['a', 'b'] * 4, methods=['C4.5 tree'], n_folds=2); "
        "print('sightline.lab' in sys.modules, 'sightline.lab.papers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\nTrue False\n"


def test_options_are_those_of_the_trees_that_imitate(frame):
    X, y = frame
    names = ["C4.5 tree", "distilled tree, 16 leaves", "ISM tree"]
    options = {"max_features": 1, "exclude": [X.columns[0]]}
    found = sl.compare(X, y, methods=names, options=options, n_folds=2)
    plain = sl.compare(X, y, methods=names, n_folds=2)
    tests = {
        one.name: (one.tests, other.tests) for one, other in zip(found.results, plain.results, strict=True)
    }
    assert tests["C4.5 tree"][0] == tests["C4.5 tree"][1]
    assert tests["distilled tree, 16 leaves"][0] < tests["distilled tree, 16 leaves"][1]
    with pytest.raises(
        sl.SightlineError, match="compare cannot set 'threshold': the tree would follow other"
    ):
        sl.compare(X, y, options={"threshold": 0.2}, n_folds=2)
    with pytest.raises(
        sl.SightlineError, match=r"No compared tree has a parameter 'depth'\. Choose from: .*max_depth"
    ):
        sl.compare(X, y, methods=names, options={"depth": 2}, n_folds=2)
    with pytest.raises(
        sl.SightlineError, match="Choose from: nothing, because no tree imitates the ensemble"
    ):
        sl.compare(X, y, methods=["C4.5 tree"], options={"min_leaf": 2}, n_folds=2)
