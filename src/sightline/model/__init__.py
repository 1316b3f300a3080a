"""Models that can be read: trees, ensembles and rule sets, and the file format they share."""

from sightline.model._ensemble import Ensemble, Link, combined
from sightline.model._format import read_model
from sightline.model._rule_set import Condition, Rule, RuleSet, RuleStatistics, Voting
from sightline.model._tree import LEAF, MULTIWAY, SUBSET, THRESHOLD, Tree, first_largest

__all__ = [
    "LEAF",
    "MULTIWAY",
    "SUBSET",
    "THRESHOLD",
    "Condition",
    "Ensemble",
    "Link",
    "Rule",
    "RuleSet",
    "RuleStatistics",
    "Tree",
    "Voting",
    "combined",
    "first_largest",
    "read_model",
]
