"""Trees and graphs, shown and explained."""
