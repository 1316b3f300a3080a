"""Fills the slots for shared text in docstrings, as importing sightline does, for the reference pages."""

from typing import Any

import griffe

from sightline.shared_docs import fill_slots


class SharedDocs(griffe.Extension):
    """Hook of griffe, which reads sources instead of importing them."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fill the docstring of a class or function."""
        if obj.docstring is not None:
            obj.docstring.value = fill_slots(obj.docstring.value)
