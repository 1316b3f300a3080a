"""What tests expect of other libraries depends on the version: `make test-oldest`, `make test-newest`."""

import sys
from importlib.metadata import version

import pytest
from absent import too_old
from sklearn.utils.fixes import parse_version


def has(library, oldest):
    """Return whether a library is installed in this version or a newer one."""
    return parse_version(version(library)) >= parse_version(oldest)


def since(library, oldest):
    """Return a mark for tests of what a library has only since a version."""
    return pytest.mark.skipif(not has(library, oldest), reason=too_old(library, oldest))


XGBOOST = "xgboost" if sys.platform == "darwin" else "xgboost-cpu"


def dart(**options):
    """Return options of XGBoost by which it drops trees: since 3.4, a booster of that name is deprecated."""
    return options if has(XGBOOST, "3.4") else {"booster": "dart", **options}


INTERPOLATES_EXACTLY = not has("scipy", "1.18")
"""Since then, isotonic calibration of single precision rounds several times; docs/limits.md says so."""

BINS = {"quantile_method": "averaged_inverted_cdf"} if has("scikit-learn", "1.7") else {}
"""The one method that older versions of KBinsDiscretizer have; newer ones warn unless it is named."""
