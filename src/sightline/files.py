"""Write files atomically, and lock them."""

from __future__ import annotations

import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from sightline.exceptions import ParameterError, SightlineError

__all__ = ["atomic_file", "atomic_write", "checked_path", "file_lock"]

_SUFFIX = ".tmp"
_SECONDS_UNTIL_STALE = 3600
"""No writer takes so long between its first byte and the renaming."""


def checked_path(path: Any) -> Path:
    """Return the path that a caller gives, or raise if it is none.

    Raises
    ------
    ParameterError
        If it is neither text nor a path.

    Examples
    --------
    >>> checked_path(1)
    Traceback (most recent call last):
    sightline.exceptions.ParameterError: A path must be a string or a pathlib.Path. Got 1 instead.
    """
    if not isinstance(path, str | os.PathLike):
        raise ParameterError(f"A path must be a string or a pathlib.Path. Got {path!r} instead.")
    return Path(path)


def atomic_write(path: str | Path, content: str | bytes) -> None:
    """Replace a file in one step.

    The content is written to a temporary file in the same folder, synced and renamed. So no reader
    ever sees half of it, even after a crash or with a full disk.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    content : str or bytes
        The content. Text is encoded as UTF-8.

    Raises
    ------
    SightlineError
        If the file cannot be written. The old file is then unchanged.
    """
    data = content.encode() if isinstance(content, str) else content
    with atomic_file(path) as file:
        file.write(data)


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """Open a file that replaces another one in one step, when all of it is written.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.

    Yields
    ------
    binary file
        To be written piece by piece.

    Raises
    ------
    SightlineError
        If the file cannot be written. The old file is then unchanged, as after any other error.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_file(f"{folder}/rows.txt") as file:
    ...         _ = file.write(b"one row")
    ...     Path(f"{folder}/rows.txt").read_text()
    'one row'
    """
    try:
        with _replacement(checked_path(path)) as file:
            yield file
    except OSError as error:
        raise SightlineError(f"{path}: cannot be written ({error.strerror or error}).") from error


@contextmanager
def _replacement(path: Path) -> Iterator[BinaryIO]:
    # A link stays a link: its target is replaced.
    target = path.resolve()
    prefix = f".{target.name[:40]}."
    _sweep(target.parent, prefix)
    handle, temporary = tempfile.mkstemp(prefix=prefix, suffix=_SUFFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _sweep(folder: Path, prefix: str) -> None:
    """Remove the temporary files that killed writers of the same file left behind an hour ago or earlier."""
    before = time.time() - _SECONDS_UNTIL_STALE
    name_of_ours = re.compile(re.escape(prefix) + r"[a-z0-9_]{8}" + re.escape(_SUFFIX))
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if name_of_ours.fullmatch(entry.name):
                with suppress(OSError):
                    if entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < before:
                        Path(entry.path).unlink()


@contextmanager
def file_lock(path: str | Path) -> Iterator[None]:
    """Lock a file against other processes.

    The lock is a file next to it with the suffix ``.lock``. The operating system releases it when
    the process ends, so a killed process leaves nothing to clean up.

    Parameters
    ----------
    path : path-like
        The file. It need not exist, but its folder must.

    Raises
    ------
    SightlineError
        If another process holds the lock.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, file_lock(f"{folder}/search.json"):
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['search.json.lock']
    """
    lock = Path(f"{path}.lock")
    while True:
        handle = os.open(lock, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            _lock(handle)
            # The previous holder may have removed the file that was just locked.
            if _is_same(handle, lock):
                break
        except OSError:
            os.close(handle)
            raise SightlineError(
                f"Another process is working on {str(path)!r}. Wait until it ends, or pass another file."
            ) from None
        os.close(handle)
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()
        os.close(handle)


def _lock(handle: int) -> None:
    try:
        import fcntl  # noqa: PLC0415 - not on Windows
    except ImportError:
        import msvcrt  # noqa: PLC0415 - only on Windows

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_same(handle: int, path: Path) -> bool:
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    here = os.fstat(handle)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
