"""How faithful, how right and how simple models are, with proof where proof is possible."""

from sightline.judge._certificate import Certificate
from sightline.judge._certify import certify
from sightline.judge._compare import compare
from sightline.judge._comparison import MethodComparison
from sightline.judge._measures import (
    Fidelity,
    Share,
    accuracy,
    ambiguity,
    complexity,
    error_rate,
    fidelity,
    stability,
)
from sightline.judge._ranking import Ranking, rank_learners
from sightline.judge._reproduce import reproduce
from sightline.significance import (
    PairedComparison,
    WinDrawLoss,
    corrected_resampled_t_test,
    paired_t_test,
    wilcoxon_test,
    win_draw_loss,
)

__all__ = [
    "Certificate",
    "Fidelity",
    "MethodComparison",
    "PairedComparison",
    "Ranking",
    "Share",
    "WinDrawLoss",
    "accuracy",
    "ambiguity",
    "certify",
    "compare",
    "complexity",
    "corrected_resampled_t_test",
    "error_rate",
    "fidelity",
    "paired_t_test",
    "rank_learners",
    "reproduce",
    "stability",
    "wilcoxon_test",
    "win_draw_loss",
]
