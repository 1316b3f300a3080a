"""Pickles of models: what their JSON says, and the labels, which JSON may not be able to hold."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np


class PickledAsJson:
    """Makes a pickle of a model that can be written as JSON, whatever its labels are."""

    _labels_attribute: ClassVar[str] = "classes_"

    def __getstate__(self) -> dict[str, Any]:
        from sightline.model._format import write_model  # noqa: PLC0415 - the format knows every noun

        labels = getattr(self, self._labels_attribute)
        numbered = object.__new__(type(self))
        numbered.__dict__.update(self.__dict__)
        setattr(numbered, self._labels_attribute, None if labels is None else np.arange(len(labels)))
        return {"json": write_model(numbered), "labels": labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from sightline.model._format import parse_model  # noqa: PLC0415

        self.__dict__.update(parse_model(state["json"], "a pickle").__dict__)
        setattr(self, self._labels_attribute, state["labels"])
