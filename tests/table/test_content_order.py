"""An order of rows that forgets where they stood."""

import numpy as np

from sightline.table import Labels, Table, content_order


def test_content_order_puts_equal_rows_side_by_side():
    X = [[1.0, np.nan], [2.0, -0.0], [1.0, np.nan], [2.0, 0.0], [2.0, 0.0]]
    table, labels = Table.from_any(X), Labels.from_any([0, 1, 0, 1, 0])
    order = content_order(table, labels).tolist()
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1
