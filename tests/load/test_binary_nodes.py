from dataclasses import replace

import numpy as np
import pytest

from sightline.load._binary_nodes import BinaryNodes, Subsets

STUMP = BinaryNodes(
    is_leaf=np.array([False, True, True]),
    feature=np.array([0, -2, -2]),
    threshold=np.array([0.5, -2.0, np.nan]),
    left=np.array([2, -1, -1]),
    right=np.array([1, -1, -1]),
    missing_goes_left=np.array([True, False, False]),
    weight=np.array([8.0, 5.0, 3.0]),
    output=np.array([[0.5], [0.2], [1.0]]),
)


def test_nodes_are_put_in_depth_first_order():
    core = STUMP.build([0])
    assert core.output.ravel().tolist() == [0.5, 1.0, 0.2]
    assert core.weight.tolist() == [8.0, 3.0, 5.0]
    assert core.share.tolist() == [1.0, 0.0]
    assert core.feature.tolist() == [0, -1, -1]


def test_subset():
    subsets = Subsets(
        np.array([True, False, False]), np.array([0, 2, 2, 2]), np.array([0, 3], dtype=np.int32)
    )
    core = replace(STUMP, subsets=subsets).build([4])
    assert core.test.tolist() == [2, 0, 0]
    assert core.category.tolist() == [0, 3]


def test_arrays_of_any_integer_type_and_stride():
    wide = np.array([[2, 1], [9, 9], [9, 9]], dtype=np.uint64)
    core = replace(STUMP, left=wide[:, 0], right=wide[:, 1]).build([0])
    assert core.n_leaves == 2


@pytest.mark.parametrize("child", [2**31, 2**32 + 2, 2**40])
def test_large_ids_do_not_wrap_into_range(child):
    with pytest.raises(ValueError, match=r"^node 0: child 2147483647 does not exist"):
        replace(STUMP, left=np.array([child, -1, -1])).build([0])


def test_unequal_lengths():
    with pytest.raises(ValueError, match=r"^the array 'weight' has length 2; expected 3"):
        replace(STUMP, weight=np.array([1.0, 2.0])).build([0])
