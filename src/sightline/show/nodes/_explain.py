"""Explain in sentences how a tree or graph predicts one row."""

from __future__ import annotations

import math

import numpy as np

from sightline.model import Graph, NodeModel, Status, Tree
from sightline.show._conditions import Conditions
from sightline.show._node_wording import NodeWording
from sightline.show._outline import Outline
from sightline.show._row import Row
from sightline.show._tree_text import label_rule_lines
from sightline.show.nodes._leaf_proofs import LeafProofs
from sightline.show.nodes._routes import Route, Routes
from sightline.table import Schema
from sightline.wording import (
    answer_text,
    capitalize,
    list_names,
    number_text,
    percent,
    pluralize,
    printable,
    quote_if_odd,
)

_OPEN = "There is no proof that the ensemble predicts the same for every row that takes this path."
_REFUTED = "For some {}possible rows on this path, the ensemble predicts another class."


_FEW = 1.5
"""Less than this many rows round to one row or none."""

_MAX_LISTED = 3
"""Paths, mixed tests and branches to list before saying how many more there are."""


def path_text(tree: NodeModel, row: Row) -> str:
    """Return in one line why a row ends where it does: its conditions and the treatment of missing values."""
    explanation = PathSentences(tree, row, Routes(tree, row.table)[0])
    reasons = explanation.conditions()
    defaults = " ".join(explanation.defaults()).rstrip(".")
    if not reasons or not defaults:
        return reasons or defaults
    return f"{reasons} ({defaults[0].lower()}{defaults[1:]})"


def _and_so_on(n_tests: int) -> str:
    return f"The same happens at {pluralize(n_tests - _MAX_LISTED, 'more test')}."


class PathSentences:
    """The sentences about one row.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    row : Row
        The row.
    route : Route
        Its route through the tree.
    outline : Outline, optional
        The shape of the tree, if it is known.
    proofs : LeafProofs, optional
        What is proved about its leaves.
    is_refuted : bool, default=False
        Whether the ensemble gives this very row a different label, which the second opinion reports.
    has_probability : bool, default=True
        Whether to tell the probability. If the ensemble gives labels only, the tree's probabilities are
        shares of these labels, which a reader would take for something else.
    """

    def __init__(
        self,
        tree: NodeModel,
        row: Row,
        route: Route,
        outline: Outline | None = None,
        proofs: LeafProofs | None = None,
        is_refuted: bool = False,
        has_probability: bool = True,
    ) -> None:
        self.tree = tree
        self.row = row
        self.route = route
        self.outline = outline or Outline.of(tree)
        self.proofs = proofs or LeafProofs(tree)
        self.is_refuted = is_refuted
        self.has_probability = has_probability
        numbers = {
            feature: value
            for feature, value in enumerate(row.values)
            if not math.isnan(value) and not tree.schema.features[feature].is_nominal
        }
        self.wording = NodeWording(tree, row=numbers)
        self._defaulted = route.defaulted(self.wording)

    def text(self) -> str:
        """Return the sentences, one per line."""
        is_one = len(self.route.leaves) == 1
        predicted, *others = self._one_path() if is_one else self._several_paths()
        return "\n".join([predicted, *label_rule_lines(self.tree), *others])

    def _one_path(self) -> list[str]:
        leaf = next(iter(self.route.leaves))
        line = self.wording.line(leaf)
        predicted = self._predicted_number() if line else self.wording.label(leaf) + self._probability(leaf)
        sentences = [" ".join([f"Predicted {self._named(predicted)}.", *self._evidence(leaf)])]
        if line:
            sentences.append(f"The leaf predicts {line}{self._bounds(leaf)}.")
        reasons = self.conditions()
        if reasons:
            sentences.append(f"Because {reasons}.")
        elif leaf == 0:
            sentences.append("The tree has no tests: it predicts the same for every row.")
        return sentences + self.defaults()

    def conditions(self) -> str:
        """Join the conditions on the path to the first leaf that the row reaches."""
        return self._reasons(self.route.path(next(iter(self.route.leaves))))

    def proof(self, is_after_answer: bool = False) -> tuple[str, bool]:
        """Say whether the ensemble provably agrees on the whole path.

        Parameters
        ----------
        is_after_answer : bool, default=False
            Whether the reader already knows what the ensemble predicts for this row.

        Returns
        -------
        sentence : str
            Empty if nothing is known.
        is_proved : bool
            Whether it agrees.
        """
        if len(self.route.leaves) > 1:
            return "", False
        leaf = next(iter(self.route.leaves))
        missing = missing_features(self.tree.schema, self.row.values)
        proof = self.tree.proof
        rows = self._covered(self.proofs.covered(leaf, missing))
        if proof is not None and proof.tolerance and self.proofs.is_stored(leaf, missing):
            limit = number_text(proof.tolerance)
            return f"The ensemble's number is provably within {limit} of this for {rows}.", True
        if self.is_refuted:
            return "", False
        status = self.proofs.status(leaf, self.route.path(leaf), missing)
        if status is None:
            return "", False
        if status is Status.PROVED:
            return f"The ensemble provably predicts the same for {rows}.", True
        refuted = _REFUTED.format("other " if is_after_answer else "")
        return refuted if status is Status.REFUTED else _OPEN, False

    def _covered(self, missing: set[str]) -> str:
        """Say which rows a proof about the path covers, if values may be missing only in these columns."""
        names = [printable(name) for name in self.tree.schema.names if name in missing]
        if len(names) == len(self.tree.schema):
            return "every row that takes this path"
        if not names:
            return "every row without missing values that takes this path"
        columns = list_names(names, _MAX_LISTED)
        return f"every row that takes this path and has missing values only in {columns}"

    def _several_paths(self) -> list[str]:
        sentences = [self._mixed_prediction()]
        common = self.route.path(self.route.mixed[0])
        reasons = self._reasons(common)
        sentences += [f"Known: {reasons}."] if reasons else []
        sentences += [self._mixture(node) for node in self.route.mixed[:_MAX_LISTED]]
        if len(self.route.mixed) > _MAX_LISTED:
            sentences.append(_and_so_on(len(self.route.mixed)))
        return sentences + self.defaults() + self._paths(len(common))

    def _paths(self, n_common: int) -> list[str]:
        """List the heaviest paths, without the steps that all of them share."""
        heaviest = sorted(self.route.leaves.items(), key=lambda item: -item[1])
        n_hidden = len(heaviest) - _MAX_LISTED
        listed = f"the {_MAX_LISTED} heaviest of {len(heaviest):,}" if n_hidden > 0 else "heaviest first"
        lines = [f"Mixed paths, {listed}:"]
        for leaf, share in heaviest[:_MAX_LISTED]:
            path = " and ".join(Conditions(self.wording, self.route.path(leaf)[n_common:]).strings())
            prediction = f"{self.wording.label(leaf)} ({self.outline.evidence(leaf)})"
            lines.append(f"- {percent(share)} through {path}: {prediction}")
        return lines

    def _predicted_number(self) -> str:
        return answer_text(float(self.tree.predict(self.row.table)[0]))

    def _bounds(self, leaf: int) -> str:
        """Say between which numbers a line stays."""
        assert isinstance(self.tree, Tree)
        assert self.tree.lines is not None
        low, high = (answer_text(float(bound[leaf])) for bound in (self.tree.lines.low, self.tree.lines.high))
        return f", but at least {low} and at most {high}"

    def _mixed_prediction(self) -> str:
        if self.tree.classes_ is None:
            return f"Predicted {self._named(self._predicted_number())}, a weighted mean."
        label = self.tree.predict(self.row.table)[0]
        predicted = self._named(quote_if_odd(label))
        if not self.has_probability:
            return f"Predicted {predicted}."
        probability = float(self.tree.predict_proba(self.row.table)[0][self.tree.classes_ == label][0])
        return f"Predicted {predicted} with probability {percent(min(probability, 1.0))}."

    def _named(self, answer: str) -> str:
        return self.tree.schema.subject.answer(answer)

    def _probability(self, leaf: int) -> str:
        """Return the probability unless the class counts imply it; counts of a summary do not."""
        if self.tree.classes_ is None or not self.outline.has_rows or isinstance(self.tree, Graph):
            return ""
        if not self.has_probability:
            return ""
        is_summary = self.outline.label_source in ("own", "ensemble")
        has_counts = len(self.tree.core.counts) or not self.outline.weight[leaf]
        if is_summary or (self.outline.label_source == "learnt" and not has_counts):
            probability = float(self.tree.node_probabilities[leaf, self.outline.best[leaf]])
            return f" with probability {percent(min(probability, 1.0))}"
        return ""

    def _evidence(self, leaf: int) -> list[str]:
        """Say how many rows took this path, and how many of them have the predicted label."""
        # The rows of a shared leaf took several paths.
        if not self.outline.has_rows or isinstance(self.tree, Graph):
            return []
        weight = float(self.outline.weight[leaf])
        if self.outline.label_source == "passed":
            return [f"{self._rows(weight, 'counted row')} took this path."]
        if weight == 0:
            return ["No training row took this path."]
        rows = f"{self._rows(weight, 'training row')} took this path"
        if self.tree.classes_ is None or not len(self.tree.core.counts):
            return [f"{rows}{self._own_mean(leaf, 'its value' if weight == 1 else 'their mean')}."]
        share = self.outline.share_of_best(leaf)
        which, verb = ("it", "was") if weight == share == 1 else (f"{percent(share)} of them", "were")
        label = f'"{printable(self.tree.classes_[self.outline.best[leaf]])}"'
        if self.outline.label_source == "ensemble":
            return [f"{rows}; the ensemble labels {which} {label}."]
        return [f"{rows}; {which} {verb} {label}."]

    def _rows(self, weight: float, noun: str) -> str:
        """Begin a sentence with how many rows took a path; missing values may have split some of them."""
        if self.outline.is_weighted or math.isclose(weight, round(weight)):
            return capitalize(self.outline.rows_of(weight, noun))
        if weight < _FEW:
            return f"Parts of {noun}s, {number_text(weight, 2)} in all,"
        return f"About {weight:,.0f} {noun}s"

    def _own_mean(self, leaf: int, noun: str) -> str:
        if self.tree.numbers is None or self.outline.label_source != "own":
            return ""
        return f"; {noun} is {answer_text(float(self.tree.numbers.mean[leaf]))}"

    def _reasons(self, steps: list[tuple[int, int]]) -> str:
        """Join the conditions that the row's own values meet."""
        unanswered = {*self.route.mixed, *self._defaulted}
        conditions = Conditions(self.wording, [step for step in steps if step[0] not in unanswered])
        return " and ".join(conditions.strings(self.row.values))

    def _mixture(self, node: int) -> str:
        shares = self.tree.shares(node)
        order = np.argsort(-shares, kind="stable")[: np.count_nonzero(shares)].tolist()
        branches = [
            f"{percent(float(shares[b]))} {self.wording.branch(node, b)}" for b in order[:_MAX_LISTED]
        ]
        more = f", and {len(order) - _MAX_LISTED:,} more" if len(order) > _MAX_LISTED else ""
        return f"{self._missing(node)}, so the branches are mixed: {', '.join(branches)}{more}."

    def defaults(self) -> list[str]:
        """Name the tests that send every missing value one way, each feature and way once."""
        branches = {node: int(self.tree.shares(node).argmax()) for node in self._defaulted}
        sentences = list(
            dict.fromkeys(
                f"{self._missing(node)}; it is treated as {self.wording.branch(node, branch)}."
                for node, branch in branches.items()
            )
        )
        if len(sentences) > _MAX_LISTED:
            sentences[_MAX_LISTED:] = [_and_so_on(len(sentences))]
        return sentences

    def _missing(self, node: int) -> str:
        feature = int(self.tree.core.feature[node])
        given = self.row.given[feature]
        if given is None or (isinstance(given, float) and math.isnan(given)):
            return f"The value of {self.wording.name(feature)} is missing"
        return f"The tree does not know the value {quote_if_odd(given)} of {self.wording.name(feature)}"


def missing_features(schema: Schema, values: list[float]) -> set[str]:
    """Return the features whose value is missing or unknown to the model."""
    return {feature.name for feature, value in zip(schema.features, values, strict=True) if math.isnan(value)}
