"""The main job: an ensemble, one model in its place, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sightline.cli._data import Split
from sightline.cli._methods import MAX_LEAVES, MAX_RULES, MAX_STUMPS, Method, Shape, Wish, method_for
from sightline.learn import BaggedTreesClassifier, C45Classifier
from sightline.load import load
from sightline.model import Ensemble, Graph, Tree
from sightline.report import Report, report
from sightline.report._naming import described, noun_of
from sightline.show import to_svg
from sightline.wording import pluralize

Step = Callable[[str], None]

N_STEPS = 7

_TITLES = {
    Shape.TREE: "one tree",
    Shape.GRAPH: "one graph",
    Shape.RULES: "rules",
    Shape.STUMPS: "a few stumps",
    Shape.CASES: "cases",
}

_COUNTS = {
    Shape.TREE: ("leaves", "depth"),
    Shape.GRAPH: ("nodes", "depth"),
    Shape.RULES: ("rules", "conditions"),
}
_SINGULAR = {"leaves": "leaf", "nodes": "node", "rules": "rule", "conditions": "condition"}
"""Entries of ``size_`` that are told; of others, what they are."""


_GIVEN = "mind      the ensemble was given: if it has seen held-out rows, its accuracy here is too good"


@dataclass(frozen=True)
class Job:
    """What to do.

    Attributes
    ----------
    split : Split
        The rows.
    ensemble : Ensemble or None
        What to summarise; None: bagged C4.5 trees are learnt.
    shape : Shape
        What to put in its place.
    method : Method or None
        How; None: the first that there is.
    max_leaves, max_rules, max_stumps : int
        How large that may be, where the method lets one choose.
    n_trees : int
        Trees of an ensemble that is learnt.
    seed, n_jobs : int
        Draws, and threads.
    """

    split: Split
    ensemble: Ensemble | None = None
    shape: Shape = Shape.TREE
    method: Method | None = None
    max_leaves: int = MAX_LEAVES
    max_rules: int = MAX_RULES
    max_stumps: int = MAX_STUMPS
    n_trees: int = 25
    seed: int = 0
    n_jobs: int = -1

    def run(self, step: Step) -> Outcome:
        """Do it.

        Parameters
        ----------
        step : callable
            Called with a few words when a step begins.
        """
        train, test = self.split.train, self.split.test
        step("learning the ensemble")
        teacher = self.ensemble or self._learnt()
        ensemble = load(teacher)
        step("distilling")
        method = method_for(self.shape, self.method)
        limits = (self.max_leaves, self.max_rules, self.max_stumps)
        wish = Wish(self.shape, method, *limits, self.seed, self.n_jobs)
        summary = wish.found(teacher, train)
        step("learning an ordinary tree")
        plain = C45Classifier().fit(train.X, train.y)
        found = report(
            summary,
            test.X,
            test.y,
            ensemble=ensemble,
            baseline=plain,
            title=f"{self.split.name}: {_TITLES[self.shape]} for {ensemble.n_trees:,} trees",
            notes=self._notes(),
            progress=step,
        )
        return Outcome(self.shape, summary, ensemble, found, self.ensemble is not None)

    def _learnt(self) -> BaggedTreesClassifier:
        bagged = BaggedTreesClassifier(n_trees=self.n_trees, n_jobs=self.n_jobs, random_state=self.seed)
        return bagged.fit(self.split.train.X, self.split.train.y)

    def _notes(self) -> dict[str, dict[str, str]]:
        unseen = "nothing was tuned on them" if self.ensemble is None else "the ensemble may have seen them"
        return {
            "Data": {
                "Learnt from": f"{self.split.train.n_rows:,} rows",
                "Held out": f"{self.split.test.n_rows:,} rows, drawn with seed {self.seed}; {unseen}",
            },
            "Model": {"Seed": str(self.seed)},
        }


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes
    ----------
    shape : Shape
        What was asked for.
    summary : estimator or model
        What is in the ensemble's place.
    ensemble : Ensemble
        The ensemble.
    report : Report
        What was found.
    is_given : bool
        Whether the ensemble was there before: which rows it has seen is not known then.
    """

    shape: Shape
    summary: Any
    ensemble: Ensemble
    report: Report
    is_given: bool

    def files(self) -> dict[str, str]:
        """Return the contents of the folder by file name."""
        model = self.report.evidence.model
        metrics = json.dumps(self.report.metrics, allow_nan=False, ensure_ascii=False, indent=1)
        return {
            "report.html": self.report.to_html(),
            "model.json": model.to_json(),
            "ensemble.json": self.ensemble.to_json(),
            f"{self.shape}.txt": self.summary.to_text(),
            **({f"{self.shape}.svg": to_svg(model)} if isinstance(model, Tree | Graph) else {}),
            "metrics.json": metrics + "\n",
        }

    def text(self) -> str:
        """Say in a few lines what was found."""
        evidence = self.report.evidence
        assert evidence.fidelity is not None
        assert evidence.accuracy is not None
        assert evidence.ensemble_accuracy is not None
        assert evidence.baseline_accuracy is not None
        size = evidence.model.size_
        told = [_size_text(key, size[key]) for key in _COUNTS.get(self.shape, ())]
        counts = ", ".join(told or [described(evidence.model)])
        proved = [] if self.report.metrics["proof"] is None else [f"proved    {self._proved()}"]
        return "\n".join(
            [
                f"accuracy  the {self.ensemble.n_trees:,} trees {evidence.ensemble_accuracy.text}, "
                f"this {noun_of(evidence.model)} {evidence.accuracy.text}, "
                f"an ordinary tree {evidence.baseline_accuracy.text}",
                f"fidelity  {evidence.fidelity.text} of {evidence.fidelity.total:,} held-out rows "
                f"({evidence.fidelity.interval_text})",
                f"size      {counts}, {size['features']:,} of {len(evidence.model.schema):,} columns",
                *proved,
                *([_GIVEN, *self._swapped()] if self.is_given else []),
            ]
        )

    def _swapped(self) -> list[str]:
        """Say so if the ensemble's class names seem to stand in the wrong order."""
        evidence = self.report.evidence
        labels, taught = np.asarray(evidence.labels), np.asarray(evidence.taught)
        known = np.asarray(self.ensemble.classes_)
        right = (labels == taught).mean()
        by_guessing = max((labels == label).mean() for label in known)
        hits = np.array([[np.sum((taught == one) & (labels == other)) for other in known] for one in known])
        _, better = linear_sum_assignment(-hits)
        would_be = hits[np.arange(len(known)), better].sum() / len(labels)
        if right >= by_guessing or would_be <= by_guessing:
            return []
        order = ",".join(str(label) for label in known[better])
        return [
            "mind      the ensemble is right less often than guessing: its class names may be swapped "
            f"(named {order} it would be right on {100 * would_be:.1f}%; see --classes)"
        ]

    def _proved(self) -> str:
        proof = self.report.metrics["proof"]
        if proof["equivalent"]:
            return "equal to the ensemble for every row covered"
        n_leaves = sum(proof["leaves"].values())
        if not n_leaves:
            return "not equal for every possible row" if proof["equivalent"] is False else "nothing"
        share = 100 * (proof["share_of_rows"] or 0.0)
        return f"{proof['leaves']['proved']:,} of {n_leaves:,} leaves, {share:.1f}% of the held-out rows"


def _size_text(what: str, count: int) -> str:
    return f"depth {count:,}" if what == "depth" else pluralize(count, _SINGULAR[what], what)
