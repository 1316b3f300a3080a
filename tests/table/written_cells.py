"""Cells as the first of two columns of a file, and what is told about them."""

import warnings

import sightline as sl
from sightline import _core


def parsed(cells, delimiter=";", **options):
    """Read cells as the first of two columns."""
    text = "a;b\n" + "".join(f"{cell}{delimiter}t\n" for cell in cells)
    return _core.parse_delimited(text.replace(";", delimiter).encode(), **options)


def numbers(cells, **options):
    table = parsed(cells, **options)
    return None if table[0].is_nominal else table.cells(0).tolist()


def told(path, cells, target=None, **options):
    """Read cells as the first of two columns; return its values and the warnings."""
    path.write_text("a;b\n" + "".join(f"{cell};{row % 2}\n" for row, cell in enumerate(cells)))
    with warnings.catch_warnings(record=True, action="always") as caught:
        table = sl.read_table(path, target, **options)
    return table, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]
