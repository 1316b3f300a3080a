"""Models for other programs: SQL, code, exchange formats, drawings."""

from sightline.export import (  # noqa: F401 - each registers the nouns that it can write
    _c,
    _drawing,
    _javascript,
    _onnx,
    _own,
    _pmml,
    _python,
    _sklearn,
    _sql,
)
from sightline.export._registry import export, kind

__all__ = ["export", "kind"]
