"""Sightline makes ensembles comprehensible.

It takes a fitted ensemble (or learns one), turns it into something a person can read, says
how faithful that is, with proof where proof is possible, and shows and exports it.
"""

from importlib.metadata import version as _version

from sightline.distill import (
    CMMClassifier,
    DistilledTreeClassifier,
    ISMClassifier,
    RuleSetClassifier,
    merge,
)
from sightline.exceptions import (
    BudgetExceeded,
    DataError,
    ModelFormatError,
    ParameterError,
    SightlineError,
    UnsupportedModelError,
)
from sightline.export import Rounding, round_thresholds
from sightline.judge import Certificate, certify, compare
from sightline.learn import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    C45Classifier,
    SetGenClassifier,
    StumpEnsembleClassifier,
)
from sightline.load import load
from sightline.model import Ensemble, Graph, RuleSet, Tree, read_model
from sightline.report import Report, report
from sightline.table import Labels, Table, make_loans, read_table

__version__ = _version("sightline")

__all__ = [  # noqa: RUF022 - grouped by stage
    # nouns
    "Ensemble",
    "Graph",
    "Labels",
    "RuleSet",
    "Table",
    "Tree",
    "make_loans",
    "read_model",
    "read_table",
    # learn, load
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "SetGenClassifier",
    "StumpEnsembleClassifier",
    "load",
    # distill
    "CMMClassifier",
    "DistilledTreeClassifier",
    "ISMClassifier",
    "RuleSetClassifier",
    "merge",
    # judge
    "Certificate",
    "certify",
    "compare",
    # export
    "Rounding",
    "round_thresholds",
    # report
    "Report",
    "report",
    # errors
    "BudgetExceeded",
    "DataError",
    "ModelFormatError",
    "ParameterError",
    "SightlineError",
    "UnsupportedModelError",
]
