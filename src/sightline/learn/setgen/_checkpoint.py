"""Checkpoints: everything needed to resume a search as if it had never stopped.

The file is versioned JSON. To change the format, raise ``VERSION`` and let ``read_checkpoint``
refuse or translate older files. Floats round-trip, because a resumed search must end with the
same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sightline.checksums import has_right_checksum, with_checksum
from sightline.exceptions import DataError, ModelFormatError, ParameterError
from sightline.files import atomic_write

FORMAT = "sightline-setgen-checkpoint"
VERSION = 2
"""Version 1 had no checksum."""

ADDED = {"base__limits": "'weka'", "size_ratio": "per_fold", "genome": "list", "crossover": "uniform"}
"""Parameters that the first checkpoints did not have, with the only values that there were."""


def write_checkpoint(path: str | Path, data: str, parameters: dict[str, Any], state: dict[str, Any]) -> None:
    """Replace a checkpoint atomically.

    Parameters
    ----------
    path : path-like
        The file.
    data : str
        Fingerprint of the rows, labels and folds.
    parameters : dict
        Everything else that determines the course of the search.
    state : dict
        The state of the search.
    """
    content = {"format": FORMAT, "version": VERSION, "data": data, "parameters": parameters, "state": state}
    text = with_checksum(json.dumps(content, separators=(",", ":"), allow_nan=False))
    atomic_write(path, text + "\n")


def read_seed(path: str | Path) -> int:
    """Return the seed of a stored search."""
    with damage_in_words(path):
        return int(_read(path)["parameters"]["seed"])


def read_checkpoint(path: str | Path, data: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the state of the same search from its checkpoint.

    Parameters
    ----------
    path : path-like
        The file.
    data, parameters
        What the checkpoint must have been made with. Names that only the file has are parameters
        of other searches and do not matter.

    Returns
    -------
    dict
        The state that was passed to `write_checkpoint`.

    Raises
    ------
    ModelFormatError
        If the file is not a checkpoint of this version.
    DataError
        If it belongs to other rows or labels.
    ParameterError
        If it belongs to other parameters; the message names one.
    """
    content = _read(path)
    stored = {**ADDED, **content["parameters"]}
    # The stored parameters went through JSON, which turns tuples into lists.
    expected = json.loads(json.dumps(parameters))
    differing = [name for name in sorted(expected) if name not in stored or stored[name] != expected[name]]
    if differing == ["seed"]:
        raise ParameterError(
            f"The checkpoint {str(path)!r} was made with a different random_state. "
            "Use the same one, None to continue with its own, or another file."
        )
    if differing:
        # A different preset or search explains the other differences.
        name = next((name for name in ("preset", "search") if name in differing), differing[0])
        raise ParameterError(
            f"The checkpoint {str(path)!r} was made with {name}={stored.get(name)!r}, "
            f"but this search has {name}={expected[name]!r}. Use the same parameters, or another file."
        )
    if content["data"] != data:
        raise DataError(
            f"The checkpoint {str(path)!r} belongs to different rows, labels or column names. "
            "Fit with the same data, or use another file."
        )
    state: dict[str, Any] = content["state"]
    return state


def _read(path: str | Path) -> dict[str, Any]:
    raw = Path(path).read_bytes()
    try:
        text = raw.decode()
        content = json.loads(text)
    except (ValueError, RecursionError):
        if FORMAT.encode() in raw[:100]:
            raise ModelFormatError(_damaged(path)) from None
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFormatError(f"{str(path)!r} is not a checkpoint of a SET-GEN search.")
    if content.get("version") not in (1, VERSION):
        raise ModelFormatError(
            f"The checkpoint {str(path)!r} has version {content.get('version')!r}; "
            f"this version of sightline reads up to version {VERSION}."
        )
    is_whole = all(isinstance(content.get(name), dict) for name in ("parameters", "state"))
    has_checksum = content["version"] == VERSION or "checksum" in content
    if not is_whole or (has_checksum and not has_right_checksum(text)):
        raise ModelFormatError(_damaged(path))
    return content


@contextmanager
def damage_in_words(path: str | Path) -> Iterator[None]:
    """Raise a ModelFormatError if what is read of a checkpoint does not have its form.

    Checkpoints of version 1 have no checksum, so damage shows only when they are used.
    """
    try:
        yield
    except (ModelFormatError, DataError, ParameterError):
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise ModelFormatError(_damaged(path)) from error


def _damaged(path: str | Path) -> str:
    return f"The checkpoint {str(path)!r} is damaged. Restore a copy, or delete it to start the search again."
