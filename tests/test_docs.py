"""The documentation builds, and every link and name in it leads somewhere."""

import subprocess
import sys
from pathlib import Path

import pytest


def test_documentation_builds_strictly(tmp_path):
    pytest.importorskip("mkdocs")
    root = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists()
