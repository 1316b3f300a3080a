"""Tables: typed columns with an optional target and row weights, read from files and frames."""

from sightline.table._column import Column
from sightline.table._content_order import content_hashes, content_order, fingerprint
from sightline.table._disguised import disguised_columns
from sightline.table._folds import stratified_folds
from sightline.table._labels import Labels
from sightline.table._loans import make_loans
from sightline.table._read import read_table
from sightline.table._row_form import RowForm
from sightline.table._row_table import table_of_row
from sightline.table._schema import Feature, Schema
from sightline.table._table import Table

__all__ = [
    "Column",
    "Feature",
    "Labels",
    "RowForm",
    "Schema",
    "Table",
    "content_hashes",
    "content_order",
    "disguised_columns",
    "fingerprint",
    "make_loans",
    "read_table",
    "stratified_folds",
    "table_of_row",
]
