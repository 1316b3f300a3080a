"""A tree, and its rules, small enough to check by hand, for the examples in this stage's documentation."""

from __future__ import annotations

import numpy as np

from sightline import _core
from sightline.model import Ensemble, RuleSet, RuleStatistics, Tree, Voting
from sightline.table import Feature, Schema


def credit_tree() -> Tree:
    """Return a tree of four leaves over age, income and purpose of a loan."""
    counts = np.array([[33, 67], [26, 14], [20, 5], [6, 9], [7, 53], [5, 15], [2, 38]], dtype=float)
    weight = counts.sum(axis=1)
    core = _core.Tree(
        n_values=[0, 0, 3],
        n_outputs=2,
        test=np.array([1, 1, 0, 0, 2, 0, 0], dtype=np.uint8),
        feature=np.array([0, 1, -1, -1, 2, -1, -1], dtype=np.int32),
        threshold=np.array([30.0, 2000.0, 0, 0, 0, 0, 0]),
        branch_begin=np.array([0, 2, 4, 4, 4, 6, 6, 6], dtype=np.int64),
        child=np.array([1, 4, 2, 3, 5, 6], dtype=np.int32),
        share=np.array([0.4, 0.6, 0.625, 0.375, 1 / 3, 2 / 3]),
        category_begin=np.array([0, 0, 0, 0, 0, 2, 2, 2], dtype=np.int64),
        category=np.array([0, 2], dtype=np.int32),
        weight=weight,
        output=(counts / weight[:, None]).ravel(),
        counts=counts.ravel(),
    )
    features = (
        Feature("age", None),
        Feature("income", None),
        Feature("purpose", ("car", "house", "holiday")),
    )
    return Tree(core, Schema(features), np.array(["bad", "good"]))


def credit_rules() -> RuleSet:
    """Return the leaves of the tree as rules; half of the conditions are enough for a small vote."""
    tree = credit_tree()
    core = _core.rules_of_ensemble(
        Ensemble.average([tree]).core, n_classes=2, adds_scores=False, raw=False, max_conditions=100
    )
    coverage = np.array([25.0, 15.0, 20.0, 40.0])
    precision = np.array([0.8, 0.6, 0.75, 0.95])
    statistics = RuleStatistics(coverage, precision, np.full(4, np.nan), np.full(4, np.nan))
    voting = Voting(prior=(0.33, 0.67), base=(0.0, 0.0), pc=0.5, wr=0.2)
    return RuleSet(core, tree.schema, np.array(["bad", "good"]), voting, statistics)
