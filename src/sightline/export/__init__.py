"""Write models for other programs: SQL, code, exchange formats, drawings."""

from sightline.export._c import to_c
from sightline.export._drawing import to_dot, to_svg
from sightline.export._javascript import predictor_data, predictor_source, to_javascript
from sightline.export._onnx import to_onnx
from sightline.export._own import to_json
from sightline.export._pmml import to_pmml
from sightline.export._python import to_python
from sightline.export._registry import export, target
from sightline.export._rounding import Rounding, round_thresholds
from sightline.export._sklearn import to_sklearn
from sightline.export._sql import to_sql

__all__ = [
    "Rounding",
    "export",
    "predictor_data",
    "predictor_source",
    "round_thresholds",
    "target",
    "to_c",
    "to_dot",
    "to_javascript",
    "to_json",
    "to_onnx",
    "to_pmml",
    "to_python",
    "to_sklearn",
    "to_sql",
    "to_svg",
]
