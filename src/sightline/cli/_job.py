"""The main job: learn or take an ensemble, replace it with one model, and measure the difference."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from sightline.cli._data import Split
from sightline.cli._request import Request, Shape
from sightline.learn import BaggedTreesClassifier, C45Classifier
from sightline.model import BlackBox, Ensemble, Graph, Tree
from sightline.report import Report, report
from sightline.show import to_svg
from sightline.table import Labels
from sightline.wording import percent

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
"""Entries of ``size_`` to print; other shapes print their description."""


_GIVEN = (
    "note      on rows that trained the ensemble, its accuracy looks too high and fidelity may look too low"
)


@dataclass(frozen=True)
class Job:
    """What to do.

    Attributes
    ----------
    rows : Split
        Training rows and held-out rows.
    request : Request
        What to replace the ensemble with.
    ensemble : Ensemble, BlackBox or None
        The ensemble to replace; None: bagged C4.5 trees are learned.
    n_trees : int
        Number of trees, if the ensemble is learned.
    """

    rows: Split
    request: Request
    ensemble: Ensemble | BlackBox | None = None
    n_trees: int = 25

    def run(self, step: Step) -> Result:
        """Do it.

        Parameters
        ----------
        step : callable
            Called with a few words when a step begins.
        """
        train, test = self.rows.train, self.rows.test
        step("learning the ensemble")
        teacher: Any = self.ensemble or self._learned()
        if isinstance(teacher, BlackBox):
            teacher = teacher.bound(train.X, train.X, train.y if isinstance(train.y, Labels) else None)
        step("replacing it with one model")
        summary = self.request.fit(teacher, train)
        step("learning an ordinary tree")
        baseline = C45Classifier().fit(train.X, train.y)
        page = report(
            summary,
            test.X,
            test.y,
            ensemble=teacher,
            baseline=baseline,
            title=f"{self.rows.name}: {_TITLES[self.request.shape]} for {self._named(teacher)}",
            notes=self._notes(),
            progress=step,
        )
        return Result(self.request.shape, summary, page, self.ensemble is not None)

    @staticmethod
    def _named(teacher: Any) -> str:
        return teacher.name if isinstance(teacher, BlackBox) else f"{teacher.n_trees:,} trees"

    def _learned(self) -> BaggedTreesClassifier:
        request = self.request
        bagged = BaggedTreesClassifier(n_trees=self.n_trees, n_jobs=request.n_jobs, random_state=request.seed)
        return bagged.fit(self.rows.train.X, self.rows.train.y)

    def _notes(self) -> dict[str, dict[str, str]]:
        unseen = "not used for tuning" if self.ensemble is None else "the ensemble may have seen them"
        seed = self.request.seed
        return {
            "Data": {
                "Training": f"{self.rows.train.n_rows:,} rows",
                "Held out": f"{self.rows.test.n_rows:,} rows, split with seed {seed}; {unseen}",
            },
            "Model": {"Seed": str(seed)},
        }


@dataclass(frozen=True)
class Result:
    """What a job found.

    Attributes
    ----------
    shape : Shape
        What was asked for.
    summary : estimator or model
        The replacement.
    report : Report
        What was measured.
    is_given : bool
        Whether the user supplied the ensemble: it is then unknown which rows it has seen.
    """

    shape: Shape
    summary: Any
    report: Report
    is_given: bool

    def files(self) -> dict[str, str]:
        """Return the contents of the folder by file name."""
        evidence = self.report.evidence
        assert evidence.ensemble is not None
        metrics = json.dumps(self.report.metrics, allow_nan=False, ensure_ascii=False, indent=1)
        return {
            "report.html": self.report.to_html(),
            "model.json": evidence.model.to_json(),
            **(
                {}
                if isinstance(evidence.ensemble, BlackBox)
                else {"ensemble.json": evidence.ensemble.to_json()}
            ),
            f"{self.shape}.txt": self.summary.to_text(),
            **(
                {f"{self.shape}.svg": to_svg(evidence.model)}
                if isinstance(evidence.model, Tree | Graph)
                else {}
            ),
            "metrics.json": metrics + "\n",
        }

    def text(self) -> str:
        """Return the results, one line each."""
        evidence = self.report.evidence
        assert evidence.ensemble is not None
        assert evidence.fidelity is not None
        assert evidence.accuracy is not None
        assert evidence.ensemble_accuracy is not None
        assert evidence.baseline_accuracy is not None
        size = evidence.model.size_
        counts = ", ".join(
            f"depth {size[key]:,}" if key == "depth" else f"{size[key]:,} {key}"
            for key in _COUNTS.get(self.shape, ())
        )
        proved = [] if self.report.metrics["proof"] is None else [f"proved    {self._proved()}"]
        return "\n".join(
            [
                f"accuracy  {evidence.teacher_name} {evidence.ensemble_accuracy.text}, "
                f"this {evidence.kind.noun} {evidence.accuracy.text}, "
                f"an ordinary tree {evidence.baseline_accuracy.text}",
                f"fidelity  {evidence.fidelity.text} of {evidence.fidelity.n_rows:,} held-out rows "
                f"(95% interval {evidence.fidelity.interval_text})",
                f"size      {counts or evidence.kind.description}, "
                f"{size['features']:,} of {len(evidence.model.schema):,} columns",
                *proved,
                *([_GIVEN, *self._swapped()] if self.is_given else []),
            ]
        )

    def _swapped(self) -> list[str]:
        """Warn if the ensemble's class names seem to be in the wrong order."""
        evidence = self.report.evidence
        labels, predicted = np.asarray(evidence.labels), np.asarray(evidence.ensemble_labels)
        assert evidence.ensemble is not None
        known = np.asarray(evidence.ensemble.classes_)
        accuracy = (labels == predicted).mean()
        majority = max((labels == label).mean() for label in known)
        hits = np.array(
            [[np.sum((predicted == one) & (labels == other)) for other in known] for one in known]
        )
        _, better = linear_sum_assignment(-hits)
        swapped = hits[np.arange(len(known)), better].sum() / len(labels)
        if accuracy >= majority or swapped <= majority:
            return []
        order = ",".join(str(label) for label in known[better])
        return [
            "note      the ensemble is less accurate than always guessing the most frequent class: "
            f"its class names may be swapped (--classes {order} would give {percent(float(swapped), 1)})"
        ]

    def _proved(self) -> str:
        proof = self.report.metrics["proof"]
        if proof["equivalent"]:
            return "equal to the ensemble on every row covered"
        n_leaves = sum(proof["leaves"].values())
        if not n_leaves:
            return "not equal to the ensemble on every row" if proof["equivalent"] is False else "nothing"
        share = percent(proof["share_of_rows"] or 0.0, 1)
        return f"{proof['leaves']['proved']:,} of {n_leaves:,} leaves, {share} of the held-out rows"
