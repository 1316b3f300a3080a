"""Ensembles, shown and explained."""

from sightline.show.ensembles._display import EnsembleDisplay

__all__ = ["EnsembleDisplay"]
