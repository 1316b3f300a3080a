"""SET-GEN: simpler C4.5 trees through a search over feature sets."""

from sightline.learn.setgen._classifier import SetGenClassifier
from sightline.learn.setgen._comparison import Comparison
from sightline.learn.setgen._evaluation import Evaluator
from sightline.learn.setgen._front import FrontPoint, ParetoFront
from sightline.learn.setgen._searches import (
    BackwardElimination,
    ForwardSelection,
    GeneticSearch,
    HillClimbing,
    RandomSearch,
    SimulatedAnnealing,
)

__all__ = [
    "BackwardElimination",
    "Comparison",
    "Evaluator",
    "ForwardSelection",
    "FrontPoint",
    "GeneticSearch",
    "HillClimbing",
    "ParetoFront",
    "RandomSearch",
    "SetGenClassifier",
    "SimulatedAnnealing",
]
