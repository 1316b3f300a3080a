"""Fuzz targets. The tests replay each corpus."""
