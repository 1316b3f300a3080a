"""Something to read out of an ensemble: one tree, one graph, one rule set, a few cases."""

from sightline.distill._artificial_rows import ArtificialRows
from sightline.distill._cmm import CMMClassifier
from sightline.distill._distilled_tree import DistilledTreeClassifier
from sightline.distill._distiller import TreeDistiller
from sightline.distill._ism import ISMClassifier
from sightline.distill._lessons import Lessons
from sightline.distill._merge import merge
from sightline.distill._meta_knn import MetaKNNClassifier
from sightline.distill._rule_set import RuleSetClassifier
from sightline.distill._size_dial import LeafDial, SizeDial
from sightline.distill._teacher import Teacher, resolve_teacher
from sightline.distill._voting_choice import FACTORS, SHARES, VotingChoice, voting_errors

__all__ = [
    "FACTORS",
    "SHARES",
    "ArtificialRows",
    "CMMClassifier",
    "DistilledTreeClassifier",
    "ISMClassifier",
    "LeafDial",
    "Lessons",
    "MetaKNNClassifier",
    "RuleSetClassifier",
    "SizeDial",
    "Teacher",
    "TreeDistiller",
    "VotingChoice",
    "merge",
    "resolve_teacher",
    "voting_errors",
]
