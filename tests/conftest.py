import os
from pathlib import Path

import pytest
from absent import NO_DATA_SETS
from hypothesis import HealthCheck, settings

collect_ignore = ["data"]
"""Frozen files, and scripts that make them with libraries that the tests do not need."""

# Workers of the tests and their child processes share the cores: threads for a few rows would only wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in every run; timing of single ones says more about the machine than about the code.
settings.register_profile(
    "sightline",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("sightline")


def pytest_terminal_summary(terminalreporter, config):
    if config.option.markexpr == "not thorough":
        terminalreporter.write_line(
            "Left out: tests marked as thorough, further or larger cases. `make test-all` runs them."
        )


@pytest.fixture(scope="session")
def shared():
    """Folder with the papers' data sets, beside the checkout."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(NO_DATA_SETS)
    return folder
