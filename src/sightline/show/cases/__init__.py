"""Cases and neighbors, shown and explained."""
