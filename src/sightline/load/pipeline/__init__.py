"""Preprocessing in front of a model, undone: tests of its columns become tests of the caller's."""

from sightline.load.pipeline import (
    _containers,  # noqa: F401 - followers register themselves
    _elementwise,  # noqa: F401
    _encoders,  # noqa: F401
    _importer,  # noqa: F401 - so does the importer
    _imputers,  # noqa: F401
)
from sightline.load.pipeline._containers import ChosenColumns
from sightline.load.pipeline._derived import Derived, FromCategories, FromNumbers, Unchanged
from sightline.load.pipeline._follower import Follower, follows
from sightline.load.pipeline._ordered_doubles import LAST as LAST_RANK
from sightline.load.pipeline._ordered_doubles import double_of
from sightline.load.pipeline._pull_back import pull_back
from sightline.load.pipeline._steps_in_front import StepsInFront

__all__ = [
    "LAST_RANK",
    "ChosenColumns",
    "Derived",
    "Follower",
    "FromCategories",
    "FromNumbers",
    "StepsInFront",
    "Unchanged",
    "double_of",
    "follows",
    "pull_back",
]
