"""Rule sets, shown and explained."""
