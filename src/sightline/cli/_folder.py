"""Output files and folders: checked before the work, written after it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sightline.exceptions import SightlineError
from sightline.files import atomic_write

GENERATOR = '<meta name="generator" content="sightline">'
_HEAD = 2000
"""Bytes of a page in which it names its generator."""


def check_folder(folder: Path, option: str) -> None:
    """Raise unless the folder of an option can be written or created; nothing is created yet.

    Parameters
    ----------
    folder : Path
        The folder.
    option : str
        The option that names it.

    Raises
    ------
    SightlineError
        If a file is in the way, or permissions are missing.
    """
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise SightlineError(f"{folder}: {existing} is a file, not a folder. Choose another {option}.")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise SightlineError(f"{folder}: no permission to write to {existing}. Choose another {option}.")


def check_new_files(folder: Path, option: str, names: Iterable[str], force: bool) -> None:
    """Raise unless files can be written to the folder of an option without replacing those of others.

    Parameters
    ----------
    folder, option
        As in :func:`check_folder`.
    names : iterable of str
        Files to write. None of them may be there already, unless this command wrote the folder.
    force : bool
        Replace them anyway.

    Raises
    ------
    SightlineError
        If a file is in the way, or permissions are missing.
    """
    check_folder(folder, option)
    in_the_way = [name for name in names if (folder / name).exists()]
    if in_the_way and not force and not _is_own(folder):
        raise SightlineError(
            f"{folder}: {in_the_way[0]} exists already, and sightline did not write this folder. "
            f"Choose another {option}, or replace it with --force."
        )


def _is_own(folder: Path) -> bool:
    """Whether the command wrote a folder: its page says so, and the numbers are beside it."""
    page = folder / "report.html"
    if not page.is_file() or not (folder / "metrics.json").is_file():
        return False
    with page.open("rb") as file:
        return GENERATOR.encode() in file.read(_HEAD)


def check_file(path: Path, option: str) -> None:
    """Raise unless the file of an option can be written in its folder."""
    if path.is_dir():
        raise SightlineError(f"{path}: this is a folder, not a file. Choose another name.")
    if not path.parent.is_dir():
        raise SightlineError(f"{path}: the folder {path.parent} does not exist. Create it first.")
    check_folder(path.parent, option)


def write_folder(folder: Path, contents: dict[str, str]) -> None:
    """Write the files of a folder, each atomically; create the folder if needed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SightlineError(f"{folder}: cannot be written ({error.strerror}).") from error
    for name, content in contents.items():
        atomic_write(folder / name, content)
