"""Models for people: text, drawings, sentences."""

from sightline.show import _text
from sightline.show._verbs import explain, plot, to_html, to_svg, to_text

__all__ = ["explain", "plot", "to_html", "to_svg", "to_text"]
