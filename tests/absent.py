"""Why a test is skipped where something is absent, and what to do about it."""

import os
from collections import Counter

NO_BROWSER = "there is no Chromium or Chrome: install one, e.g. `apt install chromium`"
NO_DATA_SETS = "the papers' data sets are not beside the checkout: put them into ../shared/datasets"
NO_JAVA = "there is no java: install one, e.g. `apt install default-jre-headless`"
NO_POSIX = "Windows is not POSIX (fork, umask, limits, signals): run the tests on Linux, e.g. in a container"
NO_PIPES = "Windows has no named pipes in folders: run the tests on Linux, e.g. in a container"
NO_LINUX = "memory is measured as Linux counts it: run the tests on Linux, e.g. in a container"
SANITIZED = "AddressSanitizer takes memory and time of its own: run `make test`"
NO_COMPILER = "there is no gcc: install it, e.g. `apt install gcc`"
NO_NODE = "there is no node: install it, e.g. `apt install nodejs`"

IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")
"""Whether `make sanitize` runs the tests."""


def too_old(library, oldest):
    """Return the reason for tests of what a library has only since a version."""
    return f"{library} is older than {oldest}: install a newer one, e.g. `pip install '{library}>={oldest}'`"


def skipped_tests(reports):
    """Yield a line for each reason, with the number of tests that were skipped for it."""
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    for reason, n_tests in reasons.most_common():
        yield f"Skipped: {n_tests:,} tests because {reason}"
