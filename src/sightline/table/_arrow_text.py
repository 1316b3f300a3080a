"""Nominal columns from arrow arrays of text: arrow finds the distinct values, without a list of cells."""

from dataclasses import replace
from typing import Any

import numpy as np

from sightline.table._cells import EncodedCells, column_of_encoded, encode_declared
from sightline.table._column import Column, nominal_column

__all__ = ["column_of_arrow_text"]


def column_of_arrow_text(name: str, cells: Any) -> Column:
    """Return the column of a chunked arrow array: of text, or of codes with their declared values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> column_of_arrow_text("job", pa.chunked_array([["cook", None], ["baker"]])).to_list()
    ['cook', None, 'baker']
    """
    import pyarrow as pa  # noqa: PLC0415 - the caller has it

    declares = pa.types.is_dictionary(cells.type)
    if not declares:
        cells = cells.cast(pa.large_string()).dictionary_encode()
    encoded = cells.unify_dictionaries().combine_chunks()
    values = encoded.dictionary.to_pylist()
    # The code -1 of missing cells finds the last entry.
    codes = np.asarray(encoded.indices.cast(pa.int32()).fill_null(-1))
    missing_kinds = ("None",) if encoded.null_count else ()
    if declares:
        distinct = list(dict.fromkeys(value for value in values if value is not None))
        lookup = np.append(encode_declared(values, distinct), np.int32(-1))
        return replace(nominal_column(name, distinct, lookup[codes]), missing_kinds=missing_kinds)
    ordered = sorted(values)
    lookup = np.append(encode_declared(values, ordered), np.int32(-1))
    kind = "text" if ordered else "nothing"
    return column_of_encoded(name, EncodedCells(ordered, lookup[codes], kind, missing_kinds))
