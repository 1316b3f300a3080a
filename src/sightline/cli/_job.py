"""The main job: an ensemble, one model in its place, and what that is worth."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sightline.cli._data import Split
from sightline.distill import CMMClassifier, DistilledTreeClassifier, ISMClassifier
from sightline.learn import BaggedTreesClassifier, C45Classifier
from sightline.load import load
from sightline.model import Ensemble
from sightline.report import Report, report
from sightline.show import to_svg

Step = Callable[[str], None]

METHODS: dict[str, Callable[..., Any]] = {
    "distilled": DistilledTreeClassifier,
    "ism": ISMClassifier,
    "cmm": CMMClassifier,
}
"""What --method names: each puts one tree in an ensemble's place."""

N_STEPS = 7

MAX_LEAVES = 16
"""So many leaves can be read on one screen; the report shows what other sizes would do."""


@dataclass(frozen=True)
class Job:
    """What to do.

    Attributes
    ----------
    split : Split
        The rows.
    ensemble : Ensemble or None
        What to summarise; None: bagged C4.5 trees are learnt.
    method : str
        One of ``METHODS``.
    max_leaves : int
        Most leaves, where the method lets one choose.
    n_trees : int
        Trees of an ensemble that is learnt.
    seed, n_jobs : int
        Draws, and threads.
    """

    split: Split
    ensemble: Ensemble | None = None
    method: str = "distilled"
    max_leaves: int = MAX_LEAVES
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
        ensemble = self.ensemble or self._learnt_ensemble()
        step("distilling")
        summary = self._summary(ensemble).fit(train.X, train.y)
        step("learning an ordinary tree")
        plain = C45Classifier().fit(train.X, train.y)
        found = report(
            summary,
            test.X,
            test.y,
            baseline=plain,
            title=f"{self.split.name}: one tree for {ensemble.n_trees:,}",
            notes=self._notes(),
            progress=step,
        )
        return Outcome(summary, ensemble, found)

    def _learnt_ensemble(self) -> Ensemble:
        bagged = BaggedTreesClassifier(n_trees=self.n_trees, n_jobs=self.n_jobs, random_state=self.seed)
        return load(bagged.fit(self.split.train.X, self.split.train.y))

    def _summary(self, ensemble: Ensemble) -> Any:
        options = {} if self.method == "cmm" else {"max_leaves": self.max_leaves}
        parameters = METHODS[self.method](ensemble).get_params()
        options |= {"random_state": self.seed} if "random_state" in parameters else {}
        options |= {"n_jobs": self.n_jobs} if "n_jobs" in parameters else {}
        return METHODS[self.method](ensemble, **options)

    def _notes(self) -> dict[str, dict[str, str]]:
        n_held_out = self.split.test.n_rows
        return {
            "Data": {
                "Learnt from": f"{self.split.train.n_rows:,} rows",
                "Held out": f"{n_held_out:,} rows, drawn with seed {self.seed}; nothing was tuned on them",
            },
            "Model": {"Seed": str(self.seed)},
        }


@dataclass(frozen=True)
class Outcome:
    """What came of it.

    Attributes
    ----------
    summary : estimator
        The model in the ensemble's place.
    ensemble : Ensemble
        The ensemble.
    report : Report
        What was found.
    """

    summary: Any
    ensemble: Ensemble
    report: Report

    def files(self) -> dict[str, str]:
        """Return the contents of the folder by file name."""
        model = self.summary._fitted_model()
        metrics = json.dumps(self.report.metrics, allow_nan=False, ensure_ascii=False, indent=1)
        return {
            "report.html": self.report.to_html(),
            "model.json": model.to_json(),
            "ensemble.json": self.ensemble.to_json(),
            "tree.txt": model.to_text(),
            "tree.svg": to_svg(model),
            "metrics.json": metrics + "\n",
        }

    def text(self) -> str:
        """Say in a few lines what was found."""
        evidence = self.report.evidence
        assert evidence.fidelity is not None
        assert evidence.accuracy is not None
        assert evidence.ensemble_accuracy is not None
        assert evidence.baseline_accuracy is not None
        size = self.report.metrics["size"]
        return "\n".join(
            [
                f"accuracy  the {self.ensemble.n_trees:,} trees {evidence.ensemble_accuracy.text}, "
                f"this tree {evidence.accuracy.text}, an ordinary tree {evidence.baseline_accuracy.text}",
                f"fidelity  {evidence.fidelity.text} of {evidence.fidelity.total:,} held-out rows "
                f"({evidence.fidelity.interval_text})",
                f"size      {size['leaves']:,} leaves, depth {size['depth']:,}, "
                f"{size['features']:,} of {len(evidence.model.schema):,} columns",
                f"proved    {self._proved()}",
            ]
        )

    def _proved(self) -> str:
        proof = self.report.metrics["proof"]
        if proof["equivalent"]:
            return "equal to the ensemble for every row covered"
        n_leaves = sum(proof["leaves"].values())
        share = 100 * (proof["share_of_rows"] or 0.0)
        return f"{proof['leaves']['proved']:,} of {n_leaves:,} leaves, {share:.1f} % of the held-out rows"
