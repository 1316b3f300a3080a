"""Models: trees, graphs, ensembles, rule sets and case bases, and the file format they share."""

from sightline.model import (  # noqa: F401 - each registers the stored form of some kinds of model
    _case_format,
    _ensemble_format,
    _node_format,
    _rule_format,
)
from sightline.model._black_box import BlackBox, can_be_queried, is_regressor
from sightline.model._box_answers import one_hot
from sightline.model._case_base import CaseBase, CaseJudgement
from sightline.model._case_base import Origin as Origin
from sightline.model._case_explanation import CaseExplanation, CaseMatch
from sightline.model._case_numbers import descriptions_of, member_centers
from sightline.model._category_names import with_categories
from sightline.model._class_sums import class_sums
from sightline.model._coverage import Coverage
from sightline.model._decision import Decision
from sightline.model._ensemble import Ensemble, combined, recombined
from sightline.model._explanation import Explanation, Explanations, reworded
from sightline.model._fidelity_curve import FidelityCurve
from sightline.model._findings import EnsembleAnswer, Findings, NearCase, Reason, RuleVote
from sightline.model._format import parse_model, read_model
from sightline.model._formula import Formula, FormulaBuilder
from sightline.model._graph import Graph
from sightline.model._kinds import KindTable
from sightline.model._leaf_lines import LeafLines, LineTerm
from sightline.model._leaf_proof import leaf_agreement
from sightline.model._link import Link
from sightline.model._members import (
    MemberViews,
    feature_use,
    member_views,
    members_text,
    n_members,
    n_voters,
    neighbour_views,
)
from sightline.model._neighbours import NeighbourEnsemble, most_voted
from sightline.model._node_numbers import NodeNumbers
from sightline.model._nodes import (
    ANY_NUMBER,
    LEAF,
    MULTIWAY,
    SUBSET,
    THRESHOLD,
    NodeModel,
    are_cuts,
    first_largest,
    stated_bounds,
)
from sightline.model._nodes import LabelSource as LabelSource
from sightline.model._noun import second_noun
from sightline.model._plain import finite_or_none, plain
from sightline.model._presence_tests import with_presence_tests
from sightline.model._proof import Proof, Status
from sightline.model._readable import Readable
from sightline.model._rows import n_threads, row_blocks
from sightline.model._rule import Condition, Rule, RuleErrors, RuleStatistics, Voting
from sightline.model._rule_set import RuleSet
from sightline.model._stump_table import StumpTable
from sightline.model._subject import AboutTarget, positive_index, with_labels_only
from sightline.model._tested_columns import tested_features
from sightline.model._tree import Tree

__all__ = [
    "ANY_NUMBER",
    "LEAF",
    "MULTIWAY",
    "SUBSET",
    "THRESHOLD",
    "AboutTarget",
    "BlackBox",
    "CaseBase",
    "CaseExplanation",
    "CaseJudgement",
    "CaseMatch",
    "Condition",
    "Coverage",
    "Decision",
    "Ensemble",
    "EnsembleAnswer",
    "Explanation",
    "Explanations",
    "FidelityCurve",
    "Findings",
    "Formula",
    "FormulaBuilder",
    "Graph",
    "KindTable",
    "LeafLines",
    "LineTerm",
    "Link",
    "MemberViews",
    "NearCase",
    "NeighbourEnsemble",
    "NodeModel",
    "NodeNumbers",
    "Proof",
    "Readable",
    "Reason",
    "Rule",
    "RuleErrors",
    "RuleSet",
    "RuleStatistics",
    "RuleVote",
    "Status",
    "StumpTable",
    "Tree",
    "Voting",
    "are_cuts",
    "can_be_queried",
    "class_sums",
    "combined",
    "descriptions_of",
    "feature_use",
    "finite_or_none",
    "first_largest",
    "is_regressor",
    "leaf_agreement",
    "member_centers",
    "member_views",
    "members_text",
    "most_voted",
    "n_members",
    "n_threads",
    "n_voters",
    "neighbour_views",
    "one_hot",
    "parse_model",
    "plain",
    "positive_index",
    "read_model",
    "recombined",
    "reworded",
    "row_blocks",
    "second_noun",
    "stated_bounds",
    "tested_features",
    "with_categories",
    "with_labels_only",
    "with_presence_tests",
]
