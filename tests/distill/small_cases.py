"""Small tables with what an ensemble says about them, for the kernels of small trees and graphs."""

import numpy as np
from distill.distilled_tree_reference import codes_of, row_losses

import sightline as sl
from sightline import _core
from sightline.table import Column, Feature, Labels, Table

OBJECTIVES = {
    "labels": {},
    "labels and probabilities": {"label": 1.0, "target": 1.0},
    "probabilities": {"label": 0.0, "target": 3.0},
    "numbers": {"label": 0.0, "target": 1.0, "center": 1.25, "scale": 0.5},
    "absolute numbers": {"label": 0.0, "target": 1.0, "absolute": True, "center": 1.25, "scale": 0.5},
    "labels with support": {"limits": {"min_leaf": 4.0}},
    "numbers with support": {"label": 0.0, "target": 1.0, "limits": {"min_leaf": 4.0}},
    "weighted classes": {"target": 1.0, "class_weight": [0.5, 2.0, 1.25]},
    "costs": {"worth": [1.0, 0.5, 0.0, 0.0, 1.0, 0.25, 0.0, 0.0, 1.0]},
}


class Case:
    """A random small table and what some bagged trees say about it, in classes or in numbers."""

    def __init__(self, seed, n_rows=40, n_classes=3, with_missing=True, objective="labels"):
        rng = np.random.default_rng(seed)
        kinds = rng.permutation([0, 0, 3, 4])[: rng.integers(1, 5)]
        columns = []
        for index, n_values in enumerate(kinds):
            missing = rng.random(n_rows) < (rng.choice([0, 0.2]) if with_missing else 0)
            if n_values:
                values = np.where(missing, -1, rng.integers(n_values, size=n_rows)).astype(np.int32)
                columns.append(Column(Feature(f"c{index}", tuple("abcd"[:n_values])), values))
            else:
                values = np.where(missing, np.nan, rng.integers(6, size=n_rows) / 2)
                columns.append(Column(Feature(f"c{index}"), values))
        self.table = Table(columns)
        noise = rng.integers(n_classes, size=n_rows)
        signal = np.nan_to_num(columns[0].values.astype(float)) + (columns[-1].values > 0)
        truth = np.where(rng.random(n_rows) < 0.3, noise, signal.astype(int) % n_classes).astype(np.int32)
        given_labels = Labels(truth, np.arange(n_classes))
        base = sl.C45Classifier(binary_splits=True, prune=False, min_leaf=1)
        bagged = sl.BaggedTreesClassifier(base, n_trees=5, random_state=seed).fit(self.table, given_labels)
        self.ensemble = bagged.ensemble_
        self.labels = self.ensemble.predict(self.table).astype(np.int32)
        self.probabilities = self.ensemble.predict_proba(self.table)
        self.weights = rng.choice([0.25, 1.0, 2.0], size=n_rows)
        self.truth = self.observed = truth
        self.bins = _core.Bins(self.table.native(), self.ensemble.core)
        self.codes = codes_of(self.table, self.bins)
        self.is_numeric = "numbers" in objective
        self._set_objective(**OBJECTIVES[objective])
        if self.is_numeric:
            self.answers = self.probabilities @ np.arange(n_classes)[:, None]
            self.labels = np.zeros(n_rows, dtype=np.int32)
            self.observed = np.where(rng.random(n_rows) < 0.2, -1, 0).astype(np.int32)
        else:
            self.answers = self.probabilities
        self.targets = np.round((self.answers - self.center) / self.scale * 2**20) / 2**20
        self.n_classes = 0 if self.is_numeric else n_classes
        self.rows = self.native(np.arange(n_rows))

    def _set_objective(self, limits=None, **costs):
        self.objective, self.limits = _core.Objective(**costs), _core.Limits(**(limits or {}))
        self.importance = self.weights * np.take(costs.get("class_weight", np.ones(3)), self.labels)
        self.charges = 1.0 - np.eye(self.probabilities.shape[1])[self.labels]
        self.has_costs = "worth" in costs
        if self.has_costs:
            worth = self.probabilities @ np.reshape(costs["worth"], (3, 3))
            self.charges = np.round((worth.max(axis=1, keepdims=True) - worth) * 2**20) / 2**20
        self.label_cost, self.target_cost = costs.get("label", 1.0), costs.get("target", 0.0)
        self.absolute, self.min_leaf = costs.get("absolute", False), (limits or {}).get("min_leaf", 0.0)
        self.center, self.scale = costs.get("center", 0.0), costs.get("scale", 1.0)

    @property
    def tries_every_test(self):
        """Of the sets of categories only the best is tried, not those with more support."""
        return not self.min_leaf or not any(column.feature.is_nominal for column in self.table.columns)

    def native(self, order):
        rows = _core.DistillationRows(self.bins, self.n_classes, self.objective, self.limits)
        rows.add(
            self.table[order].native(),
            self.labels[order],
            self.answers[order].ravel(),
            self.weights[order],
            self.observed[order],
            self.charges[order].ravel() if self.has_costs else None,
        )
        return rows

    def grown(self, n_leaves, mixed=False):
        tree = _core.SmallTree()
        tree.grow(self.rows, n_leaves, mixed=mixed, min_weight=0.0)
        return tree

    def loss(self, tree):
        return row_losses(tree.nodes(), self, range(self.table.n_rows)).sum()
