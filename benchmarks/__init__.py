"""Ratios against a peer or a reference, measured side by side in one run."""
