"""PMML files of trees."""

from sightline.load.pmml import _importer  # noqa: F401 - it registers itself
