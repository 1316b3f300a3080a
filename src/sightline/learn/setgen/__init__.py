"""SET-GEN: simpler C4.5 trees by a search over the sets of features that they may test."""

from sightline.learn.setgen._classifier import SetGenClassifier
from sightline.learn.setgen._comparison import Comparison
from sightline.learn.setgen._front import FrontPoint, ParetoFront

__all__ = ["Comparison", "FrontPoint", "ParetoFront", "SetGenClassifier"]
