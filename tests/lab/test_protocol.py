from dataclasses import replace

import numpy as np
import pytest
from lab.trials import small_set
from sklearn.model_selection import StratifiedShuffleSplit

from sightline.exceptions import ParameterError
from sightline.lab import FoldId, Learner, Plan, Protocol, Results, ResultStore, run
from sightline.lab._protocol import SameFolds, Splits
from sightline.learn import C45Classifier

SPLITS = Splits(n_repeats=2, splitter=StratifiedShuffleSplit(3, test_size=1 / 3, random_state=0))


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_same_folds_differ_only_in_their_seeds():
    data, protocol = small_set(), SameFolds(n_repeats=2, n_folds=3)
    assert same(protocol.split(data, FoldId(0, 1)), protocol.split(data, FoldId(1, 1)))
    assert not same(*(Protocol(2, 3).split(data, FoldId(repeat, 1)) for repeat in (0, 1)))
    assert protocol.learner_seed(FoldId(1, 2)) == 1002
    assert protocol.identity != Protocol(2, 3).identity


def test_splits_are_those_of_the_splitter():
    data = small_set()
    expected = list(SPLITS.splitter.split(data.y.codes, data.y.codes))
    assert [fold_id.repeat for fold_id in SPLITS.fold_ids()] == [0, 1]
    assert same(SPLITS.split(data, FoldId(1, 0)), expected[1])
    assert SPLITS.learner_seed(FoldId(1, 0)) == 1
    assert SPLITS.quick().n_repeats == 1
    with pytest.raises(ParameterError) as error:
        SPLITS.split(data, FoldId(3, 0))
    assert str(error.value) == f"There are 3 splits of {data.name}. Ask for no more repeats."
    with pytest.raises(ParameterError, match=r"^Splits have no fixed share of test rows\.$"):
        _ = SPLITS.test_share


def test_rows_of_small_classes_are_left_out():
    data = small_set()
    codes = data.y.codes.copy()
    codes[codes == 0] = 1
    codes[:2] = 0
    rare = replace(data, y=type(data.y)(codes, data.y.classes_))
    train, test = replace(SPLITS, min_class_rows=3).split(rare, FoldId(0, 0))
    assert not {0, 1} & {*train.tolist(), *test.tolist()}
    assert len(train) + len(test) == len(codes) - 2


def test_a_slow_data_set_has_fewer_repeats():
    slow, fast = replace(small_set("slow"), max_repeats=1), small_set("fast", seed=1)
    plan = Plan([slow, fast], [Learner("tree", C45Classifier())], Protocol(2, 3))
    with ResultStore() as store:
        run(plan, store, show_progress=False)
        results = Results(plan, store)
    assert results.sets == ["slow", "fast"]
    assert [len(results.fold_numbers(name, "tree", "accuracy")) for name in results.sets] == [3, 6]
