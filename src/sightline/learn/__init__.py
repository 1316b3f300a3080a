"""Learners of trees and ensembles, for when none is given."""

from sightline.learn._bagged import BaggedTreesClassifier
from sightline.learn._boosted import BoostedTreesClassifier
from sightline.learn._c45 import C45Classifier, Growth
from sightline.learn._subspace_knn import SubspaceKNNClassifier

__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "Growth",
    "SubspaceKNNClassifier",
]
