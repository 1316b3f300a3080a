"""Tables: typed columns with an optional target and row weights, read from files and frames."""

from sightline.table._align import codes_of, rounded_numbers
from sightline.table._category_hash import hash_of, unnamed_category
from sightline.table._category_variants import category_variant_notes
from sightline.table._cells import NULLABLE_BOOLEAN, is_missing, missing_kind
from sightline.table._column import Column, as_nominal, flag_of, number_of, plain_value
from sightline.table._content_order import content_hashes, content_order, fingerprint
from sightline.table._disguised import disguised_columns
from sightline.table._folds import stratified_folds
from sightline.table._frame_notes import frame_notes
from sightline.table._frames import without_ignored
from sightline.table._giveaways import (
    counts_rows,
    determines_target,
    flags_of_target,
    identifier_reason,
    is_target_in_disguise,
    key_doubt,
    share_predicted,
)
from sightline.table._grouped_categories import (
    MAX_CATEGORIES,
    MIN_ROWS_PER_CATEGORY,
    group_categories,
    is_large_category,
)
from sightline.table._label_variants import join_variants, label_variants, spelled_as
from sightline.table._labels import Labels
from sightline.table._loans import make_loans
from sightline.table._number_format import NumberFormat
from sightline.table._numbers import Numbers, center_and_scale
from sightline.table._rare_classes import rare_classes
from sightline.table._row_form import RowForm, frame_of
from sightline.table._row_table import is_one_row, row_names_of, table_of_row, table_of_rows
from sightline.table._schema import NUMBER_NOUNS, Feature, Schema
from sightline.table._subject import Subject, target_name
from sightline.table._table import Table
from sightline.table._unlike_training import unlike_training
from sightline.table.dates import is_date, recognize_dates
from sightline.table.files import read_file, read_table
from sightline.table.rows import Rows

__all__ = [
    "MAX_CATEGORIES",
    "MIN_ROWS_PER_CATEGORY",
    "NULLABLE_BOOLEAN",
    "NUMBER_NOUNS",
    "Column",
    "Feature",
    "Labels",
    "NumberFormat",
    "Numbers",
    "RowForm",
    "Rows",
    "Schema",
    "Subject",
    "Table",
    "as_nominal",
    "category_variant_notes",
    "center_and_scale",
    "codes_of",
    "content_hashes",
    "content_order",
    "counts_rows",
    "determines_target",
    "disguised_columns",
    "fingerprint",
    "flag_of",
    "flags_of_target",
    "frame_notes",
    "frame_of",
    "group_categories",
    "hash_of",
    "identifier_reason",
    "is_date",
    "is_large_category",
    "is_missing",
    "is_one_row",
    "is_target_in_disguise",
    "join_variants",
    "key_doubt",
    "label_variants",
    "make_loans",
    "missing_kind",
    "number_of",
    "plain_value",
    "rare_classes",
    "read_file",
    "read_table",
    "recognize_dates",
    "rounded_numbers",
    "row_names_of",
    "share_predicted",
    "spelled_as",
    "stratified_folds",
    "table_of_row",
    "table_of_rows",
    "target_name",
    "unlike_training",
    "unnamed_category",
    "without_ignored",
]
