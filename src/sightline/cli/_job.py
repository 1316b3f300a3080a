"""The main job: learn or take an ensemble, replace it with one model, and measure the difference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy.optimize import linear_sum_assignment

from sightline.cli._data import Split
from sightline.cli._model_file import list_some
from sightline.cli._output import notes_on_page
from sightline.cli._request import Request, Shape
from sightline.distill import learn_ensemble, learn_ordinary_tree, n_learned_trees
from sightline.exceptions import ParameterError
from sightline.load import load, load_any, load_or_wrap
from sightline.measure import (
    Estimate,
    Fidelity,
    NumberErrors,
    Share,
    error_text,
    leaves_of,
    with_threshold_of,
)
from sightline.model import BlackBox, Ensemble, Graph, Tree
from sightline.passes import Tally, judge
from sightline.report import (
    Report,
    covered_rows,
    imbalance_text,
    measure_lines,
    notes_of,
    report,
    warning_sentences,
)
from sightline.show import to_svg
from sightline.table import Labels, Numbers
from sightline.wording import percent, pluralize, printable

Step = Callable[[str], None]

N_STEPS = 7

_MIN_WIDTH = 9
"""Width of the names in the command's output, if no measure has a longer one."""

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

_SINGULAR = {"leaves": "leaf", "nodes": "node", "rules": "rule", "conditions": "condition"}


_GIVEN = "on rows that the ensemble was trained on, {} and fidelity may look too low"
_FLATTERED = {"classes": "its accuracy looks too high", "numbers": "its errors look too small"}


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
        The ensemble to replace; None: bagged C4.5 trees or, for numbers, a random forest is learned.
    n_trees : int or None
        Number of trees, if the ensemble is learned; None: what the method takes by default.
    audit : dict of str to str
        Lines of the audit trail that the report itself cannot know.
    shown_rows : {"sample", "ids"}, int or None
        Rows of the data that the page carries.
    positive : str or None
        The class that matters, as the user writes it.
    """

    rows: Split
    request: Request
    ensemble: Ensemble | BlackBox | None = None
    n_trees: int | None = None
    audit: dict[str, str] = field(default_factory=dict)
    shown_rows: Literal["sample", "ids"] | int | None = None
    positive: str | None = None

    def run(self, step: Step) -> Result:
        """Do it.

        Parameters
        ----------
        step : callable
            Called with a few words when a step begins.
        """
        train, test = self.rows.train, self.rows.test
        task = self.rows.task
        self.request.check_task(task)
        self.request.check_weights(train)
        step("learning the ensemble")
        teacher: Any = self.ensemble or self._learned()
        if isinstance(teacher, BlackBox):
            teacher = teacher.bound(train.X, train.X, train.y if isinstance(train.y, Labels) else None, task)
        if self.positive is not None and self.request.is_about_positive:
            teacher = self._with_positive(teacher)
        step("distilling one model")
        summary = self.request.fit(teacher, train)
        # With a threshold or costs, the labels to imitate are not those that the ensemble gives by itself.
        ensemble = summary.ensemble_ if self.request.decides else load_or_wrap(teacher)
        tally = self._judge(summary, ensemble, step)
        step("learning an ordinary tree")
        size = leaves_of(load_any(summary), self.request.max_leaves)
        ordinary = learn_ordinary_tree(task, train.X, self._target(), size, self.request.seed, train.weights)
        with notes_on_page():
            page = report(
                summary,
                test.X,
                test.y,
                ensemble=ensemble,
                baseline=with_threshold_of(ensemble, ordinary),
                # Every other size would be distilled from the whole sample again.
                sizes=None if self.rows.parts is None else (),
                title=self._title(ensemble),
                target=train.target_name,
                positive=self._positive(ensemble),
                notes={**self._notes(), **({} if tally is None else {"All rows": notes_of(tally)})},
                rows=self.shown_rows,
                sample_weight=test.weight_column,
                progress=step,
            )
        return Result(self.request.shape, summary, page, self.ensemble is not None, self.rows, tally)

    def _judge(self, summary: Any, ensemble: Ensemble | BlackBox, step: Step) -> Tally | None:
        """Count and judge on all rows, if the training rows are a sample of rows in parts."""
        parts = self.rows.parts
        if parts is None:
            return None
        step("counting all rows")
        return judge(
            summary, parts.rows, parts.training, self.rows.train, getattr(summary, "ensemble_", ensemble)
        )

    def _title(self, ensemble: Ensemble | BlackBox) -> str:
        positive, target = self._positive(ensemble), self.rows.train.target_name
        about = "" if target is None else f", {target}" if positive is None else f", {target} = {positive}"
        return f"{self.rows.name}{about}: {_TITLES[self.request.shape]} for {_named(ensemble)}"

    def _positive(self, ensemble: Ensemble | BlackBox) -> Any:
        """Return the class that the user names, as the model knows it, or that of the ensemble."""
        known = [] if ensemble.classes_ is None else np.asarray(ensemble.classes_).tolist()
        if self.positive is None:
            return getattr(ensemble, "positive", None)
        named = [label for label in known if str(label) == self.positive]
        if not named:
            raise ParameterError(
                f"--positive names {self.positive!r}, but the classes are {list_some(known)}."
            )
        return named[0]

    def _with_positive(self, teacher: Any) -> Ensemble | BlackBox:
        """Return the ensemble with the class that a threshold is about."""
        ensemble = load_or_wrap(teacher)
        positive = self._positive(ensemble)
        if isinstance(ensemble, Ensemble):
            return load(ensemble, positive=positive)
        last = np.asarray(ensemble.classes_).tolist()[-1]
        if positive != last:
            raise ParameterError(
                f"--threshold and --monotone refer to the last class of a black box, {last!r}, not to "
                f"{positive!r}. Leave out --positive, and set them for {last!r}."
            )
        return ensemble

    def _learned(self) -> Any:
        request, target = self.request, self._target()
        options = {
            "n_trees": self.n_trees or n_learned_trees(request.estimator(self.rows.task), target),
            "n_jobs": request.n_jobs,
            "random_state": request.seed,
        }
        train = self.rows.train
        return learn_ensemble(self.rows.task, train.X, target, train.weights, **options)

    def _target(self) -> Labels | Numbers:
        y = self.rows.train.y
        return y if isinstance(y, Labels) else Numbers.from_any(y)

    def _notes(self) -> dict[str, dict[str, str]]:
        unseen = "not used for tuning" if self.ensemble is None else "the ensemble may have seen them"
        seed = self.request.seed
        return {
            "Data": {
                "Training": f"{self.rows.train.n_rows:,} rows",
                "Held out": f"{self.rows.test.n_rows:,} rows, split with seed {seed}; {unseen}",
            },
            "Audit trail": self.audit,
        }


def file_names(shape: Shape) -> list[str]:
    """Return the files that a result may have."""
    drawn = [f"{shape}.txt", f"{shape}.svg"]
    return ["report.html", "model.json", "ensemble.json", *drawn, "metrics.json", "held_out.csv"]


def _named(ensemble: Ensemble | BlackBox) -> str:
    return ensemble.name if isinstance(ensemble, BlackBox) else pluralize(ensemble.n_trees, "tree")


def _aligned(lines: list[tuple[str, str]]) -> str:
    """Write names and texts in two columns."""
    width = max(_MIN_WIDTH, *(len(name) for name, _ in lines))
    return "\n".join(f"{name:<{width}} {text}" for name, text in lines)


def _interval(found: Share | Estimate | NumberErrors, is_proved: bool = False) -> str:
    """Return the interval in parentheses; what is proved needs none."""
    return "" if is_proved else f" (95% interval {found.interval_text})"


def _largest(proof: dict[str, Any], rows: str) -> str:
    low, high = proof["max_difference"], proof["max_difference_bound"]
    if low == high:
        return f"at most {error_text(low)} from the ensemble on {rows}; this bound is exact"
    most = "nothing" if high is None else f"at most {error_text(high)} from the ensemble on {rows}"
    return f"{most}; one possible row differs by {error_text(low)}"


@dataclass(frozen=True)
class Result:
    """What a job found.

    Attributes
    ----------
    shape : Shape
        The requested shape.
    summary : estimator or model
        The replacement.
    report : Report
        What was measured.
    is_given : bool
        Whether the user supplied the ensemble: it is then unknown which rows it has seen.
    rows : Split
        The rows that it was found on and measured on.
    tally : Tally or None
        Measures on all rows, if ``rows`` is a sample of rows in parts.
    """

    shape: Shape
    summary: Any
    report: Report
    is_given: bool
    rows: Split
    tally: Tally | None = None

    @property
    def metrics(self) -> dict[str, Any]:
        """The numbers for other programs."""
        return {**self.report.metrics, **({} if self.tally is None else {"all_rows": self.tally.to_json()})}

    def files(self) -> dict[str, str]:
        """Return the contents of the folder by file name, without the numbers."""
        evidence = self.report.evidence
        assert evidence.ensemble is not None
        return {
            "report.html": self.report.to_html(),
            "model.json": evidence.model.to_json(),
            **(
                {}
                if isinstance(evidence.ensemble, BlackBox)
                else {"ensemble.json": evidence.ensemble.to_json()}
            ),
            f"{self.shape}.txt": self._model_text(),
            **(
                {f"{self.shape}.svg": to_svg(evidence.model, X=evidence.rows, y=evidence.labels)}
                if isinstance(evidence.model, Tree | Graph)
                else {}
            ),
            "held_out.csv": self.rows.held_out_lines(),
        }

    def _model_text(self) -> str:
        """Return the model, and what it does not show, such as the threshold of its labels."""
        evidence = self.report.evidence
        # Named as in the page; an estimator of stumps writes more than its model.
        shown = (self.summary if self.shape is Shape.STUMPS else evidence.model).to_text()
        more = [remark for remark in evidence.remarks if printable(remark) not in shown]
        return "\n".join([shown.rstrip("\n"), "", *more, ""]) if more else shown

    def text(self, page: str) -> str:
        """Return the results, one line each.

        Parameters
        ----------
        page : str
            The file of the report.
        """
        evidence = self.report.evidence
        size = evidence.model.size_
        counts = ", ".join(
            f"depth {size[key]:,}" if key == "depth" else pluralize(size[key], _SINGULAR[key], key)
            for key in _COUNTS.get(self.shape, ())
        )
        columns = f"{size['features']:,} of {evidence.model.schema.n_used:,} columns"
        proved = [] if self.report.metrics["proof"] is None else [("proved", self._proved())]
        given = [_GIVEN.format(_FLATTERED[evidence.task]), *self._swapped()] if self.is_given else []
        return _aligned(
            [
                *self._quality(),
                ("fidelity", self._fidelity()),
                ("size", f"{counts or evidence.kind.description}, {columns}"),
                *proved,
                *([] if self.tally is None else [("all rows", self.tally.text())]),
                *(("note", printable(remark)) for remark in [*given, *evidence.row_notes, *evidence.remarks]),
                ("report", page),
            ]
        )

    def _quality(self) -> list[tuple[str, str]]:
        """Return one line per measure, the baselines beside the model."""
        lines = measure_lines(self.report.evidence)
        imbalance = imbalance_text(self.report.evidence)
        sentences = warning_sentences(self.report.evidence, in_command=True)
        warned = [("warning", " ".join(sentences))] if sentences else []
        noted = [("note", f"{imbalance}: balanced measures come first")] if imbalance else []
        return [*warned, *noted, *lines.items()]

    def _fidelity(self) -> str:
        evidence = self.report.evidence
        assert evidence.measures is not None
        found = evidence.measures.fidelity
        if isinstance(found, Fidelity) and evidence.only_label is not None:
            return f"both predict {evidence.only_label} for all {found.overall.n_rows:,} held-out rows"
        if isinstance(found, Fidelity):
            return self._fidelity_of_labels(found)
        assert found is not None
        return (
            f"R² {found.text} to {evidence.teacher_name} on {self._rows(found)}; "
            f"{error_text(found.mae.value)} away on average"
        )

    def _rows(self, found: Share | NumberErrors) -> str:
        evidence = self.report.evidence
        rows = evidence.rows_text(found.n_rows, "held-out row")
        return f"{rows}{_interval(found, evidence.is_proved_equal)}"

    def _fidelity_of_labels(self, found: Fidelity) -> str:
        share, evidence = found.overall, self.report.evidence
        overall = f"{share.text} of {self._rows(share)}, always {found.majority_label} {found.majority.text}"
        if not evidence.is_imbalanced:
            return overall
        always = f"always {found.majority_label} {percent(found.balanced_majority, 1)}"
        interval = _interval(found.balanced, evidence.is_proved_equal)
        return f"balanced {found.balanced.text}{interval}, {always}; {overall}"

    def _swapped(self) -> list[str]:
        """Warn if the ensemble's class names seem to be in the wrong order."""
        evidence = self.report.evidence
        if evidence.task == "numbers":
            return []
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
            "the ensemble is less accurate than always guessing the most frequent class: "
            f"its class names may be swapped (--classes {order} would give {percent(float(swapped), 1)})"
        ]

    def _proved(self) -> str:
        proof, certificate = self.report.metrics["proof"], self.report.evidence.certificate
        assert certificate is not None
        rows = covered_rows(certificate)
        if proof["equivalent"]:
            return f"equal to the ensemble on {rows}"
        if "max_difference" in proof:
            return _largest(proof, rows)
        n_leaves = sum(proof["leaves"].values())
        if not n_leaves:
            is_refuted = proof["equivalent"] is False
            return "not equal to the ensemble on some possible row" if is_refuted else "nothing"
        share = percent(proof["share_of_rows"] or 0.0, 1)
        unweighted = "" if self.report.evidence.row_weights is None else ", not weighted"
        n_proved = proof["leaves"]["proved"]
        return f"{n_proved:,} of {n_leaves:,} leaves, {share} of the held-out rows{unweighted}"
