from pathlib import Path

import pytest
from hypothesis import settings

# Timing of single examples says more about the machine than about the code.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")


@pytest.fixture(scope="session")
def shared():
    """Folder with the papers' data sets, beside the checkout."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"the data sets are not at {folder}")
    return folder
