"""Lines that the command adds to a page's audit trail: the command itself, and the files that it read."""

from __future__ import annotations

import hashlib
import shlex
import sys
from pathlib import Path


def audit_trail(seed: int | None = None, **files: Path | None) -> dict[str, str]:
    """Return command, seed, and name and SHA-256 of the files that were read, by what they hold."""
    given = {what: path for what, path in files.items() if path is not None and path.exists()}
    return {
        "Command": shlex.join(["sightline", *sys.argv[1:]]),
        **({} if seed is None else {"Seed": str(seed)}),
        **{f"File of the {what}": path.name for what, path in given.items()},
        **{f"SHA-256 of the {what} file": digest_of_file(path) for what, path in given.items()},
    }


def digest_of_file(path: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files' digests in the order of names."""
    if path.is_dir():
        files = sorted(part for part in path.rglob("*") if part.is_file())
        return hashlib.sha256("".join(map(digest_of_file, files)).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
