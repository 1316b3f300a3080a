"""Inspection: which columns matter and how, as plots in the style of scikit-learn's displays."""

from sightline.inspection._effect import ColumnEffect, column_effects
from sightline.inspection._effect_display import ColumnEffectDisplay
from sightline.inspection._fidelity_curve_display import FidelityCurveDisplay
from sightline.inspection._importance import ColumnImportance, column_importances
from sightline.inspection._importance_display import ColumnImportanceDisplay
from sightline.inspection._inspected import Inspected
from sightline.inspection._usage import share_tested

__all__ = [
    "ColumnEffect",
    "ColumnEffectDisplay",
    "ColumnImportance",
    "ColumnImportanceDisplay",
    "FidelityCurveDisplay",
    "Inspected",
    "column_effects",
    "column_importances",
    "share_tested",
]
