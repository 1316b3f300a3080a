"""Learn trees and ensembles from a table."""

from sightline.learn._bagged_trees import BaggedTreesClassifier
from sightline.learn._boosted_trees import BoostedTreesClassifier
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn._small_units import SmallUnits
from sightline.learn._subspace_knn import SubspaceKNNClassifier
from sightline.learn._unhelpful_columns import MIN_ROWS, unhelpful_columns
from sightline.learn.setgen import (
    BackwardElimination,
    ForwardSelection,
    GeneticSearch,
    HillClimbing,
    RandomSearch,
    SetGenClassifier,
    SimulatedAnnealing,
)
from sightline.learn.stumps import StumpEnsembleClassifier

__all__ = [
    "MIN_ROWS",
    "BackwardElimination",
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "ForwardSelection",
    "GeneticSearch",
    "Growth",
    "HillClimbing",
    "RandomSearch",
    "SetGenClassifier",
    "SimulatedAnnealing",
    "SmallUnits",
    "StumpEnsembleClassifier",
    "SubspaceKNNClassifier",
    "unhelpful_columns",
]
