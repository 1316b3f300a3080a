"""Golden files: strings and drawings compared byte for byte; ``--update-golden`` rewrites them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent.parent / "golden" / "show"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files of tests/show")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden/show."""
    is_update = request.config.getoption("--update-golden", default=False)

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if is_update:
            path.write_bytes(text.encode())
        assert path.read_bytes().decode() == text, f"{name} differs; see --update-golden"

    return check


@pytest.fixture
def weka_files() -> list[Path]:
    """Trees that Weka 3.8 printed, kept as they came."""
    return sorted((GOLDEN / "weka").glob("*.txt"))
