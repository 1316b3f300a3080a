"""How files are written: whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Replace a file in one step.

    The content goes to a temporary file in the same folder, is synced and renamed, so
    that a reader, a crash or a full disk never meets half of it.

    Parameters
    ----------
    path : path-like
        The file; its folder must exist.
    content : str or bytes
        What to write; text is encoded as UTF-8.

    Raises
    ------
    OSError
        If the folder cannot be written; the old file is then untouched.
    """
    # A link stays a link: what it points to is replaced.
    target = Path(path).resolve()
    data = content.encode() if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
