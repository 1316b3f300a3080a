"""Every experiment by name."""

from __future__ import annotations

import importlib

from sightline.exceptions import ParameterError
from sightline.lab._experiment import Experiment

PAPERS = ("ism", "stumps", "rules", "setgen", "metaknn")
CLAIMS = (
    "black_box",
    "distilled_graph",
    "distilled_tree",
    "few_rules",
    "regression",
    "setgen_presets",
    "setgen_searches",
)
EXPERIMENTS = (*PAPERS, *CLAIMS)


def experiment(name: str) -> Experiment:
    """Return an experiment.

    Parameters
    ----------
    name : str
        One of ``EXPERIMENTS``; hyphens count as underscores.

    Raises
    ------
    ParameterError
        If there is no experiment of that name.

    Examples
    --------
    >>> experiment("ism").protocol.n_repeats
    5
    """
    module = name.replace("-", "_")
    if module not in EXPERIMENTS:
        raise ParameterError(f"There is no experiment {name!r}. Choose from: {', '.join(EXPERIMENTS)}.")
    folder = "papers" if module in PAPERS else "claims"
    found: Experiment = importlib.import_module(f"sightline.lab.{folder}.{module}").EXPERIMENT
    return found
