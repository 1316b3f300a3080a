"""Ensembles, shown and explained."""
