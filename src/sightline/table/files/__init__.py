"""Tables from files: text, workbooks and the files of other programs, with notes on what was read."""

from sightline.table.files._read import read_file, read_table

__all__ = ["read_file", "read_table"]
