"""Ensembles, shown and explained."""

from sightline.show.ensembles._ensemble import EnsembleDisplay

__all__ = ["EnsembleDisplay"]
