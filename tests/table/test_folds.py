import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sightline.table import stratified_folds


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60), st.integers(2, 10), st.integers(0, 9))
def test_folds_are_even_in_rows_and_in_every_class(codes, n_folds, seed):
    codes = np.array(codes)
    n_folds = min(n_folds, len(codes))
    folds = stratified_folds(codes, n_folds, np.random.RandomState(seed))
    for rows in (folds, *(folds[codes == code] for code in range(4))):
        sizes = np.bincount(rows, minlength=n_folds)
        assert sizes.max() - sizes.min() <= 1
