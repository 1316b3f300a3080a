"""Summaries of ensembles that a person can read."""

from sightline.distill._ism import ISMClassifier

__all__ = ["ISMClassifier"]
