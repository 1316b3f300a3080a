"""An explanation by cases in words: values, differences and labels."""

from __future__ import annotations

import math

from sightline.model import CaseExplanation, CaseMatch
from sightline.show.cases._display import feature_wording
from sightline.wording import answer_text, list_names, pluralize

MAX_CELL = 24
"""Characters after which a cell is cut."""

_MAX_DIFFERENCES = 3
_MAX_NEAR = 2


class CaseWording:
    """An explanation in words: values of the row beside those of the cases.

    Parameters
    ----------
    explanation : CaseExplanation
        The explanation.
    """

    def __init__(self, explanation: CaseExplanation) -> None:
        self.explanation = explanation
        self.base = explanation.base
        numbers: dict[int, list[float]] = {}
        for feature, column in enumerate(self.base.cases.columns):
            if not column.feature.is_nominal:
                own = [float(column.values[match.case]) for match in explanation.matches]
                row = float(explanation.all_rows.columns[feature].values[explanation.index])
                numbers[feature] = [value for value in (row, *own) if not math.isnan(value)]
        self.features = feature_wording(self.base, numbers)

    def case(self, match: CaseMatch) -> str:
        """Return the name of a case, or its number."""
        name = self.base.name_of(match.case)
        return f"{name:,}" if self.base.names is None else self.features.text(name)

    def outcome(self, match: CaseMatch | None) -> str:
        """Return the class or number of a case, or what is predicted for the row if no case is given."""
        outcome = self.explanation.label if match is None else self.base.outcomes[match.case]
        return answer_text(float(outcome)) if self.base.classes_ is None else self.features.text(outcome)

    def value(self, feature: int, match: CaseMatch | None) -> str:
        """Return the value of a case, or of the row if no case is given."""
        columns = self.explanation.all_rows.columns if match is None else self.base.cases.columns
        value = columns[feature].values[self.explanation.index if match is None else match.case]
        is_nominal = columns[feature].feature.is_nominal
        if value < 0 if is_nominal else math.isnan(value):
            return "missing" if match is not None else self._missing(feature)
        if is_nominal:
            return self.features.value(feature, int(value))
        return self.features.number(feature, float(value))

    def _missing(self, feature: int) -> str:
        """Distinguish a missing value from one that no case has."""
        given = self.explanation.given
        names = given.names
        name = self.base.schema.names[feature]
        column = names.index(name) if name in names else feature
        cell = given.columns[column].to_list()[0]
        return "missing" if cell is None else f"{self.features.text(cell)}, which no case has"

    def difference(self, feature: int, match: CaseMatch) -> str:
        """Return how a case differs in a feature, as in ``chol (283, yours 256)``."""
        theirs, yours = self.value(feature, match), self.value(feature, None)
        return f"{self.features.name(feature)} ({theirs}, yours {yours})"

    def differences(self, match: CaseMatch) -> str:
        """Return the features in which a case differs, the most different first."""
        differing = match.differing
        # Leaving out a single feature would save nothing.
        n_shown = len(differing) if len(differing) <= _MAX_DIFFERENCES + 1 else _MAX_DIFFERENCES
        return list_names([self.difference(feature, match) for feature in differing], n_shown)

    def rest(self, match: CaseMatch) -> str:
        """Return the features that are the same or nearly the same."""
        equal, near = match.equal, match.near
        parts = [f"the same in {pluralize(len(equal), 'feature')}"] if equal else []
        if near:
            named = [self.difference(feature, match) for feature in near]
            parts.append(f"nearly the same in {list_names(named, _MAX_NEAR)}")
        return ", ".join(parts)
