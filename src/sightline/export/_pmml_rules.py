"""A rule set as a PMML RuleSetModel, in which only full matches vote."""

from __future__ import annotations

from sightline.exceptions import UnsupportedModelError
from sightline.export._plain_nodes import one_type
from sightline.export._pmml_document import (
    attribute,
    document,
    mining_schema,
    one_of,
    simple,
    text_of,
    values_of,
)
from sightline.export._rule_table import RuleTable
from sightline.model import RuleSet

_TIE_WEIGHT = 1e-13
"""Share of the total weight: below any difference of votes, above their rounding error."""


def rule_set_document(model: RuleSet, column: str) -> str:
    """Write a rule set as a document with a RuleSetModel."""
    if model.classes_ is None:
        raise UnsupportedModelError(
            "PMML has no rules that predict numbers. Export them as sql, python, c or javascript."
        )
    rules = RuleTable.of(model)
    _require_full_votes(rules)
    labels = [attribute(text_of(label)) for label in one_type(rules.classes_ or [])]
    predicates = [_predicate(rules, condition) for condition in range(len(model.core.feature))]
    content = [
        '<RuleSetModel functionName="classification">',
        *mining_schema(rules.schema, rules.used, column),
        f"<RuleSet defaultScore={labels[rules.by_prior[0]]}>",
        '<RuleSelectionMethod criterion="weightedSum"/>',
        *(_rule(rules, predicates, labels, rule) for rule in range(model.n_rules)),
        *_tie_breakers(rules, labels),
        "</RuleSet>",
        "</RuleSetModel>",
    ]
    return document(rules.schema, rules.used, rules.classes_, column, content)


def _require_full_votes(rules: RuleTable) -> None:
    voting = rules.rules.voting
    wrong = (
        "partial matches vote"
        if not rules.only_full
        else "classes have votes before the first rule"
        if any(voting.base)
        else "rules vote against classes"
        if (rules.rules.core.weight < 0).any()
        else ""
    )
    if wrong:
        raise UnsupportedModelError(
            f"PMML adds up only the weights of rules that fully match, but in this rule set {wrong}. "
            "Export it as sql, python, c or javascript, or fit it with pc=1.0 and fallback=None."
        )


def _rule(rules: RuleTable, predicates: list[str], labels: list[str], rule: int) -> str:
    parts = [predicates[condition] for condition in rules.conditions(rule)]
    predicate = "<True/>" if not parts else parts[0]
    if len(parts) > 1:
        predicate = f'<CompoundPredicate booleanOperator="and">{"".join(parts)}</CompoundPredicate>'
    weight, label = float(rules.rules.core.weight[rule]), labels[rules.rules.core.label[rule]]
    return f'<SimpleRule id="{rule}" score={label} weight="{weight!r}">{predicate}</SimpleRule>'


def _tie_breakers(rules: RuleTable, labels: list[str]) -> list[str]:
    """Write a rule per class that always matches and decides only ties and rows without votes."""
    step = _TIE_WEIGHT * max(float(abs(rules.rules.core.weight).sum()), 1.0)
    return [
        f'<SimpleRule id="tie {index}" score={labels[index]} weight="{step * rank!r}"><True/></SimpleRule>'
        for rank, index in enumerate(reversed(rules.by_prior))
    ]


def _predicate(rules: RuleTable, condition: int) -> str:
    core = rules.rules.core
    feature = int(core.feature[condition])
    field = attribute(rules.schema.names[feature])
    accepts_missing = bool(core.accepts_missing[condition])
    missing = simple(field, "isMissing")
    known = _known(rules, condition, feature, field)
    if not accepts_missing:
        return known or "<False/>"
    return (
        f'<CompoundPredicate booleanOperator="or">{known}{missing}</CompoundPredicate>' if known else missing
    )


def _known(rules: RuleTable, condition: int, feature: int, field: str) -> str:
    """Write what a known value must satisfy, an empty string if none can."""
    if rules.schema.features[feature].is_nominal:
        return one_of(field, values_of(rules.schema.features[feature]), rules.codes(condition))
    bounds = rules.bounds(condition)
    if bounds.is_empty:
        return ""
    sides = [
        simple(field, operator, repr(bound))
        for operator, bound in (("greaterThan", bounds.low), ("lessOrEqual", bounds.high))
        if bound is not None
    ]
    if not sides:
        return simple(field, "isNotMissing")
    return (
        sides[0]
        if len(sides) == 1
        else f'<CompoundPredicate booleanOperator="and">{"".join(sides)}</CompoundPredicate>'
    )
