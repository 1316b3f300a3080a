"""Rule sets, shown and explained."""

from sightline.show.rules._display import RuleSetDisplay
from sightline.show.rules._wording import RuleWording, counted_lines, strongest_first, voting_text

__all__ = ["RuleSetDisplay", "RuleWording", "counted_lines", "strongest_first", "voting_text"]
