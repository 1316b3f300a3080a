"""Workbooks of Excel and LibreOffice: their sheets as the cells of one table."""

from sightline.table.sheets._blocks import columns_beside
from sightline.table.sheets._workbook import empty_column_notes, is_workbook, sheet_text

__all__ = ["columns_beside", "empty_column_notes", "is_workbook", "sheet_text"]
