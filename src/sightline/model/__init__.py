"""Models that can be read: trees and ensembles, and the file format they share."""

from sightline.model._ensemble import Ensemble, Link
from sightline.model._format import read_model
from sightline.model._tree import Tree

__all__ = ["Ensemble", "Link", "Tree", "read_model"]
