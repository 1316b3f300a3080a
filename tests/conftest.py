from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

collect_ignore = ["data"]
"""Frozen files, and scripts that make them with libraries that the tests do not need."""

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


@pytest.fixture(scope="session")
def shared():
    """Folder with the papers' data sets, beside the checkout."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"the data sets are not at {folder}")
    return folder
