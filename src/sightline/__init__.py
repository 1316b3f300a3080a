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

__all__ = ["CaseBase", "Ensemble", "Graph", "Labels", "RuleSet", "Table", "Tree"]
__all__ += ["load", "make_loans", "read_model", "read_table"]
__all__ += ["BaggedTreesClassifier", "BoostedTreesClassifier", "C45Classifier", "SetGenClassifier"]
__all__ += ["StumpEnsembleClassifier", "SubspaceKNNClassifier"]
__all__ += [
    "CMMClassifier",
    "DistilledTreeClassifier",
    "ISMClassifier",
    "MetaKNNClassifier",
    "RuleSetClassifier",
]
__all__ += ["Certificate", "Report", "Rounding", "certify", "compare", "merge", "report", "round_thresholds"]
__all__ += ["BudgetExceeded", "DataError", "ModelFormatError", "ParameterError", "SightlineError"]
__all__ += ["UnsupportedModelError"]
