"""Measures of models: accuracy, fidelity, size and stability."""

from sightline.measure._agreement import accuracy, error_rate
from sightline.measure._all_predictions import AllPredictions, read, teacher_of
from sightline.measure._calibration import CalibrationBin
from sightline.measure._class_balance import ClassBalance
from sightline.measure._class_quality import ClassQuality, ScoreQuality
from sightline.measure._complexity import complexity
from sightline.measure._deviance import deviance_name
from sightline.measure._difference import Differences
from sightline.measure._display import (
    calibration_table,
    confusion_caption,
    confusion_table,
    measure_notes,
    measure_table,
)
from sightline.measure._estimate import Estimate, error_text, error_texts, score_text
from sightline.measure._fidelity import Fidelity, ScoreAgreement, fidelity, measured
from sightline.measure._interval import mean_interval, standard_error
from sightline.measure._label_match import check_known
from sightline.measure._measure import measure
from sightline.measure._measures import Measures
from sightline.measure._number_errors import NumberErrors
from sightline.measure._ordinary_tree import leaves_of, ordinary_tree_for, with_threshold_of
from sightline.measure._predicted import Predicted
from sightline.measure._row_weights import RowWeights
from sightline.measure._stability import ambiguity, stability
from sightline.wording import Share

__all__ = [
    "AllPredictions",
    "CalibrationBin",
    "ClassBalance",
    "ClassQuality",
    "Differences",
    "Estimate",
    "Fidelity",
    "Measures",
    "NumberErrors",
    "Predicted",
    "RowWeights",
    "ScoreAgreement",
    "ScoreQuality",
    "Share",
    "accuracy",
    "ambiguity",
    "calibration_table",
    "check_known",
    "complexity",
    "confusion_caption",
    "confusion_table",
    "deviance_name",
    "error_rate",
    "error_text",
    "error_texts",
    "fidelity",
    "leaves_of",
    "mean_interval",
    "measure",
    "measure_notes",
    "measure_table",
    "measured",
    "ordinary_tree_for",
    "read",
    "score_text",
    "stability",
    "standard_error",
    "teacher_of",
    "with_threshold_of",
]
