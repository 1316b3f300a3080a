"""Models that can be read: trees and ensembles, and the file format they share."""

from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._fidelity_curve import FidelityCurve
from sightline.model._format import read_model
from sightline.model._rows import n_threads
from sightline.model._tree import LEAF, MULTIWAY, SUBSET, THRESHOLD, Tree, first_largest

__all__ = [
    "LEAF",
    "MULTIWAY",
    "SUBSET",
    "THRESHOLD",
    "Ensemble",
    "FidelityCurve",
    "Link",
    "Tree",
    "combined",
    "first_largest",
    "n_threads",
    "read_model",
]
