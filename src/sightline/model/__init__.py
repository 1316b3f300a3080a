"""Models that can be read: trees and ensembles, and the file format they share."""

from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._format import read_model
from sightline.model._tree import LEAF, MULTIWAY, SUBSET, THRESHOLD, Tree, first_largest

__all__ = [
    "LEAF",
    "MULTIWAY",
    "SUBSET",
    "THRESHOLD",
    "Ensemble",
    "Link",
    "Tree",
    "combined",
    "first_largest",
    "read_model",
]
