"""Data like adult with 1% positives and a balanced LightGBM: the page must tell what accuracy hides."""

import re
from pathlib import Path

import lightgbm
import numpy as np
import pytest
from absent import NO_DATA_SETS
from rare_people import rare_people
from sklearn.compose import make_column_transformer
from sklearn.metrics import average_precision_score, recall_score, roc_auc_score
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.class_weight import compute_sample_weight

import sightline as sl

N_LEAVES, MIN_LEAF = 16, 5

ADULT = Path(__file__).resolve().parents[3] / "shared" / "datasets" / "adult.arff.gz"


def balanced_booster(X, y):
    options = {"n_estimators": 60, "class_weight": "balanced", "n_jobs": 1, "random_state": 0, "verbose": -1}
    return lightgbm.LGBMClassifier(**options).fit(X, y)


@pytest.fixture(scope="module")
def people():
    (X_train, y_train), (X, y) = rare_people(12_000), rare_people(12_000, seed=100)
    return X_train, y_train, X, y, balanced_booster(X_train, y_train)


@pytest.fixture(scope="module")
def tree(people):
    X_train, y_train, _, _, booster = people
    return sl.DistilledTreeClassifier(booster, N_LEAVES, random_state=0).fit(X_train, y_train)


@pytest.fixture(scope="module")
def report(people, tree):
    _, _, X, y, _ = people
    return sl.report(tree, X, y, sizes=(4,), max_seconds=1)


def test_the_first_sentence_tells_recall_auc_and_what_is_lost(report, people, tree):
    _, _, X, y, booster = people
    first = report.to_text().splitlines()[0]
    found = re.fullmatch(
        r"This tree of 16 leaves finds ([\d.]+)% of the (\d+) rows with rich, where the 60 trees find "
        r"([\d.]+)% \(recall: ([\d.]+) points lower, 95% interval \S+ to \S+ points lower\); its AUC is "
        r"([\d.]+) instead of ([\d.]+) \(([\d.]+) lower, 95% interval \S+ to \S+ lower\)\.",
        first,
    )
    assert found, first
    own, n_rows, theirs, lost, own_auc, their_auc, lost_auc = found.groups()
    recalls = [recall_score(y, model.predict(X), pos_label="rich") for model in (tree, booster)]
    assert int(n_rows) == (y == "rich").sum() < 0.015 * len(y)
    assert [float(own), float(theirs)] == pytest.approx([100 * recall for recall in recalls], abs=0.051)
    assert float(lost) == pytest.approx(100 * abs(recalls[0] - recalls[1]), abs=0.051)
    areas = [roc_auc_score(y == "rich", model.predict_proba(X)[:, 1]) for model in (tree, booster)]
    assert [float(own_auc), float(their_auc)] == pytest.approx(areas, abs=0.00051)
    assert float(lost_auc) == pytest.approx(abs(areas[0] - areas[1]), abs=0.00051)


def test_balanced_measures_come_first_and_say_why(report):
    lines = report.to_text().splitlines()
    assert re.fullmatch(
        r"[\d.]+% of 12,000 rows are rich, so balanced measures, which count every class the same, come "
        r"first\.",
        lines[1],
    )
    assert lines[2].startswith("Balanced accuracy: the 60 trees ")
    assert lines[2].endswith(", always other 50.0%.")
    assert "an ordinary tree of 16 leaves" in lines[2]
    assert lines[3].startswith("Average precision: ")
    assert "if every label counts the same (balanced fidelity, 95% interval" in lines[4]
    metrics = report.metrics
    assert metrics["measures"]["imbalanced"] is True
    assert metrics["measures"]["model"]["average_precision"]["rows"] == 12_000
    assert metrics["majority_accuracy"]["share"] > 0.98
    assert metrics["fidelity"]["balanced"]["value"] < metrics["fidelity"]["share"]


def test_sizes_are_suggested_by_balanced_fidelity(report):
    curve = report.evidence.curve
    assert curve.measure == "balanced share"
    assert curve.fidelity[-1] == pytest.approx(report.evidence.measures.fidelity.balanced.value)


def test_without_labels_the_first_sentence_is_about_the_rarest_label(people, tree):
    _, _, X, _, booster = people
    first = sl.report(tree, X, sizes=(), max_seconds=1).to_text().splitlines()[0]
    n_rows = (booster.predict(X) == "rich").sum()
    assert re.fullmatch(
        rf"This tree of 16 leaves gives the same label to [\d.]+% of the {n_rows:,} rows that the 60 trees "
        r"label rich \(95% interval [\d.]+% to [\d.]+%\)\.",
        first,
    )


def surrogates(X_train, X, booster):
    """Return the scores of scikit-learn's trees that imitate the booster's labels or probabilities."""
    nominal = list(X_train.select_dtypes("category").columns)
    encoder = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal), remainder="passthrough"
    )
    known, unseen = encoder.fit_transform(X_train), encoder.transform(X)
    labels = booster.predict(X_train) == booster.classes_[1]
    probabilities = booster.predict_proba(X_train)[:, 1]
    weights = compute_sample_weight("balanced", labels)
    options = {"max_leaf_nodes": N_LEAVES, "min_samples_leaf": MIN_LEAF, "random_state": 0}
    return {
        "labels": DecisionTreeClassifier(**options).fit(known, labels).predict_proba(unseen)[:, 1],
        "balanced labels": DecisionTreeClassifier(**options)
        .fit(known, labels, weights)
        .predict_proba(unseen)[:, 1],
        "probabilities": DecisionTreeRegressor(**options).fit(known, probabilities).predict(unseen),
        "balanced probabilities": DecisionTreeRegressor(**options)
        .fit(known, probabilities, weights)
        .predict(unseen),
    }


def precisions(X_train, y_train, X, y):
    """Return the average precision of our tree and of every surrogate of the same size.

    There may be more positive rows than 1%: they count as much as 1% would.
    """
    booster = balanced_booster(X_train, y_train)
    scores = surrogates(X_train, X, booster)
    for name, class_weight in (("ours", None), ("ours, balanced", "balanced")):
        ours = sl.DistilledTreeClassifier(
            booster, N_LEAVES, class_weight=class_weight, min_leaf=MIN_LEAF, random_state=0
        )
        scores[name] = ours.fit(X_train, y_train).predict_proba(X)[:, 1]
    is_positive = y == booster.classes_[1]
    weights = np.where(is_positive, (~is_positive).sum() / (99 * is_positive.sum()), 1.0)
    return {
        name: average_precision_score(is_positive, score, sample_weight=weights)
        for name, score in scores.items()
    }


def check_precisions(samples):
    """No surrogate has a better average precision, on the mean over these samples."""
    found = [precisions(*sample) for sample in samples]
    means = {name: np.mean([one[name] for one in found]) for name in found[0]}
    ours = [means.pop("ours"), means.pop("ours, balanced")]
    assert min(ours) >= max(means.values()), (ours, means)


@pytest.mark.thorough
def test_no_surrogate_of_the_same_size_is_more_precise():
    check_precisions((*rare_people(12_000, seed), *rare_people(20_000, seed + 100)) for seed in range(3))


def adult_cuts(seeds):
    """Yield halves of the data set adult, with 1% positives in training.

    The other half has all positives that are left: which of few it gets would decide about precision.
    """
    table = sl.read_table(ADULT)
    frame, labels = table.X.to_pandas(), np.asarray(table.y)
    for seed in seeds:
        random = np.random.default_rng(seed)
        negative, positive = np.flatnonzero(labels == "<=50K"), np.flatnonzero(labels == ">50K")
        kept = np.sort(np.r_[negative, random.choice(positive, len(negative) // 99, replace=False)])
        order = kept[random.permutation(len(kept))]
        train, test = np.sort(order[: len(kept) // 2]), order[len(kept) // 2 :]
        rest = np.sort(np.r_[test, np.setdiff1d(positive, kept)])
        yield frame.iloc[train], labels[train], frame.iloc[rest], labels[rest]


@pytest.mark.thorough
@pytest.mark.skipif(not ADULT.exists(), reason=NO_DATA_SETS)
def test_no_surrogate_of_the_same_size_is_more_precise_on_adult():
    check_precisions(adult_cuts(range(6)))


@pytest.mark.skipif(not ADULT.exists(), reason=NO_DATA_SETS)
def test_the_page_of_adult_begins_with_recall():
    X_train, y_train, X, y = next(adult_cuts([0]))
    # One in a hundred, as in training.
    rare = np.flatnonzero(y == ">50K")[:182]
    kept = np.sort(np.r_[np.flatnonzero(y != ">50K"), rare])
    X, y = X.iloc[kept], y[kept]
    booster = balanced_booster(X_train, y_train)
    tree = sl.DistilledTreeClassifier(booster, N_LEAVES, refine=False, random_state=0).fit(X_train, y_train)
    first = sl.report(tree, X, y, sizes=(), max_seconds=1).to_text().splitlines()[0]
    pattern = r"This tree of 16 leaves finds [\d.]+% of the 182 rows with >50K, where the 60 trees find"
    assert re.match(pattern, first)
    assert "its AUC is 0." in first


def test_of_several_classes_the_first_sentence_tells_the_balanced_accuracy():
    X = np.arange(200.0)[:, None]
    y = np.where(X[:, 0] < 95, "low", np.where(X[:, 0] < 190, "middle", "high"))
    tree = sl.C45Classifier().fit(X[::2], y[::2])
    lines = sl.report(tree, X[1::2], y[1::2]).to_text().splitlines()
    assert re.fullmatch(
        r"This tree of 3 leaves labels [\d.]+% of the rows correctly if all 3 classes count the same "
        r"\(balanced accuracy, 95% interval [\d.]+% to [\d.]+%\); its AUC is [\d.]+\.",
        lines[0],
    )
    assert lines[1].startswith("5.0% of 100 rows are high, so balanced measures")
