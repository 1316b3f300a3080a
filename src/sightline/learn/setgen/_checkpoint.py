"""A search on disk: what it takes to go on as if nothing had happened.

The file is JSON of one version. To change the format, raise ``VERSION`` and let
``read_checkpoint`` refuse or translate what is older; floats are written so that they come
back unchanged, because the resumed search must end with the same bytes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sightline.exceptions import DataError, ModelFormatError, ParameterError
from sightline.files import atomic_write

FORMAT = "sightline-setgen-checkpoint"
VERSION = 1


def write_checkpoint(path: str | Path, data: str, parameters: dict[str, Any], state: dict[str, Any]) -> None:
    """Replace a checkpoint in one step.

    Parameters
    ----------
    path : path-like
        The file.
    data : str
        Fingerprint of the rows, labels and folds.
    parameters : dict
        Whatever else decides about the course of the search.
    state : dict
        Where the search stands.
    """
    content = {"format": FORMAT, "version": VERSION, "data": data, "parameters": parameters, "state": state}
    atomic_write(path, json.dumps(content, separators=(",", ":"), allow_nan=False) + "\n")


def read_seed(path: str | Path) -> int:
    """Return the seed of a stored search."""
    return int(_read(path)["parameters"]["seed"])


def read_checkpoint(path: str | Path, data: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the state in a checkpoint of the same search.

    Parameters
    ----------
    path : path-like
        The file.
    data, parameters
        What the checkpoint must have been made with.

    Returns
    -------
    dict
        The state, as it was given to `write_checkpoint`.

    Raises
    ------
    ModelFormatError
        If the file is not a checkpoint of this version.
    DataError
        If it belongs to other rows or labels.
    ParameterError
        If it belongs to other parameters; the message names them.
    """
    content = _read(path)
    # The parameters went through JSON: tuples came back as lists.
    wanted = json.loads(json.dumps(parameters))
    differing = sorted(
        name
        for name in wanted.keys() | content["parameters"].keys()
        if wanted.get(name) != content["parameters"].get(name)
    )
    if differing == ["seed"]:
        raise ParameterError(
            f"The checkpoint {str(path)!r} was made with another random_state: "
            "use the same, None for its own, or another file."
        )
    if differing:
        # A preset is the reason of other differences.
        name = "preset" if "preset" in differing else differing[0]
        raise ParameterError(
            f"The checkpoint {str(path)!r} was made with {name}={content['parameters'].get(name)!r}, "
            f"this search has {name}={wanted.get(name)!r}: use the same parameters, or another file."
        )
    if content["data"] != data:
        raise DataError(
            f"The checkpoint {str(path)!r} belongs to other rows, labels or names of columns: "
            "fit with the same data, or name another file."
        )
    state: dict[str, Any] = content["state"]
    return state


def _read(path: str | Path) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_bytes())
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ModelFormatError(f"{str(path)!r} is not a checkpoint of a SET-GEN search.")
    if content.get("version") != VERSION:
        raise ModelFormatError(
            f"The checkpoint {str(path)!r} has version {content.get('version')!r}, "
            f"this sightline reads version {VERSION}."
        )
    if not all(isinstance(content.get(name), dict) for name in ("parameters", "state")):
        raise ModelFormatError(f"The checkpoint {str(path)!r} is damaged: parts of it are missing.")
    return content
