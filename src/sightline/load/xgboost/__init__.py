"""Models of XGBoost, fitted and in its files."""

from sightline.load.xgboost import _importer  # noqa: F401 - it registers itself
