"""Rule sets as the page holds them."""

from __future__ import annotations

import math
from typing import Any

from sightline.model import RuleSet
from sightline.report._columns import Columns
from sightline.report._evidence import Evidence
from sightline.report._models import model_json, model_parts, tested_features
from sightline.report._naming import noun_of
from sightline.show import RuleWording, strongest_first, voting_text

Json = dict[str, Any]


@tested_features.register
def _(rules: RuleSet) -> set[int]:
    return {int(feature) for feature in rules.core.feature}


@model_parts.register
def _(rules: RuleSet) -> dict[str, Json]:  # noqa: ARG001
    return {"rules": {"title": "The rules"}, "whatif": {"title": "What if"}}


@model_json.register
def _(rules: RuleSet, evidence: Evidence, columns: Columns) -> Json:  # noqa: ARG001
    wording = RuleWording(rules)
    order = strongest_first(rules)
    statistics = [array.tolist() for array in rules.statistics.arrays]
    weight, label = rules.core.weight.tolist(), rules.core.label.tolist()
    multiplicity = rules.multiplicity.tolist()
    voting = rules.voting
    return {
        "kind": "rules",
        "noun": noun_of(rules),
        "n_trees": rules.n_trees,
        "voting_text": "; ".join(filter(None, [voting_text(rules), wording.precision])),
        "voting": {
            "pc": voting.pc,
            "wr": voting.wr,
            "fallback": voting.fallback,
            "base": list(voting.base),
            "prior": list(voting.prior),
        },
        "conditions": _conditions(rules, wording, columns),
        "rules": [
            {
                "conditions": wording.conditions(rule),
                "label": label[rule],
                "weight": weight[rule],
                "trees": multiplicity[rule],
                **{
                    name: _finite(values[rule])
                    for name, values in zip(
                        ("rows", "precision", "oob_rows", "oob_precision"), statistics, strict=True
                    )
                },
            }
            for rule in order
        ],
    }


def _conditions(rules: RuleSet, wording: RuleWording, columns: Columns) -> list[Json]:
    core, features = rules.core, rules.schema.features
    begin = core.category_begin.tolist()
    numbers = zip(core.feature.tolist(), core.low.tolist(), core.high.tolist(), strict=True)
    return [
        {
            "feature": columns.place[feature],
            "low": _bound(wording, feature, low),
            "high": _bound(wording, feature, high),
            "codes": core.category[begin[c] : begin[c + 1]].tolist()
            if features[feature].is_nominal
            else None,
            "missing": bool(core.accepts_missing[c]),
        }
        for c, (feature, low, high) in enumerate(numbers)
    ]


def _bound(wording: RuleWording, feature: int, value: float) -> Json | None:
    if not math.isfinite(value):
        return None
    return {
        "value": value,
        "text": wording.number(feature, value),
        "excludes": wording.excludes(feature, value),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
