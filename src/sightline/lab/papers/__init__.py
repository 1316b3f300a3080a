"""The experiments of the papers: one file each, with a constant EXPERIMENT.

``numbers`` holds the numbers that the papers print.
"""
