"""Folders and files that a verb writes: looked at before the work, written after it."""

from __future__ import annotations

import os
from pathlib import Path

from sightline.exceptions import SightlineError
from sightline.files import atomic_write


def check_folder(folder: Path) -> None:
    """Raise unless a folder can be written, or made; nothing is made yet.

    Raises
    ------
    SightlineError
        Saying what is in the way.
    """
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir():
        raise SightlineError(f"{folder}: {existing} is a file, not a folder: choose another --out.")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise SightlineError(f"{folder}: {existing} cannot be written: choose another --out.")


def check_file(path: Path) -> None:
    """Raise unless a file can be written in its folder."""
    if path.is_dir():
        raise SightlineError(f"{path}: this is a folder, not a file: choose another --out.")
    if not path.parent.is_dir():
        raise SightlineError(f"{path}: there is no folder {path.parent}: make it first.")
    check_folder(path.parent)


def write_folder(folder: Path, contents: dict[str, str]) -> None:
    """Write all files of a folder, each whole; the folder is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            atomic_write(folder / name, content)
    except OSError as error:
        raise SightlineError(f"{folder}: cannot be written ({error.strerror}).") from error


def write_file(path: Path, content: str) -> None:
    """Write one file, whole."""
    try:
        atomic_write(path, content)
    except OSError as error:
        raise SightlineError(f"{path}: cannot be written ({error.strerror}).") from error
