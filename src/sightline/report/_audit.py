"""The audit trail of a page: when it was made, from which bytes, and with which versions."""

from __future__ import annotations

import hashlib
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import numpy as np

from sightline.model import BlackBox
from sightline.report._evidence import Evidence
from sightline.table import Table

LIBRARIES = ("sightline", "numpy", "scikit-learn")


def audit_lines(evidence: Evidence) -> dict[str, str]:
    """Return date, checksums and versions by what they are.

    The environment variable SOURCE_DATE_EPOCH replaces the date, so that pages can be reproduced.
    """
    versions = [f"{name} {version(name)}" for name in LIBRARIES]
    return {
        "Made on": _now().strftime("%Y-%m-%d %H:%M UTC"),
        "SHA-256 of the rows": digest_of_rows(evidence.rows, evidence.labels),
        **_digest_of_model(evidence.model),
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}"]),
    }


def _digest_of_model(model: Any) -> dict[str, str]:
    if isinstance(getattr(model, "predictor", model), BlackBox):
        return {"Model file": "none, because no file can hold the black box that gives the labels"}
    return {"SHA-256 of model.json": hashlib.sha256(model.to_json().encode()).hexdigest()}


def digest_of_rows(rows: Table, labels: np.ndarray | None = None) -> str:
    """Return the SHA-256 of the names, values and labels of rows.

    Examples
    --------
    >>> import numpy as np
    >>> first, second = (Table.from_any(np.array([[1.0, value]])) for value in (2.0, 3.0))
    >>> digest_of_rows(first) == digest_of_rows(first[:]), digest_of_rows(first) == digest_of_rows(second)
    (True, False)
    """
    digest = hashlib.sha256()
    for column in rows.columns:
        digest.update(repr((column.name, column.feature.categories)).encode())
        digest.update(np.where(column.is_missing, 0, column.values).tobytes())
        digest.update(column.is_missing.tobytes())
    if labels is not None:
        digest.update(repr(labels.tolist()).encode())
    return digest.hexdigest()


def _now() -> datetime:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
