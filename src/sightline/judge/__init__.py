"""How faithful, accurate and simple models are, with a proof if possible."""

from sightline.judge._allowed_changes import ColumnLimits, Limits
from sightline.judge._certificate import Certificate, DifferenceBounds
from sightline.judge._certify import certify
from sightline.judge._compare import compare
from sightline.judge._comparison import MethodComparison, MethodResult
from sightline.judge._counterfactual import Change, Counterfactual, Counterfactuals, Distance
from sightline.judge._counterfactuals import counterfactuals
from sightline.judge._methods import KINDS, Method, built_in_methods
from sightline.measure import (
    Fidelity,
    Share,
    accuracy,
    ambiguity,
    complexity,
    error_rate,
    fidelity,
    stability,
)
from sightline.significance import (
    PairedComparison,
    WinDrawLoss,
    corrected_resampled_t_test,
    paired_t_test,
    wilcoxon_test,
    win_draw_loss,
)

__all__ = [
    "KINDS",
    "Certificate",
    "Change",
    "ColumnLimits",
    "Counterfactual",
    "Counterfactuals",
    "DifferenceBounds",
    "Distance",
    "Fidelity",
    "Limits",
    "Method",
    "MethodComparison",
    "MethodResult",
    "PairedComparison",
    "Share",
    "WinDrawLoss",
    "accuracy",
    "ambiguity",
    "built_in_methods",
    "certify",
    "compare",
    "complexity",
    "corrected_resampled_t_test",
    "counterfactuals",
    "error_rate",
    "fidelity",
    "paired_t_test",
    "stability",
    "wilcoxon_test",
    "win_draw_loss",
]
