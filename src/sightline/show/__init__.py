"""Models for people: text, drawings, sentences."""
