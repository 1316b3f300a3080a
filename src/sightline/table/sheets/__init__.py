"""Workbooks of Excel and LibreOffice: their sheets as the cells of one table."""
