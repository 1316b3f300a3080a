"""Models for people: text, drawings, sentences."""

from sightline.show import _html, _plot, _svg, _text  # noqa: F401 - each registers what it does for a model
from sightline.show._verbs import explain, plot, to_html, to_svg, to_text

__all__ = ["explain", "plot", "to_html", "to_svg", "to_text"]
