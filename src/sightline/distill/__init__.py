"""Something to read out of an ensemble: one tree, one graph, one rule set, a few cases."""

from sightline.distill._ism import ISMClassifier
from sightline.distill._merge import merge

__all__ = ["ISMClassifier", "merge"]
