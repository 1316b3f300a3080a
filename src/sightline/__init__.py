"""Sightline makes ensembles comprehensible.

It takes or learns an ensemble, puts something readable in its place, says how faithful that is, and shows it.
"""

from importlib.metadata import version as _version

from sightline.distill import (
    CMMClassifier,
    DistilledTreeClassifier,
    ISMClassifier,
    MetaKNNClassifier,
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
    SubspaceKNNClassifier,
)
from sightline.load import load
from sightline.model import CaseBase, Ensemble, Graph, RuleSet, Tree, read_model
from sightline.report import Report, report
from sightline.table import Labels, Table, make_loans, read_table

__version__ = _version("sightline")

__all__ = [  # noqa: RUF022 - grouped by stage
    # nouns
    "CaseBase",
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
    "SubspaceKNNClassifier",
    "load",
    # distill
    "CMMClassifier",
    "DistilledTreeClassifier",
    "ISMClassifier",
    "MetaKNNClassifier",
    "RuleSetClassifier",
    "merge",
    # judge, report
    "Certificate",
    "certify",
    "compare",
    # export
    "Rounding",
    "round_thresholds",
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
