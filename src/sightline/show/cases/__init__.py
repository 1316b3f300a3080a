"""Cases and neighbors, shown and explained."""

from sightline.show.cases._display import CaseBaseDisplay, case_notes
from sightline.show.cases._explanation import CaseExplanationDisplay
from sightline.show.cases._neighbors import NeighborsDisplay

__all__ = ["CaseBaseDisplay", "CaseExplanationDisplay", "NeighborsDisplay", "case_notes"]
