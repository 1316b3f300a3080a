"""Sightline makes ensembles comprehensible.

It takes a fitted ensemble (or learns one), turns it into something a person can read, says
how faithful that is, with proof where proof is possible, and shows and exports it.
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
from sightline.judge import Certificate, certify
from sightline.learn import (
    BaggedTreesClassifier,
    BoostedTreesClassifier,
    C45Classifier,
    SubspaceKNNClassifier,
)
from sightline.load import load
from sightline.model import CaseBase, Ensemble, Graph, RuleSet, Tree, read_model
from sightline.table import Labels, Table, read_table

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
    "read_model",
    "read_table",
    # learn, load
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "C45Classifier",
    "SubspaceKNNClassifier",
    "load",
    # distill
    "CMMClassifier",
    "DistilledTreeClassifier",
    "ISMClassifier",
    "MetaKNNClassifier",
    "RuleSetClassifier",
    "merge",
    # judge
    "Certificate",
    "certify",
    # errors
    "BudgetExceeded",
    "DataError",
    "ModelFormatError",
    "ParameterError",
    "SightlineError",
    "UnsupportedModelError",
]
