"""Scripts behind the numbers and pictures in docs/results."""
