"""Rows that arrive in parts: files, frames, queries or partitions of a cluster, with one schema."""

from sightline.table.rows._checkpoint import Arrays, Checkpoint, StoredForm
from sightline.table.rows._draw import Draw, Judges
from sightline.table.rows._files import is_pattern
from sightline.table.rows._part import Part
from sightline.table.rows._reader import Batch, PartReader
from sightline.table.rows._rows import Rows
from sightline.table.rows._sources import is_query

__all__ = [
    "Arrays",
    "Batch",
    "Checkpoint",
    "Draw",
    "Judges",
    "Part",
    "PartReader",
    "Rows",
    "StoredForm",
    "is_pattern",
    "is_query",
]
