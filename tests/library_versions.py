"""What tests expect of other libraries depends on the version: `make test-oldest`, `make test-newest`."""

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


BINS = {"quantile_method": "averaged_inverted_cdf"} if has("scikit-learn", "1.7") else {}
"""The one method that older versions of KBinsDiscretizer have; newer ones warn unless it is named."""
