"""A rule set as SQL expressions: the votes of its rules, and the class with the most, or their mean."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.export._plain_nodes import free_stem, one_type
from sightline.export._rule_table import NO_VOTE, TIE, RuleTable
from sightline.export._sql_case import Fields
from sightline.export._sql_dialect import Dialect
from sightline.export._sql_select import data_name, grouped


class RuleExpressions:
    """Votes, shares and winner of a rule set.

    The winner is a subquery without a table. The shares of all classes are joined to the table if
    ``joins`` is set; a subquery for each class would repeat all rules as often as there are classes.
    """

    def __init__(self, rules: RuleTable, dialect: Dialect, joins: bool) -> None:
        self.rules = rules
        self.dialect = dialect
        self.joins = joins
        owner = f"{data_name(rules.schema)}." if joins else ""
        self.fields = Fields(rules.schema, rules.used, dialect, owner)
        self.class_indices = range(rules.n_sums)
        self.stem = free_stem(rules.schema.names)
        core = rules.rules.core
        self._conditions = [self._condition(c) for c in range(len(core.feature))]
        self._votes = self._final_votes()

    def prediction(self) -> str:
        """Write the label: most votes, ties to the larger prior. Numbers are the quotient of two sums."""
        if self.rules.classes_ is None:
            total, weight = self._names("p")
            return f"(SELECT {total} / {weight} FROM {self._votes})"
        labels = [self.dialect.value(label) for label in one_type(self.rules.classes_)]
        votes = self._names("p")
        most = self._largest(votes)
        largest = self._largest([f"ABS({vote})" for vote in votes])
        enough = f"{most} - {self.dialect.number(TIE)} * {largest} AS {self.stem}enough"
        source = self._selected([*votes, enough], self._votes, "limit")
        *ahead, last = self.rules.by_prior
        whens = " ".join(f"WHEN {votes[k]} >= {self.stem}enough THEN {labels[k]}" for k in ahead)
        return f"(SELECT CASE {whens} ELSE {labels[last]} END FROM {source})" if ahead else labels[last]

    def output(self, index: int) -> str:
        """Read the share of a class in the votes from what is joined to the table."""
        return self.dialect.per_row.read.format(
            name=self._shares, column=self._names("share")[index], index=index
        )

    @property
    def joined(self) -> str:
        """Join the shares of all classes to the rows, so that the votes are counted once for all.

        A share is that of the votes, shifted so that none is negative.
        """
        if not self.joins:
            return ""
        votes, raised, total = self._names("p"), self._names("r"), f"{self.stem}total"
        zero, equal = self.dialect.number(0.0), self.dialect.number(1 / len(votes))
        least = self._largest([zero, *(f"-{vote}" for vote in votes)])
        source = self._selected([*votes, f"{least} AS {self.stem}raise"], self._votes, "least")
        shifted = [f"{vote} + {self.stem}raise AS {name}" for vote, name in zip(votes, raised, strict=True)]
        source = self._selected(shifted, source, "raised")
        source = self._selected([*raised, f"{grouped(raised, '+')} AS {total}"], source, "summed")
        per_row = self.dialect.per_row
        values = [
            per_row.written.format(
                value=f"CASE WHEN {total} > {zero} THEN {part} / {total} ELSE {equal} END", column=column
            )
            for part, column in zip(raised, self._names("share"), strict=True)
        ]
        return per_row.join.format(values=", ".join(values), source=source, name=self._shares)

    @property
    def _shares(self) -> str:
        return f"{self.stem}shares"

    def _names(self, kind: str) -> list[str]:
        """Name one helper column per class."""
        return [f"{self.stem}{kind}{k}" for k in self.class_indices]

    def _selected(self, columns: Sequence[str], source: str, name: str) -> str:
        """Select from the only row of a source."""
        # DISTINCT keeps databases from expanding each step wherever the next one names its columns.
        return f"(SELECT DISTINCT {', '.join(columns)} FROM {source}) AS {self.stem}{name}"

    def _final_votes(self) -> str:
        """Select the votes p0, p1, …: those of the rules, else of the fallback, else the prior."""
        full, fallback = self._names("v"), self._names("f")
        has_fallback = bool((self.rules.fallback_needed < self.rules.length).any())
        counted = [f"{self._sum(k, False)} AS {full[k]}" for k in self.class_indices]
        if has_fallback:
            counted += [f"{self._sum(k, True)} AS {fallback[k]}" for k in self.class_indices]
        # The source of the votes is chosen once per row, not once per class.
        decides = f"WHEN {self._none(full)} THEN {1 if has_fallback else 2}"
        if has_fallback:
            decides = f"WHEN {self._none([*full, *fallback])} THEN 2 {decides}"
        kept = [*full, *(fallback if has_fallback else ())]
        source = f"(SELECT {', '.join(counted)}) AS {self.stem}counted"
        source = self._selected([*kept, f"CASE {decides} ELSE 0 END AS {self.stem}by"], source, "decided")
        prior = [self.dialect.number(float(share)) for share in self.rules.rules.voting.prior]
        chosen = [
            f"CASE {self.stem}by WHEN 2 THEN {prior[k]}"
            f"{f' WHEN 1 THEN {fallback[k]}' if has_fallback else ''} ELSE {full[k]} END AS {self.stem}p{k}"
            for k in self.class_indices
        ]
        return self._selected(chosen, source, "votes")

    def _none(self, votes: Sequence[str]) -> str:
        # Whether rules that predict numbers match is known by the sum of weights.
        votes = [vote for k, vote in enumerate(votes) if k % 2] if self.rules.classes_ is None else votes
        return grouped([f"ABS({vote}) <= {self.dialect.number(NO_VOTE)}" for vote in votes], "AND")

    def _largest(self, values: Sequence[str]) -> str:
        return f"{self.dialect.greatest}({', '.join(values)})" if len(values) > 1 else values[0]

    def _sum(self, index: int, is_fallback: bool) -> str:
        """Write the votes for a class, of all matches or, as fallback, of partial matches alone."""
        core = self.rules.rules.core
        terms = [] if is_fallback else [self.dialect.number(float(self.rules.rules.voting.base[index]))]
        for rule, label in enumerate(core.label.tolist()):
            if label == index:
                terms += self._term(rule, is_fallback)
        return grouped(terms, "+") if terms else self.dialect.number(0.0)

    def _term(self, rule: int, is_fallback: bool) -> list[str]:
        """Write the vote of a rule by the number of its conditions that hold."""
        weight, length = float(self.rules.rules.core.weight[rule]), int(self.rules.length[rule])
        needed = int((self.rules.fallback_needed if is_fallback else self.rules.needed)[rule])
        factor = 1.0 if is_fallback else float(self.rules.rules.voting.wr)
        conditions = [self._conditions[c] for c in self.rules.conditions(rule)]
        number, zero = self.dialect.number, self.dialect.number(0.0)
        if needed >= length:
            if is_fallback:
                return []
            holds = grouped(conditions, "AND") if conditions else "1 = 1"
            return [f"CASE WHEN {holds} THEN {number(weight)} ELSE {zero} END"]
        count = grouped([f"CASE WHEN {condition} THEN 1 ELSE 0 END" for condition in conditions], "+")
        votes = [
            f"WHEN {n} THEN {number(factor * weight * n / length)}" for n in range(length - 1, needed - 1, -1)
        ]
        if not is_fallback:
            votes.insert(0, f"WHEN {length} THEN {number(weight)}")
        return [f"CASE {count} {' '.join(votes)} ELSE {zero} END"]

    def _condition(self, condition: int) -> str:
        core = self.rules.rules.core
        feature, accepts_missing = int(core.feature[condition]), bool(core.accepts_missing[condition])
        if feature in self.fields.values:
            return self.fields.is_one_of(feature, self.rules.codes(condition), accepts_missing)
        bounds, missing = self.rules.bounds(condition), self.fields.is_missing(feature)
        if bounds.is_empty:
            return f"({missing})" if accepts_missing else "1 = 0"
        inside = " AND ".join(
            self.fields.is_at_most(feature, bound, is_inside)
            for is_inside, bound in ((False, bounds.low), (True, bounds.high))
            if bound is not None
        )
        if accepts_missing:
            return f"({inside} OR {missing})" if inside else "1 = 1"
        if bounds.high is None and (self.fields.has_nan(feature) or not inside):
            # Some databases sort NaN above every number.
            return f"({inside}{' AND ' if inside else ''}NOT ({missing}))"
        return f"({inside})"
