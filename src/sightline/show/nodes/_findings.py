"""What a tree or graph predicts for rows and why, route by route."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.model import BlackBox, Ensemble, Graph, NodeModel, Reason, Status, Tree
from sightline.show._conditions import Conditions
from sightline.show._model_findings import ModelFindings, missing_text
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._row import Rows
from sightline.show.nodes._explain import PathSentences, missing_features
from sightline.show.nodes._leaf_proofs import LeafProofs
from sightline.show.nodes._routes import Route, Routes
from sightline.wording import all_of


class NodeFindings(ModelFindings):
    """The predictions of a tree or graph.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    rows : Rows
        The rows.
    ensemble : Ensemble or BlackBox, optional
        What it summarizes.
    """

    def __init__(self, tree: NodeModel, rows: Rows, ensemble: Ensemble | BlackBox | None = None) -> None:
        codes, outputs = _answers(tree, rows)
        # Shares of the labels that a black box gives would be taken for its probability.
        has_shares_only = tree.classes_ is not None and tree.schema.subject.has_labels_only
        super().__init__(rows, tree.classes_, codes, None if has_shares_only else outputs, ensemble)
        self.tree = tree
        self.target = tree.schema.subject.target
        self.is_weighted = tree.schema.subject.is_weighted
        self.has_leads = isinstance(tree, Tree) and tree.label_costs is not None
        self._reasons_known: dict[int, dict[int, Reason]] = {}

    @cached_property
    def routes(self) -> Routes:
        """The routes of the rows."""
        return Routes(self.tree, self.rows.table)

    @cached_property
    def outline(self) -> Outline:
        """The shape of the tree."""
        return Outline.of(self.tree)

    @cached_property
    def wording(self) -> NodeWording:
        """How its tests read."""
        return NodeWording(self.tree)

    @cached_property
    def proofs(self) -> LeafProofs:
        """What is proved about its leaves."""
        return LeafProofs(self.tree, self.ensemble if isinstance(self.ensemble, Ensemble) else None)

    def sentences(self, row: int) -> str:
        """Explain a row by its path: what the ensemble predicts for this row, then for the whole path."""
        answer = self.ensemble_answer(row)
        sentences = PathSentences(
            self.tree,
            self.rows.row(row),
            self._route(row),
            self.outline,
            self.proofs,
            is_refuted=answer is not None and answer.agrees is False,
            has_probability=self.probabilities is not None,
        )
        told = self._with_opinion("", row).lstrip("\n")
        proof, is_proved = sentences.proof(is_after_answer=bool(told))
        if told and proof and not is_proved:
            told = f"For this row, {told[0].lower()}{told[1:]}"
        return "\n".join(filter(None, [sentences.text(), told, proof]))

    def _route(self, row: int) -> Route:
        return self.routes[int(self.routes.of_row[row])]

    @cached_property
    def _first_rows(self) -> NDArray[np.intp]:
        """The first row of each route: all rows of a route get the same label."""
        return np.asarray(np.unique(self.routes.of_row, return_index=True)[1])

    @cached_property
    def _changes(self) -> NDArray[np.float64]:
        return self.routes.changes(self.codes[self._first_rows])

    def _change_of(self, index: int) -> dict[int, float]:
        """Return how much the tests of each feature on a route moved the answer, first tests first."""
        steps = self.routes[index].steps
        moved: dict[int, float] = {}
        begin = int(self.routes.begin[index])
        for step, change in zip(steps, self._changes[begin : begin + len(steps)].tolist(), strict=True):
            moved[step.feature] = moved.get(step.feature, 0.0) + change
        return moved

    def conditions(self, row: int) -> tuple[Reason, ...]:
        """Return the conditions on the row's path."""
        index = int(self.routes.of_row[row])
        if not self._line_features:
            reasons = self._reasons_of(index)
        else:
            changes = dict(self._change_of(index))
            for feature, change in self._line_changes(row).items():
                changes[feature] = changes.get(feature, 0.0) + change
            reasons = self._reasons(index, changes)
        return tuple(
            replace(reason, value=self.rows.value(feature, row)) for feature, reason in reasons.items()
        )

    def _reasons_of(self, index: int) -> dict[int, Reason]:
        if index not in self._reasons_known:
            self._reasons_known[index] = self._reasons(index, self._change_of(index))
        return self._reasons_known[index]

    def _reasons(self, index: int, changes: dict[int, float]) -> dict[int, Reason]:
        """Return the conditions of a route by feature, without the values of a row."""
        known = self.routes[index].known(self.wording)
        reasons = {}
        for f, change in changes.items():
            column = self.tree.schema.features[f]
            text, (low, high) = self._condition(f, known), known.bounds(f)
            reasons[f] = Reason(
                column.name,
                text,
                None,
                change,
                low,
                high,
                known.values(f),
                column.unit,
                column.kind,
                known.excluded(f),
            )
        return reasons

    def _condition(self, feature: int, known: Conditions) -> str:
        if feature in known:
            return known.string(feature)
        is_tested = feature not in self._line_features
        return missing_text(self.tree.schema.features[feature]) if is_tested else self.wording.name(feature)

    @cached_property
    def _line_features(self) -> set[int]:
        lines = self.tree.lines if isinstance(self.tree, Tree) else None
        return set() if lines is None else set(lines.feature.tolist())

    def _line_changes(self, row: int) -> dict[int, float]:
        """Return what the line of a leaf adds to its number, column by column."""
        lines = self.tree.lines if isinstance(self.tree, Tree) else None
        leaf = self._route(row).leaf
        if lines is None or leaf is None:
            return {}
        columns = self.rows.table.columns
        terms = {
            term.feature: term.slope * (float(columns[term.feature].values[row]) - term.center)
            for term in lines.terms(leaf)
        }
        terms = {feature: change for feature, change in terms.items() if not math.isnan(change)}
        added = float(self.predictions[row]) - float(self.tree.core.output[leaf, 0])
        total = sum(terms.values())
        # Where a bound cuts the line off, every term counts in part.
        return {feature: change * added / total for feature, change in terms.items()} if total else {}

    def support(self, row: int) -> tuple[float | None, float | None]:
        """Return how many training rows reached the row's leaf, and the share of its label."""
        leaf = self._route(row).leaf
        return (None, None) if leaf is None else self._evidence(leaf)

    def _evidence(self, leaf: int) -> tuple[float | None, float | None]:
        # The rows of a graph's leaf took several paths.
        if not self.outline.has_rows or isinstance(self.tree, Graph):
            return None, None
        weight = float(self.outline.weight[leaf])
        if not weight or not counts_own_labels(self.tree):
            return weight, None
        return weight, self.outline.share_of_best(leaf)

    def base_rate(self, row: int) -> float | None:
        """Return the share of the row's label among all training rows."""
        is_known = self.outline.has_rows and counts_own_labels(self.tree)
        return float(self.outline.mix[0, self.codes[row]]) if is_known else None

    def is_usual(self, row: int) -> bool:
        """Return whether most training rows end in leaves with the row's label."""
        return self.outline.usual == int(self.codes[row])

    def is_proved(self, row: int, search: bool = True) -> bool | None:
        """Return whether the ensemble provably agrees on the row's path."""
        route = self._route(row)
        if route.leaf is None or (self.tree.proof is None and self.opinion is None):
            return None
        answer = self.ensemble_answer(row)
        if answer is not None and answer.agrees is False:
            return False
        missing = missing_features(self.tree.schema, self.rows.row(row).values)
        status = self.proofs.status(route.leaf, route.path(route.leaf), missing, search)
        return {Status.PROVED: True, Status.REFUTED: False}.get(status) if status is not None else None

    def _own_columns(self, prove: bool) -> dict[str, NDArray[Any]]:
        """Return path, support, precision and proof of all rows."""
        of_row = self.routes.of_row
        routes = [self.routes[index] for index in range(len(self.routes))]
        evidence = [(None, None) if r.leaf is None else self._evidence(r.leaf) for r in routes]
        paths = [
            all_of([reason.condition for reason in self._reasons_of(index).values()])
            for index in range(len(routes))
        ]
        return {
            "path": np.array(paths, dtype=object)[of_row],
            "support": np.array([one for one, _ in evidence], dtype=float)[of_row],
            "precision": np.array([one for _, one in evidence], dtype=float)[of_row],
            "proved": self._proved(prove),
        }

    def _proved(self, search: bool) -> NDArray[Any]:
        """Return what is known about the paths of all rows: True, False or None."""
        if search:
            return np.array([self.is_proved(row, search) for row in range(len(self.codes))], dtype=object)
        result = np.full(len(self.codes), None, dtype=object)
        if self.tree.proof is not None:
            result[self._is_covered()] = True
        if self.opinion is not None:
            result[self.opinion.disagrees] = False
        return result

    def _is_covered(self) -> NDArray[np.bool_]:
        """Return which rows end in a leaf that the model came with a proof of."""
        proof = self.tree.proof
        assert proof is not None
        leaves = [
            -1 if (leaf := self.routes[index].leaf) is None else leaf for index in range(len(self.routes))
        ]
        reached = np.array(leaves)[self.routes.of_row]
        covered = (reached >= 0) & np.asarray(proof.is_proved)[reached]
        for column in self.rows.table.columns:
            if column.name not in proof.missing:
                covered &= ~column.is_missing
        return np.asarray(covered)

    def _reason_columns(self, n: int) -> list[NDArray[Any]]:
        """Return the strongest conditions of all rows, in words."""
        if self._line_features:
            return super()._reason_columns(n)
        ranked = np.full((len(self.routes), n), None, dtype=object)
        for index in range(len(self.routes)):
            reasons = sorted(self._reasons_of(index).values(), key=lambda reason: -abs(reason.change))[:n]
            ranked[index, : len(reasons)] = [reason.condition for reason in reasons]
        return list(ranked[self.routes.of_row].T)


def counts_own_labels(tree: NodeModel) -> bool:
    """Whether nodes count the labels of the rows themselves: only these say how often a leaf is right."""
    is_labeled = tree.classes_ is not None and len(tree.core.counts) > 0
    return is_labeled and tree.label_source not in ("passed", "ensemble")


def _answers(tree: NodeModel, rows: Rows) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the codes of the labels and the class probabilities, or 0 and the number."""
    if tree.classes_ is None:
        numbers = tree.predict(rows.table)
        return np.zeros(len(numbers), dtype=np.int32), numbers[:, None]
    outputs = tree.outputs(rows.table)
    probabilities = outputs
    if isinstance(tree, Tree) and tree.probabilities is not None:
        probabilities = tree.predict_proba(rows.table)
    return tree.vote(outputs).astype(np.int32), probabilities
