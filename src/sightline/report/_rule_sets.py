"""Rule sets on the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from sightline.export import predictor_data
from sightline.model import RuleSet, are_cuts, finite_or_none
from sightline.report._kind import KINDS, Json, Kind
from sightline.report._node_models import as_list, rows_head
from sightline.show import RuleWording, counted_lines, strongest_first, voting_text
from sightline.wording import capitalize

if TYPE_CHECKING:
    from sightline.report._columns import Columns
    from sightline.report._evidence import Evidence

STATISTICS = ("rows", "quality", "oob_rows", "oob_quality")
"""The quality of a rule is its precision or, if it predicts a number, its mean absolute error."""

ABOUT_ERRORS = (
    "MAE: how far the rule's number lies from those of the training rows that satisfy it, on average."
)
ABOUT_UNSEEN_ERRORS = "Unseen: the same on rows that some of its trees did not learn from."


@KINDS.register(RuleSet)
class Rules(Kind):
    """A rule set."""

    model: RuleSet
    noun = "rule set"
    heading = "Rule set"
    unit = ("rule", "rules")
    parts: ClassVar[dict[str, str]] = {"rules": "The rules", "whatif": "What if"}

    @property
    def size(self) -> int:
        """Number of rules."""
        return self.model.n_rules

    @property
    def features(self) -> set[int]:
        """Indices of the features in conditions."""
        return {int(feature) for feature in self.model.core.feature}

    def to_json(self, evidence: Evidence, columns: Columns) -> Json:  # noqa: ARG002
        """Return conditions and rules, the strongest first, and how they read."""
        rules = self.model
        wording = RuleWording(rules, show_missing=True)
        precision = [f"{capitalize(wording.precision)}."] if wording.precision else []
        errors = _about_errors(rules) if rules.classes_ is None else []
        return {
            **{name: as_list(entry) for name, entry in predictor_data(rules).items()},
            "kind": "rules",
            "noun": self.noun,
            "feature": columns.renumbered(rules.core.feature),
            "n_trees": rules.n_trees,
            "voting_text": " ".join([voting_text(rules), *counted_lines(rules), *errors, *precision]),
            "is_weighted": (is_weighted := rules.schema.subject.is_weighted),
            "rows_head": rows_head(is_trained=True, is_weighted=is_weighted),
            "condition_text": [wording.condition(c) for c in range(len(rules.core.feature))],
            "rules": _rules(rules, wording),
            "turns": _turns(rules, wording, columns),
        }


def _about_errors(rules: RuleSet) -> list[str]:
    """Explain the error columns of the rule table."""
    _, error, _, unseen = (any(map(math.isfinite, array)) for array in rules.statistics.arrays)
    return [ABOUT_ERRORS] * error + [ABOUT_UNSEEN_ERRORS] * unseen


def _rules(rules: RuleSet, wording: RuleWording) -> list[Json]:
    statistics = dict(zip(STATISTICS, (array.tolist() for array in rules.statistics.arrays), strict=True))
    weight, n_trees = rules.core.weight.tolist(), rules.multiplicity.tolist()
    label = (rules.core.label if rules.values is None else rules.values).tolist()
    return [
        {
            "index": rule,
            "conditions": wording.conditions(rule),
            "text": wording.premise(rule),
            "label": label[rule],
            "label_text": wording.label(rule),
            "weight": abs(weight[rule]),
            "weight_text": wording.weight(rule),
            "trees": n_trees[rule],
            **{name: finite_or_none(values[rule]) for name, values in statistics.items()},
        }
        for rule in strongest_first(rules)
    ]


def _turns(rules: RuleSet, wording: RuleWording, columns: Columns) -> list[list[Any]]:
    """Return the numbers at which the rules may change their label, with the words for both sides."""
    core = rules.core
    bounds = {
        (feature, index, value)
        for feature, index, low, high in zip(
            core.feature.tolist(),
            columns.renumbered(core.feature),
            core.low.tolist(),
            core.high.tolist(),
            strict=True,
        )
        for value in (low, high)
        if are_cuts(value)
    }
    return [
        [
            index,
            value,
            wording.interval(feature, -math.inf, value),
            wording.interval(feature, value, math.inf),
        ]
        for feature, index, value in sorted(bounds)
    ]
