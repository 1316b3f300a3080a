"""The experiments of the papers: one file each, that describes it in a constant EXPERIMENT.

To add one: write ``papers/<name>.py``, put the numbers that the paper prints into
``papers/numbers``, and name it here.
"""

from __future__ import annotations

import importlib

from sightline.exceptions import ParameterError
from sightline.lab._experiment import Experiment

NAMES = ("ism", "stumps", "rules", "setgen", "metaknn")


def experiment(name: str) -> Experiment:
    """Return the experiment of a paper.

    Parameters
    ----------
    name : str
        One of ``NAMES``.

    Raises
    ------
    ParameterError
        If there is none of that name.

    Examples
    --------
    >>> experiment("ism").protocol.n_repeats
    5
    """
    if name not in NAMES:
        raise ParameterError(f"There is no experiment {name!r}; there are {', '.join(NAMES)}.")
    found: Experiment = importlib.import_module(f"sightline.lab.papers.{name}").EXPERIMENT
    return found
