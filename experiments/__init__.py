"""Measurements behind defaults and claims; each script writes its tables to docs/results."""
