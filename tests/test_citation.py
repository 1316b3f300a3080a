"""CITATION.cff repeats the release, which nobody would remember to change."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def first(pattern, name):
    return re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE).groups()


def test_the_citation_names_the_last_release():
    version, date = first(r"^## (\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)$", "CHANGELOG.md")
    assert first(r"^version: (.+)$", "CITATION.cff") == (version,)
    assert first(r"^date-released: (.+)$", "CITATION.cff") == (date,)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == version
