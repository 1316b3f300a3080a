"""The experiments of the papers, one description each."""
