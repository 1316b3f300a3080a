"""The laboratory: the system that runs, stores, resumes and reports experiments.

``compare`` runs on it, as do the experiments of the papers and those behind our own claims. It never
imports ``judge``, and no estimator imports it.
"""

from sightline.lab._catalog import EXPERIMENTS, experiment
from sightline.lab._data_set import DataSet, LoadedSet
from sightline.lab._dots import Dots, dots
from sightline.lab._encoding import OneHotColumns, OriginalRows, for_tables, is_own
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Beside, FigureFile, Findings, ResultTable, figure_of
from sightline.lab._learner import Learner, Trial
from sightline.lab._page import figure, page, paragraph
from sightline.lab._point_names import FONT_SIZE, write_names
from sightline.lab._protocol import FoldId, Protocol
from sightline.lab._ranking import Ranking, rank_learners
from sightline.lab._reproduce import reproduce
from sightline.lab._results import Results
from sightline.lab._runner import Plan, run
from sightline.lab._store import ResultStore

__all__ = [
    "EXPERIMENTS",
    "FONT_SIZE",
    "Beside",
    "DataSet",
    "Dots",
    "Experiment",
    "FigureFile",
    "Findings",
    "FoldId",
    "Learner",
    "LoadedSet",
    "OneHotColumns",
    "OriginalRows",
    "Plan",
    "Protocol",
    "Ranking",
    "ResultStore",
    "ResultTable",
    "Results",
    "Trial",
    "dots",
    "experiment",
    "figure",
    "figure_of",
    "for_tables",
    "is_own",
    "page",
    "paragraph",
    "rank_learners",
    "reproduce",
    "run",
    "write_names",
]
