"""Versions of the libraries that a script or notebook imports: other ones may print other numbers."""

from __future__ import annotations

import platform
import re
from importlib.metadata import packages_distributions, version

DECIDES_NOTHING = {"sightline", "IPython", "matplotlib"}
"""Not recorded: ours, and those that do not change a number."""


def imported_versions(source: str) -> dict[str, str]:
    """Return the versions of imported libraries, and of Python, which sums floats otherwise since 3.12."""
    imported = set(re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)) - DECIDES_NOTHING
    installed = packages_distributions()
    libraries = {name: version(installed[name][0]) for name in sorted(imported) if name in installed}
    return {"python": ".".join(platform.python_version_tuple()[:2]), **libraries}
