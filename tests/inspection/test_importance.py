"""Which columns matter: the share of rows that are tested, and the fidelity that shuffling costs."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from show.hand_trees import leaf, plant, threshold
from sklearn.ensemble import RandomForestRegressor
from sklearn.metrics import r2_score

import sightline as sl
from sightline.inspection import ColumnImportanceDisplay, Inspected, column_importances, share_tested
from sightline.inspection._importance import with_shuffled
from sightline.table import Feature, Table


def columns_on_the_way(tree, row):
    """Walk down by hand."""
    core, node, seen = tree.core, 0, set()
    while core.test[node] != 0:
        feature = int(core.feature[node])
        seen.add(feature)
        branch = int(row[feature] > core.threshold[node])
        node = int(core.child[core.branch_begin[node] + branch])
    return seen


def test_share_of_rows_whose_answer_passes_a_test():
    random = np.random.default_rng(0)
    X = random.uniform(size=(300, 5))
    y = np.where((X[:, 0] > 0.5) ^ (X[:, 1] > 0.3) ^ (X[:, 2] > 0.8), "a", "b")
    tree = sl.C45Classifier(binary_splits=True).fit(X, y).tree_
    paths = [columns_on_the_way(tree, row) for row in X]
    expected = [np.mean([feature in path for path in paths]) for feature in range(5)]
    assert tree.n_leaves > 6
    np.testing.assert_allclose(share_tested(tree, Table.from_any(X)), expected)


def test_shuffling_keeps_values_and_moves_only_its_column():
    X = np.arange(40.0).reshape(10, 4)
    random = np.random.default_rng(0)
    orders = [random.permutation(10), random.permutation(10)]
    copies = Table.from_any(np.vstack([X, X]))
    for shuffled, order in zip(
        np.split(np.asarray(with_shuffled(copies, 1, orders)), 2), orders, strict=True
    ):
        np.testing.assert_array_equal(shuffled[:, [0, 2, 3]], X[:, [0, 2, 3]])
        np.testing.assert_array_equal(shuffled[:, 1], X[order, 1])


@pytest.fixture(scope="module")
def loans():
    return sl.make_loans(600)


@pytest.fixture(scope="module")
def tree(loans):
    return sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(loans[:400].X, loans[:400].y)


def test_lost_fidelity_is_that_of_shuffled_rows(loans, tree):
    """Measured again with frames: labels before and after, and the mean over the repeats."""
    unseen = loans[400:].to_pandas().drop(columns=loans.target_name, errors="ignore")[loans.X.names]
    inspected = Inspected.of(tree, loans[400:].X, None, None, 1000)
    found = {column.name: column for column in column_importances(inspected, n_repeats=3, random_state=7)}
    random = np.random.default_rng(7)
    orders = [random.permutation(200) for _ in range(3)]
    truth = tree.ensemble_.predict(unseen)
    for name, column in found.items():
        shuffled = [unseen.assign(**{name: unseen[name].to_numpy()[order]}) for order in orders]
        for model, lost in ((tree, column.lost), (tree.ensemble_, column.ensemble_lost)):
            fidelity = [np.mean(model.predict(rows) == truth) for rows in shuffled]
            assert lost.value == pytest.approx(np.mean(model.predict(unseen) == truth) - np.mean(fidelity))
            assert lost.low <= lost.value <= lost.high
    assert list(found) == sorted(
        found, key=lambda name: (-found[name].lost.value, -found[name].ensemble_lost.value)
    )
    assert found["checking account"].lost.low > 0.1


def test_numbers_lose_r2():
    random = np.random.default_rng(0)
    X = random.uniform(size=(400, 3))
    forest = RandomForestRegressor(10, max_depth=4, random_state=0).fit(X[:200], 5 * X[:200, 0] + X[:200, 1])
    tree = sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0).fit(X[:200])
    (first, *_) = column_importances(Inspected.of(tree, X[200:], None, None, 1000), n_repeats=1)
    shuffled = X[200:].copy()
    shuffled[:, 0] = shuffled[np.random.default_rng(0).permutation(200), 0]
    truth = forest.predict(X[200:])
    assert first.name == "x0"
    assert first.lost.value == pytest.approx(
        r2_score(truth, tree.predict(X[200:])) - r2_score(truth, tree.predict(shuffled)), abs=1e-6
    )


def test_copies_of_wide_rows_are_asked_about_one_by_one(loans, tree, monkeypatch):
    inspected = Inspected.of(tree, loans[400:].X, None, None, 1000)
    at_once = column_importances(inspected, n_repeats=3)
    monkeypatch.setattr("sightline.inspection._importance.MAX_CELLS", 1)
    assert column_importances(inspected, n_repeats=3) == at_once


def test_columns_that_only_the_ensemble_tests_cost_the_model_nothing(loans, tree):
    columns = ColumnImportanceDisplay.from_estimator(tree, loans[400:].X).columns
    untested = [column for column in columns if column.tested == 0]
    assert untested
    assert all(column.lost.value == column.lost.low == column.lost.high == 0 for column in untested)
    assert any(column.ensemble_lost.value > 0 for column in untested)


def test_same_seed_same_numbers_and_rules_too(loans):
    rules = sl.RuleSetClassifier(max_rules=6, random_state=0).fit(loans[:400].X, loans[:400].y)
    first, again = (ColumnImportanceDisplay.from_estimator(rules, loans[400:].X).columns for _ in range(2))
    assert first == again
    assert first[0].tested is None


def test_page_has_one_line_per_column():
    X = np.random.default_rng(0).uniform(size=(200, 3))
    tree = plant(threshold(1, 0.5, leaf(9, 1), leaf(1, 9)), [Feature(f"x{i}") for i in range(3)], ["a", "b"])
    page = sl.report(tree, X, ensemble=tree).to_html()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])
    part = next(part for part in data["parts"] if part["kind"] == "importance")
    (line,) = part["lines"]
    assert line[:3] == ["x1", "100%", "100%"]
    assert line[3] == line[4]
    assert re.fullmatch(r"[45]\d\.\d% \(\d\d\.\d% to \d\d\.\d%\)", line[3])
    assert part["heads"][3] == "Lost when shuffled: tree"
    assert part["note"].startswith("On 200 rows, shuffled 5 times; 95% intervals. Tested: ")


def test_an_ensemble_may_know_fewer_categories_than_the_model():
    rng = np.random.default_rng(0)
    code = np.arange(900) % 150
    X = pd.DataFrame({"code": [f"{one:05d}" for one in code], "score": rng.normal(size=900)})
    y = np.where((X["score"] > 0) ^ (rng.random(900) < 0.1), "yes", "no")
    stumps = sl.StumpEnsembleClassifier(max_size=1, nominal="binary", random_state=0).fit(X, y)
    tree = sl.DistilledTreeClassifier(max_leaves=4, augment=0, random_state=0).fit(X, y)
    known = [len(one.ensemble_.schema.features[0].categories) for one in (stumps, tree)]
    assert known == [150, 1]
    inspected = Inspected.of(stumps, X, tree.ensemble_, None, 900)
    found = {column.name: column for column in column_importances(inspected)}
    assert found["score"].tested == 1.0
    assert found["score"].ensemble_tested == pytest.approx(1.0, abs=0.1)
    assert found["score"].lost.value > 0.2
