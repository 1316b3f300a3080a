"""Summaries of ensembles that a person can read."""

from sightline.distill._ism import ISMClassifier
from sightline.distill._rule_set import RuleSetClassifier

__all__ = ["ISMClassifier", "RuleSetClassifier"]
