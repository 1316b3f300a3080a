"""Summaries of ensembles that a person can read."""
