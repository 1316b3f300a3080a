"""Models for other programs: SQL, code, exchange formats, drawings."""

from sightline.export import (  # noqa: F401 - each registers the nouns that it can write
    _c,
    _drawing,
    _javascript,
    _onnx,
    _own,
    _pmml,
    _pmml_rules,
    _python,
    _sklearn,
    _sql,
    _sql_rules,
)
from sightline.export._registry import export, kind
from sightline.export._rounding import Rounding, round_thresholds

__all__ = ["Rounding", "export", "kind", "round_thresholds"]
