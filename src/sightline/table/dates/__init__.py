"""Dates, times and durations, typed or written as text."""

from sightline.table.dates._columns import DAY, parsed_dates, read_dates, without_missing_words
from sightline.table.dates._durations import duration_seconds
from sightline.table.dates._recognition import check_order, recognize_dates
from sightline.table.dates._temporal import (
    column_of_instants,
    column_of_temporal,
    column_of_temporal_cells,
    instants_of,
    temporal_kind,
    with_known_zone,
)
from sightline.table.dates._written import Order, is_date

__all__ = [
    "DAY",
    "Order",
    "check_order",
    "column_of_instants",
    "column_of_temporal",
    "column_of_temporal_cells",
    "duration_seconds",
    "instants_of",
    "is_date",
    "parsed_dates",
    "read_dates",
    "recognize_dates",
    "temporal_kind",
    "with_known_zone",
    "without_missing_words",
]
