"""Summarize an ensemble as one tree, one graph, one rule set or a few cases."""

from sightline.distill._artificial_rows import ArtificialRows
from sightline.distill._clone import cloned
from sightline.distill._cmm import CMMClassifier
from sightline.distill._decision import own_threshold
from sightline.distill._default_ensemble import (
    LEARNED_TREES,
    default_learner,
    learn_ensemble,
    learn_ordinary_tree,
    n_learned_trees,
)
from sightline.distill._distillation_set import DistillationSet
from sightline.distill._distilled_graph import DistilledGraphClassifier
from sightline.distill._distilled_tree_classifier import DistilledTreeClassifier
from sightline.distill._distilled_tree_regressor import DistilledTreeRegressor
from sightline.distill._ism_classifier import ISMClassifier
from sightline.distill._ism_regressor import ISMRegressor
from sightline.distill._merge import merge
from sightline.distill._meta_knn import MetaKNNClassifier, MetaKNNRegressor
from sightline.distill._monotone import checked_directions
from sightline.distill._out_of_bag import out_of_bag_mask
from sightline.distill._rule_pool import RulePool
from sightline.distill._rule_set import RuleSetClassifier, RuleSetRegressor
from sightline.distill._size_path import SizePath
from sightline.distill._teacher import Teacher, resolve_teacher, weights_for
from sightline.distill._tree_distiller import TreeDistiller
from sightline.distill._tree_limits import columns_named
from sightline.distill._voting_choice import FACTORS, SHARES, VotingChoice, best_voting, voting_errors

__all__ = [
    "FACTORS",
    "LEARNED_TREES",
    "SHARES",
    "ArtificialRows",
    "CMMClassifier",
    "DistillationSet",
    "DistilledGraphClassifier",
    "DistilledTreeClassifier",
    "DistilledTreeRegressor",
    "ISMClassifier",
    "ISMRegressor",
    "MetaKNNClassifier",
    "MetaKNNRegressor",
    "RulePool",
    "RuleSetClassifier",
    "RuleSetRegressor",
    "SizePath",
    "Teacher",
    "TreeDistiller",
    "VotingChoice",
    "best_voting",
    "checked_directions",
    "cloned",
    "columns_named",
    "default_learner",
    "learn_ensemble",
    "learn_ordinary_tree",
    "merge",
    "n_learned_trees",
    "out_of_bag_mask",
    "own_threshold",
    "resolve_teacher",
    "voting_errors",
    "weights_for",
]
