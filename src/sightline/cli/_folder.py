"""Output files and folders: checked before the work, written after it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

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
        Files to write. None of them may be there already, unless this command wrote it.
    force : bool
        Replace them anyway.

    Raises
    ------
    SightlineError
        If a file is in the way, or permissions are missing.
    """
    check_folder(folder, option)
    if force:
        return
    own = _own_files(folder)
    in_the_way = [name for name in names if (folder / name).exists() and name not in own]
    if in_the_way:
        what = "this folder" if not own else "it"
        raise SightlineError(
            f"{folder}: {in_the_way[0]} exists already, and sightline did not write {what}. "
            f"Choose another {option}, or replace it with --force."
        )


def check_new_page(page: Path, option: str, force: bool) -> None:
    """Raise unless the page of an option can be written without replacing a file of others.

    Parameters
    ----------
    page : Path
        The page.
    option : str
        The option that names it.
    force : bool
        Replace the file anyway.
    """
    check_file(page, option)
    if page.exists() and not force and not _is_page(page):
        raise SightlineError(
            f"{page}: this file exists already, and sightline did not write it. "
            f"Choose another {option}, or replace it with --force."
        )


def _own_files(folder: Path) -> set[str]:
    """Return the files of a folder that the command wrote: its page and its numbers say so."""
    if not _is_page(folder / "report.html"):
        return set()
    try:
        numbers = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    files = numbers.get("files") if isinstance(numbers, dict) else None
    return {str(name) for name in files} if isinstance(files, list) else set()


def _is_page(path: Path) -> bool:
    """Whether a file is a page that says that sightline wrote it."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return GENERATOR.encode() in file.read(_HEAD)


def check_file(path: Path, option: str) -> None:
    """Raise unless the file of an option can be written in its folder."""
    if path.is_dir():
        raise SightlineError(f"{path}: this is a folder, not a file. Choose another name.")
    if not path.parent.is_dir():
        raise SightlineError(f"{path}: the folder {path.parent} does not exist. Create it first.")
    check_folder(path.parent, option)


def write_folder(folder: Path, contents: Mapping[str, str], metrics: Mapping[str, Any]) -> None:
    """Write the files of a folder, each atomically; create the folder if needed.

    The numbers come last and name all files, those of earlier runs too: these may be replaced next time.
    """
    names = {"metrics.json", *contents, *_own_files(folder)}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SightlineError(f"{folder}: cannot be written ({error.strerror}).") from error
    for name, content in contents.items():
        atomic_write(folder / name, content)
    numbers = {**metrics, "files": sorted(names)}
    text = json.dumps(numbers, allow_nan=False, ensure_ascii=False, indent=1)
    atomic_write(folder / "metrics.json", f"{text}\n")
