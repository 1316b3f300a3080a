"""Pickles of models: their JSON, plus labels that JSON may not be able to hold."""

from __future__ import annotations

from typing import Any

import numpy as np


class PickledAsJson:
    """Makes a pickle of a model that can be written as JSON, whatever its labels are."""

    classes_: Any  # labels, or None where outputs are numbers

    def __getstate__(self) -> dict[str, Any]:
        from sightline.model._format import write_model  # noqa: PLC0415 - the format knows every noun

        labels = self.classes_
        numbered = object.__new__(type(self))
        numbered.__dict__.update(self.__dict__)
        numbered.classes_ = None if labels is None else np.arange(len(labels))
        return {"json": write_model(numbered), "labels": labels}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from sightline.model._format import parse_model  # noqa: PLC0415

        self.__dict__.update(parse_model(state["json"], "a pickle").__dict__)
        self.classes_ = state["labels"]
