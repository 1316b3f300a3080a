"""Experiments behind our own claims and defaults: one file each, with a constant EXPERIMENT."""
