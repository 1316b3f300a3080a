from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared():
    """Folder with the papers' data sets, beside the checkout."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"the data sets are not at {folder}")
    return folder
