"""Folders of models that Spark ML saved."""

from sightline.load.spark import _importer  # noqa: F401 - it registers itself
