"""A small ensemble of decision stumps that vote."""

from sightline.learn.stumps._classifier import StumpEnsembleClassifier

__all__ = ["StumpEnsembleClassifier"]
