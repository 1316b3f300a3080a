"""Places, colors and shapes of drawings."""
