"""Learners of trees and ensembles, for when none is given."""

from sightline.learn._bagged import BaggedTreesClassifier
from sightline.learn._boosted import BoostedTreesClassifier
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn._stumps import StumpEnsembleClassifier
from sightline.learn._subspace_knn import SubspaceKNNClassifier
from sightline.learn.setgen import SetGenClassifier

__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "Growth",
    "SetGenClassifier",
    "StumpEnsembleClassifier",
    "SubspaceKNNClassifier",
]
