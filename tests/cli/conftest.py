"""Every test of the command runs in a folder of its own."""

import pytest


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    """Without ``--out`` the command writes into the current folder, also where a test expects a refusal."""
    monkeypatch.chdir(tmp_path_factory.mktemp("current"))
