"""All stumps, and which of them: the kernels against the slow reference."""

import random
from fractions import Fraction

import numpy as np
import pytest
from cases import each
from learn.stump_reference import Problem, grown, loss, pruned, vote
from strategies import random_labels, random_schema, random_table, rows_of

from sightline import _core
from sightline.model import LEAF, MULTIWAY, THRESHOLD


def structure(tree):
    """The nested tuples of a native tree."""
    made = {}
    for v in range(tree.n_nodes - 1, -1, -1):
        begin, end = tree.branch_begin[v : v + 2]
        if tree.test[v] == LEAF:
            made[v] = ("leaf", int(tree.output[v].argmax()))
            continue
        test = ("each",) if tree.test[v] == MULTIWAY else None
        if tree.test[v] == THRESHOLD:
            test = ("cut", float(tree.threshold[v]))
        elif test is None:
            test = ("value", int(tree.category[tree.category_begin[v]]))
        children = tuple(made[int(child)] for child in tree.child[begin:end])
        made[v] = (int(tree.feature[v]), test, int(tree.share[begin:end].argmax()), children)
    return made[0]


def random_problem(seed, max_features=4, max_rows=25):
    rng = random.Random(seed)
    schema = random_schema(rng, max_features)
    table = random_table(rng, schema, rng.randint(2, max_rows), missing=rng.choice([0.0, 0.2, 0.5]))
    n_classes = rng.choice([2, 2, 3, 5])
    labels = random_labels(rng, table.n_rows, n_classes)
    options = {"min_leaf": rng.choice([1, 2, 3]), "binary_nominal": rng.random() < 0.5}
    weights = [rng.randint(1, 9) for _ in range(table.n_rows)] if rng.random() < 0.4 else None
    problem = Problem(
        rows_of(table), labels.codes.tolist(), schema.n_values, n_classes, weights=weights, **options
    )
    return problem, table, labels, options, weights


def pool_of(table, labels, weights=None, n_threads=1, **options):
    pool = _core.StumpPool(table.native(), labels.codes, len(labels.classes_), **options)
    pool.generate(None if weights is None else np.array(weights, dtype=np.int32), n_threads)
    return pool


@each(seed=range(60))
@pytest.mark.parametrize("max_depth", [1, 2, 3])
def test_the_stumps_are_those_of_the_reference(seed, max_depth):
    problem, table, labels, options, weights = random_problem(seed, 3 if max_depth == 3 else 4)
    pool = pool_of(table, labels, weights, max_depth=max_depth, **options)
    expected = problem.all_stumps(max_depth)
    assert [structure(pool.tree(i)) for i in range(len(pool))] == expected
    votes = pool.votes(list(range(len(pool))))
    for i, stump in enumerate(expected):
        assert votes[i].tolist() == [vote(stump, row) for row in problem.rows]
    right = [sum(v == y for v, y in zip(row, problem.labels, strict=True)) for row in votes.tolist()]
    assert pool.right.tolist() == right


@each(seed=range(40))
def test_growing_and_pruning_are_those_of_the_reference(seed):
    problem, table, labels, options, _ = random_problem(seed, 3, 14)
    rng = random.Random(seed)
    pool = pool_of(table, labels, max_depth=2, **options)
    candidates = rng.sample(range(len(pool)), min(len(pool), 12))
    votes = pool.votes(list(range(len(pool)))).tolist()
    search = {
        "min_size": rng.choice([1, 3]),
        "max_size": rng.choice([0, 0, 2, 4]),
        "passes": rng.choice([1, 10]),
        "replace_on_tie": rng.random() < 0.7,
    }
    members = pool.grown([], candidates, **search)
    assert members == grown(votes, candidates, problem.labels, problem.n_classes, **search)
    if members:
        numerator, n = pool.loss(members)
        assert Fraction(numerator, n * n) == loss(votes, members, problem.labels, problem.n_classes)
        assert pool.pruned(members) == pruned(votes, members, problem.labels, problem.n_classes)


def test_neighbouring_doubles_are_told_apart():
    """Their middle rounds to the upper one, which belongs to the other side."""
    low = np.nextafter(1.0, 2.0)
    high = np.nextafter(low, 2.0)
    assert (low + high) / 2 == high
    values = np.repeat([low, high], 6)
    labels = np.repeat([0, 1], 6).astype(np.int32)
    pool = _core.StumpPool(_core.Columns([values], [0], 12), labels, 2)
    pool.generate()
    best = int(pool.right.argmax())
    assert pool.right[best] == 12
    assert pool.tree(best).threshold[0] == low


def test_a_stump_by_hand():
    # Two cuts of one attribute make three intervals of the classes 0, 1, 0.
    table = np.arange(12, dtype=float)
    labels = np.array([0] * 4 + [1] * 4 + [0] * 4, dtype=np.int32)
    columns = _core.Columns([table], [0], 12)
    pool = _core.StumpPool(columns, labels, 2)
    pool.generate()
    inner = (0, ("cut", 7.5), 0, (("leaf", 1), ("leaf", 0)))
    assert (0, ("cut", 3.5), 1, (("leaf", 0), inner)) in [structure(pool.tree(i)) for i in range(len(pool))]
    best = int(pool.right.argmax())
    assert pool.right[best] == 12
    assert pool.grown([], [best], 1, 0, 1, True) == [best]
    assert pool.loss([best]) == (0, 1)


def test_the_flaw_of_the_figure():
    # Joining and replacing improve alike: the figure throws the stump away, the mend lets it replace.
    found = 0
    for seed in range(200):
        problem, table, labels, options, _ = random_problem(seed, 3, 12)
        pool = pool_of(table, labels, max_depth=2, **options)
        order = list(range(len(pool)))
        literal = pool.grown([], order, 1, 0, 1, False)
        mended = pool.grown([], order, 1, 0, 1, True)
        if literal == mended:
            continue
        found += 1
        votes = pool.votes(order).tolist()
        assert literal == grown(
            votes, order, problem.labels, problem.n_classes, min_size=1, passes=1, replace_on_tie=False
        )
    assert found > 0


@pytest.mark.parametrize("max_depth", [2, 3])
def test_threads_make_no_difference(max_depth):
    _, table, labels, options, _ = random_problem(7, 4, 60)
    one = pool_of(table, labels, n_threads=1, max_depth=max_depth, **options)
    four = pool_of(table, labels, n_threads=4, max_depth=max_depth, **options)
    assert [structure(one.tree(i)) for i in range(len(one))] == [
        structure(four.tree(i)) for i in range(len(four))
    ]
    everything = list(range(len(one)))
    assert (one.votes(everything) == four.votes(everything)).all()


def test_more_than_64_rows_and_many_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = rng.integers(0, 40, size=200).astype(np.int32)
    columns = _core.Columns([np.ascontiguousarray(x) for x in X.T], [0, 0, 0], 200)
    pool = _core.StumpPool(columns, y, 40)
    pool.generate()
    votes = pool.votes(list(range(len(pool))))
    assert (pool.right == (votes == y).sum(axis=1)).all()
    chosen = pool.grown([], list(range(len(pool))), 3, 0, 10, True)
    counts = np.stack([(votes[chosen] == c).sum(axis=0) for c in range(40)], axis=1)
    truth = np.eye(40, dtype=int)[y]
    numerator, n = pool.loss(chosen)
    assert numerator == ((n * truth - counts) ** 2).sum()


def test_a_second_generation_adds_only_what_is_new():
    _, table, labels, options, _ = random_problem(3, 3, 25)
    pool = pool_of(table, labels, max_depth=2, **options)
    n = len(pool)
    pool.generate()
    assert len(pool) == n
    pool.generate(np.arange(1, table.n_rows + 1, dtype=np.int32))
    stumps = [structure(pool.tree(i)) for i in range(len(pool))]
    assert len(set(stumps)) == len(stumps)


def test_what_the_kernel_refuses():
    columns = _core.Columns([np.zeros(2)], [0], 2)
    labels = np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match=r"^stumps have one to three levels$"):
        _core.StumpPool(columns, labels, 2, max_depth=4)
    with pytest.raises(ValueError, match=r"^the number of classes is out of range$"):
        _core.StumpPool(columns, labels, 65)
    with pytest.raises(ValueError, match=r"^one label per row is required$"):
        _core.StumpPool(columns, labels[:1], 2)
    with pytest.raises(ValueError, match=r"^a label is out of range$"):
        _core.StumpPool(columns, labels + 2, 2)
    pool = _core.StumpPool(columns, labels, 2)
    with pytest.raises(ValueError, match=r"^there is no such stump$"):
        pool.tree(0)
    with pytest.raises(ValueError, match=r"^one weight per row is required$"):
        pool.generate(np.ones(1, dtype=np.int32))
    with pytest.raises(ValueError, match=r"^weights must be between 1 and 1024$"):
        pool.generate(np.zeros(2, dtype=np.int32))
