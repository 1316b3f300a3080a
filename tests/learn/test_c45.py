"""C4.5: the kernel against a slow reference, and what users can ask of the estimator."""

import pickle
import random
import time

import numpy as np
import pytest
from cases import each
from learn import c45_reference
from learn.c45_reference import Row, Settings
from sklearn.base import clone
from strategies import random_labels, schema_of

import sightline as sl
from sightline.learn import Growth
from sightline.model import LEAF, MULTIWAY, SUBSET, THRESHOLD
from sightline.table import Column, Feature, Labels, Table

# ---------------------------------------------------------------- against the reference


def random_case(seed):
    """A table whose columns tell something of the labels, and settings."""
    rng = random.Random(seed)
    n_rows, n_classes = rng.choice([1, 6, 20, 40, 80]), rng.randint(1, 4)
    schema = schema_of([rng.choice([0, 0, 2, 3, 5]) for _ in range(rng.randint(1, 4))])
    n_values = [n or rng.choice([2, 5, 40]) for n in schema.n_values]
    codes = [[rng.randrange(n) for _ in range(n_rows)] for n in n_values]
    labels = random_labels(rng, n_rows, n_classes)
    rule = [
        [rng.randrange(n_classes) if rng.random() < 0.3 else 4 * v // n for v in range(n)] for n in n_values
    ]
    for row in range(n_rows):
        if rng.random() < 0.85:
            votes = [own[column[row]] for own, column in zip(rule, codes, strict=True)]
            labels.codes[row] = sum(votes[:2]) % n_classes
    missing = rng.choice([0.0, 0.0, 0.1, 0.3])
    columns = []
    for feature, column in zip(schema.features, codes, strict=True):
        values = np.array(column, dtype=np.int32) if feature.is_nominal else np.array(column) / 4
        values[[rng.random() < missing for _ in range(n_rows)]] = -1 if feature.is_nominal else np.nan
        columns.append(Column(feature, values))
    weights = None
    if rng.random() < 0.4:
        weights = np.array([rng.choice([0.0, 0.5, 1.0, 2.0, 3.25]) for _ in range(n_rows)])
        weights[rng.randrange(n_rows)] = 1.0
    parameters = {
        "binary_splits": rng.random() < 0.5,
        "prune": rng.random() < 0.75,
        "confidence": rng.choice([0.001, 0.1, 0.25, 0.25, 0.4, 0.5, 0.9]),
        "min_leaf": rng.choice([0.5, 1, 2, 2, 3.5]),
        "subtree_raising": rng.random() < 0.8,
        "collapse": rng.random() < 0.6,
        "mdl_correction": rng.random() < 0.4,
        "max_depth": rng.choice([None, None, None, None, 1, 3]),
        "limits": rng.choice(["weka", "weka", "quinlan"]),
    }
    return Table(columns), labels, weights, parameters


def reference_tree(table, labels, weights, parameters):
    columns = [column.to_list() for column in table.X.columns]
    for values, column in zip(columns, table.columns, strict=True):
        if column.feature.categories is not None:
            values[:] = [None if v is None else column.feature.categories.index(v) for v in values]
    copies = np.ones(table.n_rows) if weights is None else weights
    rows = [
        Row(list(values), label, copy)
        for values, label, copy in zip(zip(*columns, strict=True), labels.codes.tolist(), copies, strict=True)
    ]
    return c45_reference.learn(rows, Settings(table.schema.n_values, len(labels.classes_), **parameters))


def assert_same_tree(tree, expected):
    """Same tests, thresholds and counts, node by node."""
    core, stack = tree.core, [(0, expected, expected)]
    n_seen = 0
    while stack:
        v, node, parent = stack.pop()
        n_seen += 1
        where = f"node {v} of\n{drawn(expected)}"
        assert bool(node.children) == bool(core.test[v] != LEAF), where
        np.testing.assert_allclose(core.counts[v], node.counts, atol=1e-7, err_msg=where)
        np.testing.assert_allclose(core.weight[v], node.weight, atol=1e-7, err_msg=where)
        speaker = parent if node.weight < 1e-6 else node
        np.testing.assert_allclose(core.output[v], np.array(speaker.counts) / speaker.weight, atol=1e-7)
        assert core.feature[v] == node.attribute, where
        if node.is_leaf:
            continue
        assert core.test[v] == kind_of(node), where
        if node.threshold is not None:
            assert core.threshold[v] == node.threshold, where
        if node.value is not None:
            assert tree.categories(v) == [tree.schema.features[node.attribute].categories[node.value]], where
        shares = [child.weight / sum(son.weight for son in node.children) for child in node.children]
        np.testing.assert_allclose(tree.shares(v), shares, atol=1e-7, err_msg=where)
        stack.extend((c, child, node) for c, child in zip(tree.children(v), node.children, strict=True))
    assert n_seen == tree.n_nodes


def kind_of(node):
    if node.threshold is not None:
        return THRESHOLD
    return MULTIWAY if node.value is None else SUBSET


def drawn(node, indent=""):
    test = (
        f"{node.attribute} <= {node.threshold}"
        if node.threshold is not None
        else f"{node.attribute} = {node.value}"
    )
    text = f"{indent}{test if node.children else 'leaf'} {node.counts}\n"
    return text + "".join(drawn(child, indent + "  ") for child in node.children)


def compare(case):
    table, labels, weights, parameters = case
    learner = sl.C45Classifier(**parameters).fit(table, labels, weights)
    assert_same_tree(learner.tree_, reference_tree(*case))
    return learner.tree_.n_nodes


@each(6, block=range(20))
def test_random_tables_give_the_tree_of_the_reference(block):
    sizes = [compare(random_case(seed)) for seed in range(block * 60, block * 60 + 60)]
    assert np.mean(np.array(sizes) > 1) > 0.3  # many trees are worth comparing


# ---------------------------------------------------------------- drawn by hand

WEATHER = [
    # outlook, temperature, humidity, windy, play
    ("sunny", 85, 85, "no", "no"),
    ("sunny", 80, 90, "yes", "no"),
    ("overcast", 83, 86, "no", "yes"),
    ("rainy", 70, 96, "no", "yes"),
    ("rainy", 68, 80, "no", "yes"),
    ("rainy", 65, 70, "yes", "no"),
    ("overcast", 64, 65, "yes", "yes"),
    ("sunny", 72, 95, "no", "no"),
    ("sunny", 69, 70, "no", "yes"),
    ("rainy", 75, 80, "no", "yes"),
    ("sunny", 75, 70, "yes", "yes"),
    ("overcast", 72, 90, "yes", "yes"),
    ("overcast", 81, 75, "no", "yes"),
    ("rainy", 71, 91, "yes", "no"),
]


@pytest.fixture
def weather():
    """The fourteen days of every textbook."""
    names = ["outlook", "temperature", "humidity", "windy"]
    return Table.from_any([row[:4] for row in WEATHER], feature_names=names), [row[4] for row in WEATHER]


def path_to(tree, *branches):
    node = 0
    for branch in branches:
        node = tree.children(node)[branch]
    return node


def test_weather_tree_is_the_one_of_the_textbook(weather):
    tree = sl.C45Classifier().fit(*weather).tree_
    assert tree.size_ == {"nodes": 8, "leaves": 5, "depth": 2, "rules": 5, "conditions": 9, "features": 3}
    # overcast, rainy, sunny: string categories are sorted
    assert tree.core.test[0] == MULTIWAY
    assert tree.feature_names[tree.core.feature[0]] == "outlook"
    assert tree.label(path_to(tree, 0)) == "yes"
    rainy, sunny = path_to(tree, 1), path_to(tree, 2)
    assert tree.feature_names[tree.core.feature[rainy]] == "windy"
    assert tree.feature_names[tree.core.feature[sunny]] == "humidity"
    assert tree.core.threshold[sunny] == 75
    assert tree.core.counts[sunny].tolist() == [3, 2]
    assert [tree.label(path_to(tree, 2, b)) for b in (0, 1)] == ["yes", "no"]
    assert tree.shares(0).tolist() == [4 / 14, 5 / 14, 5 / 14]


def test_missing_value_is_answered_by_all_branches(weather):
    table, y = weather
    tree = sl.C45Classifier().fit(table, y).tree_
    row = Table.from_any([[None, 70, 70, "no"]], feature_names=table.names)
    # overcast: yes; rainy and calm: yes; sunny and dry: yes
    assert tree.predict_proba(row).tolist() == [[0.0, 1.0]]
    row = Table.from_any([[None, 70, 95, "yes"]], feature_names=table.names)
    np.testing.assert_allclose(tree.predict_proba(row), [[10 / 14, 4 / 14]])
    assert tree.predict(row).tolist() == ["no"]


def test_binary_splits_ask_for_one_value(weather):
    table, y = weather
    tree = sl.C45Classifier(binary_splits=True, prune=False, min_leaf=1).fit(table, y).tree_
    assert tree.core.test[0] == SUBSET
    assert tree.categories(0) == ["overcast"]
    assert tree.n_nodes == 2 * tree.n_leaves - 1


def test_threshold_is_a_value_of_the_training_rows():
    tree = sl.C45Classifier().fit([[1.0], [2.0], [3.5], [4.0]], [0, 0, 1, 1]).tree_
    assert tree.core.threshold[0] == 2.0


def test_values_closer_than_the_tolerance_are_not_separated():
    X = [[0.0], [0.0], [1e-6], [1e-6]]
    with pytest.warns(sl.DataWarning, match="in a unit so small"):
        assert sl.C45Classifier().fit(X, [0, 0, 1, 1]).tree_.n_nodes == 1
    assert sl.C45Classifier().fit(np.array(X) * 100, [0, 0, 1, 1]).tree_.n_nodes == 3


def test_values_near_the_largest_double_have_a_midpoint():
    X = [[1.5e308], [1.5e308], [1.7e308], [1.7e308]]
    tree = sl.C45Classifier().fit(X, [0, 0, 1, 1]).tree_
    assert tree.core.threshold[0] == 1.5e308
    assert tree.predict(X).tolist() == [0, 0, 1, 1]


# ---------------------------------------------------------------- sizes


@pytest.fixture(scope="module")
def noisy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4)).round(1)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = (np.nansum(X[:, :2], axis=1) + rng.normal(size=300) > 0).astype(int) + (X[:, 2] > 1)
    return X, y


@pytest.mark.parametrize("max_depth", [0, 1, 2, 5])
def test_max_depth_limits_the_tests_on_a_path(noisy, max_depth):
    tree = sl.C45Classifier(prune=False, collapse=False, max_depth=max_depth).fit(*noisy).tree_
    assert tree.depth == max_depth


@pytest.mark.parametrize("max_leaves", [1, 2, 3, 7, 12])
def test_max_leaves_is_kept_and_cuts_twigs_only(noisy, max_leaves):
    whole = sl.C45Classifier(prune=False, collapse=False).fit(*noisy).tree_
    cut = sl.C45Classifier(prune=False, collapse=False, max_leaves=max_leaves).fit(*noisy).tree_
    assert whole.n_leaves > max_leaves
    assert cut.n_leaves == max_leaves  # binary tests: one leaf less at a time
    pairs = [(0, 0)]
    while pairs:
        v, w = pairs.pop()
        np.testing.assert_allclose(cut.core.counts[v], whole.core.counts[w])
        if cut.core.test[v] != LEAF:
            assert cut.core.feature[v] == whole.core.feature[w]
            assert cut.core.threshold[v] == whole.core.threshold[w]
            pairs.extend(zip(cut.children(v), whole.children(w), strict=True))


def test_max_leaves_undoes_the_cheapest_split_first(noisy):
    """One step of the greedy rule, recomputed: the twig whose leaves save the fewest expected errors."""
    whole = sl.C45Classifier(prune=False).fit(*noisy).tree_
    cut = sl.C45Classifier(prune=False, max_leaves=whole.n_leaves - 1).fit(*noisy).tree_
    settings = Settings([0] * 4, 3)

    def expected_errors(node):
        return c45_reference.estimate(whole.core.counts[node].tolist(), settings)

    twigs = [
        v
        for v in range(whole.n_nodes)
        if whole.core.test[v] != LEAF and all(whole.core.test[whole.children(v)] == LEAF)
    ]
    saved = {v: expected_errors(v) - sum(map(expected_errors, whole.children(v))) for v in twigs}
    cheapest = min(twigs, key=lambda v: (saved[v] / 2, v))
    kept = [v for v in range(whole.n_nodes) if v not in whole.children(cheapest)]
    np.testing.assert_allclose(cut.core.counts, whole.core.counts[kept])


def test_limits_beyond_any_tree_change_nothing(noisy):
    free = sl.C45Classifier().fit(*noisy)
    limited = sl.C45Classifier(max_depth=2**80, max_leaves=2**80).fit(*noisy)
    assert limited.to_json() == free.to_json()


def test_smaller_confidence_prunes_more(noisy):
    levels = [1e-60, 1e-20, 1e-9, 0.01, 0.25, 0.5, 0.7]
    sizes = [sl.C45Classifier(confidence=level).fit(*noisy).tree_.n_leaves for level in levels]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[4]


def test_growth_pruned_at_several_levels_equals_separate_fits(noisy):
    X, y = noisy
    growth = Growth(Table.from_any(X).with_completeness(), Labels.from_any(y), sl.C45Classifier())
    levels = [0.25, 0.01, 0.5, 0.25]
    pruned = [growth.tree(confidence=level).to_json() for level in levels]
    fitted = [sl.C45Classifier(confidence=level).fit(X, y).to_json() for level in levels]
    assert pruned == fitted
    assert pruned[0] != pruned[1]


def test_laplace_adds_one_row_per_class(noisy):
    plain = sl.C45Classifier().fit(*noisy).tree_
    smoothed = sl.C45Classifier(laplace=True).fit(*noisy).tree_
    counts = plain.core.counts
    np.testing.assert_allclose(smoothed.core.output, (counts + 1) / (counts.sum(axis=1, keepdims=True) + 3))
    np.testing.assert_array_equal(smoothed.core.counts, counts)


# ---------------------------------------------------------------- weights


@pytest.mark.parametrize(
    "parameters", [{}, {"binary_splits": True}, {"prune": False}, {"subtree_raising": False}]
)
def test_weights_equal_repetition(noisy, parameters):
    X, y = noisy
    weights = np.random.default_rng(1).integers(0, 4, size=len(y))
    weighted = sl.C45Classifier(**parameters).fit(X, y, weights).tree_
    repeated = sl.C45Classifier(**parameters).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights)).tree_
    for name in ("test", "feature", "threshold", "child"):
        np.testing.assert_array_equal(getattr(weighted.core, name), getattr(repeated.core, name))
    np.testing.assert_allclose(weighted.core.counts, repeated.core.counts, atol=1e-9)


def test_large_nodes_equal_small_ones_with_weights(noisy):
    """Nodes of more than 65,536 rows keep no values, their small branches do; also if values are missing."""
    X, y = noisy[0].copy(), noisy[1]
    X[::7, 0] = np.nan
    copies = 150_000 // len(y)
    weighted = sl.C45Classifier(min_leaf=2 * copies).fit(X, y, np.full(len(y), copies)).tree_
    large = sl.C45Classifier(min_leaf=2 * copies).fit(np.tile(X, (copies, 1)), np.tile(y, copies)).tree_
    assert large.n_leaves > 5
    for name in ("test", "feature", "threshold", "child"):
        np.testing.assert_array_equal(getattr(weighted.core, name), getattr(large.core, name))
    np.testing.assert_allclose(weighted.core.counts, large.core.counts, rtol=1e-9)


def test_zero_weights_equal_removal_except_for_declared_classes(noisy):
    X, y = noisy
    weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted = sl.C45Classifier().fit(X, y, weights)
    removed = sl.C45Classifier().fit(X[kept], y[kept])
    assert weighted.to_json() == removed.to_json()


def test_unit_weights_change_nothing(noisy):
    X, y = noisy
    assert sl.C45Classifier().fit(X, y, np.ones(len(y))).to_json() == sl.C45Classifier().fit(X, y).to_json()


# ---------------------------------------------------------------- strange tables


def test_declared_classes_and_values_that_never_occur_are_kept():
    schema = schema_of([4])
    codes = np.array([1, 1, 1, 3, 3, 3], dtype=np.int32)
    labels = Labels(np.array([1, 1, 1, 3, 3, 3], dtype=np.int32), np.array(list("abcde")))
    learner = sl.C45Classifier().fit(Table([Column(schema.features[0], codes)]), labels)
    assert learner.classes_.tolist() == list("abcde")
    assert learner.tree_.n_leaves == 4
    unused = Table([Column(schema.features[0], np.array([0, 2], dtype=np.int32))])
    # An empty leaf answers as its parent: b and d are equally frequent, the earlier wins.
    assert learner.predict(unused).tolist() == ["b", "b"]
    assert learner.predict_proba(unused).tolist() == [[0, 0.5, 0, 0.5, 0]] * 2
    assert learner.predict(Table([Column(schema.features[0], codes)])).tolist() == list("bbbddd")


@pytest.mark.parametrize("column", [[1.0] * 6, [np.nan] * 6])
def test_column_that_says_nothing_is_not_tested(column):
    assert sl.C45Classifier().fit(np.array(column)[:, None], [0, 0, 0, 1, 1, 1]).tree_.n_nodes == 1
    X = np.column_stack([column, np.arange(6.0)])
    tree = sl.C45Classifier().fit(X, [0, 0, 0, 1, 1, 1]).tree_
    assert tree.core.used_features == [1]


def test_nominal_column_without_known_values_is_not_tested():
    schema = schema_of([2, 0])
    columns = [np.full(6, -1, dtype=np.int32), np.arange(6.0)]
    table = Table([Column(f, values) for f, values in zip(schema.features, columns, strict=True)])
    for binary_splits in (False, True):
        tree = sl.C45Classifier(binary_splits=binary_splits).fit(table, [0, 0, 0, 1, 1, 1]).tree_
        assert tree.core.used_features == [1]


def test_two_branches_below_many_in_a_nominal_table_with_missing_values():
    """Rows are parted into many without weights first, then into two with weights."""
    rng = np.random.default_rng(0)
    three, two = rng.integers(3, size=4000), rng.integers(2, size=4000)
    y = np.where(three == 0, 0, 1 + two)
    X = np.column_stack(
        [np.array(["x", "y", "z"], dtype=object)[three], np.array(["u", "v"], dtype=object)[two]]
    )
    X[rng.random(4000) < 0.2, 1] = None
    tree = sl.C45Classifier().fit(X, y).tree_
    assert tree.n_nodes == 8
    assert tree.predict([["x", "u"], ["y", "u"], ["z", "v"]]).tolist() == [0, 1, 2]


def test_single_class_and_single_row_give_a_leaf():
    for X, y in (([[1.0], [2.0], [3.0]], ["a"] * 3), ([[np.nan]], ["a"])):
        learner = sl.C45Classifier().fit(X, y)
        assert learner.tree_.n_nodes == 1
        assert learner.predict([[5.0]]).tolist() == ["a"]
        assert learner.predict_proba([[5.0]]).tolist() == [[1.0]]


@pytest.mark.parametrize("binary_splits", [False, True])
def test_column_of_a_thousand_categories(binary_splits):
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(1000), 4)
    y = (rng.permutation(1000) % 2)[codes]
    X = np.array([[f"c{code:03}"] for code in codes], dtype=object)
    learner = sl.C45Classifier(binary_splits=binary_splits, min_leaf=1).fit(X, y)
    # Too many values for C4.5's own tests: one group of them against the rest.
    assert learner.tree_.n_leaves == 2
    assert learner.score(X, y) == 1.0
    assert 0 <= learner.predict_proba([["never seen"]])[0, 0] <= 1


def column_of_values(n_values, rows_per_value):
    codes = np.repeat(np.arange(n_values, dtype=np.int32), rows_per_value)
    return Table([Column(Feature("code", tuple(f"v{i}" for i in range(n_values))), codes)]), codes


@pytest.mark.parametrize("binary_splits", [False, True])
def test_up_to_255_values_are_tested_as_in_weka_and_more_in_groups(binary_splits):
    for n_values, is_grouped in ((255, False), (256, True)):
        X, codes = column_of_values(n_values, rows_per_value=4)
        tree = sl.C45Classifier(binary_splits=binary_splits).fit(X, codes % 2).tree_
        expected = 2 if is_grouped else 128 if binary_splits else n_values
        assert tree.n_leaves == expected
        assert (tree.predict(X) == codes % 2).all()


@pytest.mark.parametrize("binary_splits", [False, True])
def test_values_without_the_rows_of_a_leaf_do_not_count_for_the_limit(binary_splits):
    """The column of names in Weka's splice data has 3,178 values, most of them once."""
    X, codes = column_of_values(3_000, rows_per_value=1)
    tree = sl.C45Classifier(binary_splits=binary_splits).fit(X, codes % 2).tree_
    assert tree.n_leaves == 1


@pytest.mark.parametrize(("n_values", "rows_per_value"), [(1_000, 2), (300, 5), (300, 30)])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_groups_of_values_must_gain_more_than_by_chance(n_values, rows_per_value, n_classes):
    X, codes = column_of_values(n_values, rows_per_value)
    y = np.random.default_rng(0).integers(0, n_classes, len(codes))
    assert sl.C45Classifier(binary_splits=True).fit(X, y).tree_.n_leaves == 1
    assert sl.C45Classifier(binary_splits=True, mdl_correction=False).fit(X, y).tree_.n_leaves > 1


def test_values_that_a_node_has_not_seen_go_with_the_larger_group():
    X, codes = column_of_values(400, rows_per_value=3)
    y = (codes % 4 == 0).astype(int)
    seen = codes < 300
    tree = sl.C45Classifier(binary_splits=True).fit(X[seen], y[seen]).tree_
    assert (tree.predict(X[~seen]) == 0).all()


@pytest.mark.parametrize("binary_splits", [False, True])
def test_twenty_thousand_values_take_time_linear_in_the_rows(binary_splits):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 20_000, 50_000).astype(np.int32)
    code, x = Feature("code", tuple(range(20_000))), Feature("x")
    X = Table([Column(code, codes), Column(x, rng.random(50_000))])
    y = (rng.random(20_000) < 0.5)[codes] ^ (rng.random(50_000) < 0.05)
    start = time.process_time()
    tree = sl.C45Classifier(binary_splits=binary_splits).fit(X, y)
    assert time.process_time() - start < 5
    assert tree.score(X, y) > 0.9


def test_the_order_of_the_rows_does_not_change_groups():
    rng = np.random.default_rng(0)
    X, codes = column_of_values(500, rows_per_value=6)
    y = np.where(rng.random(len(codes)) < 0.7, codes % 3, rng.integers(0, 3, len(codes)))
    order = rng.permutation(len(codes))
    tree = sl.C45Classifier().fit(X, y).tree_
    assert tree.to_json() == sl.C45Classifier().fit(X[order], y[order]).tree_.to_json()


def test_weights_of_all_sizes_end_in_a_tree_or_a_sentence():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    for weight in (1e-300, 1e-9, 1e9, 1e300):
        assert sl.C45Classifier().fit(X, y, [weight] * 4).tree_.n_nodes in (1, 3)
    with pytest.raises(sl.DataError, match=r"^The sample weights sum to infinity. Scale them down.$"):
        sl.C45Classifier().fit(X, y, [1.5e308] * 4)


@pytest.mark.parametrize("binary_splits", [False, True])
def test_rounding_of_huge_weights_separates_nothing(binary_splits):
    """Sums of such weights err by more than the smallest leaf; growing must end all the same."""
    rng = np.random.default_rng(0)
    schema = schema_of([2, 3])
    columns = [Column(f, rng.integers(0, f.n_values, 80).astype(np.int32)) for f in schema.features]
    for seed in range(20):
        weights = 10.0 ** np.random.default_rng(seed).uniform(-14, 14, 80)
        learner = sl.C45Classifier(binary_splits=binary_splits, min_leaf=1e-6, collapse=False)
        tree = learner.fit(Table(columns), rng.integers(0, 3, 80), weights).tree_
        assert tree.n_nodes < 200


# ---------------------------------------------------------------- parameters and errors


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        (
            {"confidence": 0},
            "The 'confidence' parameter of C45Classifier must be a float in the range (0.0, 1.0). "
            "Got 0 instead.",
        ),
        (
            {"confidence": float("nan")},
            "The 'confidence' parameter of C45Classifier must be a float in the range (0.0, 1.0). "
            "Got nan instead.",
        ),
        (
            {"min_leaf": 0},
            "The 'min_leaf' parameter of C45Classifier must be a float in the range (0.0, inf). "
            "Got 0 instead.",
        ),
        (
            {"max_depth": -1},
            "The 'max_depth' parameter of C45Classifier must be an int in the range [0, inf) or None. "
            "Got -1 instead.",
        ),
        (
            {"max_leaves": 0},
            "The 'max_leaves' parameter of C45Classifier must be an int in the range [1, inf) or None. "
            "Got 0 instead.",
        ),
        (
            {"max_leaves": 2.5},
            "The 'max_leaves' parameter of C45Classifier must be an int in the range [1, inf) or None. "
            "Got 2.5 instead.",
        ),
        (
            {"prune": "yes"},
            "The 'prune' parameter of C45Classifier must be an instance of 'bool' or an instance of "
            "'numpy.bool'. Got 'yes' instead.",
        ),
        (
            {"categorical_features": "all"},
            "The 'categorical_features' parameter of C45Classifier must be an array-like, a str among "
            "{'from_dtype'} or None. Got 'all' instead.",
        ),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, sentence):
    with pytest.raises(sl.ParameterError) as error:
        sl.C45Classifier(**parameters).fit([[1.0], [2.0]], [0, 1])
    assert str(error.value).replace("numpy.bool_", "numpy.bool") == sentence


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1, 2], "sample_weight has 2 weights for 3 rows. Pass one per row."),
        ([[1], [2], [3]], "Sample weights must be 1D array or scalar, got 2D array."),
        ([1, -1, 1], "sample_weight[1] is negative: -1.0. Weights must be 0 or more."),
        ([1, 1, np.nan], "sample_weight[2] is not finite: nan. Weights must be 0 or more."),
        ([np.inf, 1, 1], "sample_weight[0] is not finite: inf. Weights must be 0 or more."),
        ([0, 0, 0], "All sample weights are zero, so there is no row to learn from."),
    ],
)
def test_bad_weights_are_refused_in_a_sentence(weights, sentence):
    with pytest.raises(sl.DataError) as error:
        sl.C45Classifier().fit([[1.0], [2.0], [3.0]], [0, 1, 1], weights)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (None, "C45Classifier requires y to be passed, but the target y is None: pass one label per row."),
        (
            [0, 1],
            "Found input variables with inconsistent numbers of samples: X has 3 rows, y has 2 labels.",
        ),
        (
            [0, None, 1],
            "y has 1 missing label (None or NaN), the first at row 1. Remove these rows or label them.",
        ),
        ([], "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required: y is empty."),
    ],
)
def test_bad_labels_are_refused_in_a_sentence(y, sentence):
    with pytest.raises(sl.DataError) as error:
        sl.C45Classifier().fit([[1.0], [2.0], [3.0]], y)
    assert str(error.value) == sentence


def test_scalar_weight_is_one_for_all_rows():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    assert sl.C45Classifier().fit(X, y, 3).tree_.core.weight.tolist() == [12.0, 6.0, 6.0]


def test_pickle_clone_and_parameters(noisy):
    X, y = noisy
    learner = sl.C45Classifier(confidence=0.1, max_leaves=5).fit(X, y)
    again = pickle.loads(pickle.dumps(learner))
    assert again.to_json() == learner.to_json()
    np.testing.assert_array_equal(again.predict_proba(X), learner.predict_proba(X))
    assert again.get_params() == learner.get_params()

    fresh = clone(learner)
    assert not hasattr(fresh, "tree_")
    assert fresh.get_params()["confidence"] == 0.1
    assert fresh.set_params(confidence=0.3).confidence == 0.3
    assert fresh.fit(X, y).get_params()["confidence"] == 0.3


def test_unfitted_learner_says_so():
    from sklearn.exceptions import NotFittedError

    for ask in ("to_text", "to_json"):
        with pytest.raises(NotFittedError):
            getattr(sl.C45Classifier(), ask)()
    with pytest.raises(NotFittedError):
        sl.C45Classifier().predict([[1.0]])


def test_categorical_features_make_numbers_nominal():
    X = np.array([[1.0], [2.0], [3.0]] * 4)
    y = (X[:, 0] == 2).astype(int)
    tree = sl.C45Classifier(categorical_features=[0]).fit(X, y).tree_
    assert tree.core.test[0] == MULTIWAY
    assert tree.predict([[2.0], [3.0]]).tolist() == [1, 0]
    assert sl.C45Classifier().fit(X, y).tree_.core.test[0] == THRESHOLD


def test_bag_counts_copies_as_rows(noisy):
    X, y = noisy
    table, labels = Table.from_any(X).with_completeness(), Labels.from_any(y)
    bag = np.sort(np.random.default_rng(5).integers(0, len(y), len(y))).astype(np.uint32)
    bagged = Growth(table, labels, sl.C45Classifier(), bag=bag).tree()
    copied = sl.C45Classifier().fit(X[bag], y[bag]).tree_
    assert bagged.to_json() == copied.to_json()
