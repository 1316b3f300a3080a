"""A tree as SQL expressions: its prediction, and its single outputs."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.exceptions import UnsupportedModelError
from sightline.export._plain_nodes import SHARED, PlainNodes, free_stem, one_type
from sightline.export._sql_case import CaseWriter, Fields, Tests
from sightline.export._sql_dialect import Dialect
from sightline.model import LEAF, LeafLines

_MAX_MIXED = 400
"""Maximum number of leaves and levels for which rows are split. Longer sums and products nest too deep."""


class NodeExpressions:
    """The expressions of one tree: its prediction, and its single outputs.

    Rows with missing values go through subqueries. Only the innermost, which has no FROM, names columns
    of the table; the others read them under names of their own. A source may have hidden columns: in
    SQLite, ``rowid`` is that of the nearest one, even if the table has a column of that name.
    """

    joined = ""

    def __init__(self, nodes: PlainNodes, dialect: Dialect) -> None:
        self.nodes = nodes
        self.dialect = dialect
        self.fields = Fields(nodes.schema, nodes.used, dialect)
        self.mixes = nodes.shares_out
        self._stem = free_stem(nodes.schema.names)
        self._inner = self.fields.renamed({feature: f"{self._stem}c{feature}" for feature in nodes.used})
        self._inner_tests = Tests(nodes, self._inner)
        self.cases = CaseWriter(Tests(nodes, self.fields), is_complete=self.mixes)
        if self.mixes:
            self._check_size()

    def prediction(self) -> str:
        """Write the label or number of a row."""
        if self.nodes.classes_ is None:
            return self.output(0)
        labels = [self.dialect.value(label) for label in one_type(self.nodes.classes_)]
        whole = self.cases.written(lambda leaf: labels[self.nodes.winner[leaf]], self._indent)
        if not self.mixes:
            return whole
        return self._guarded(whole, self._winner(labels))

    def output(self, index: int) -> str:
        """Write one output of a row: a probability, or the number of a regression."""
        whole = self.cases.written(lambda leaf: self._answer(leaf, index, self.fields), self._indent)
        if not self.mixes:
            return whole
        mixed = f"(SELECT {self._sum(index)} FROM ({self._parts()}) AS {self._stem}parts)"
        return self._guarded(whole, mixed)

    def _answer(self, leaf: int, index: int, fields: Fields) -> str:
        """Write one output of a leaf: a number, or a line."""
        constant = self.dialect.number(float(self.nodes.output[leaf, index]))
        lines = self.nodes.lines
        return constant if lines is None else line_text(lines, leaf, constant, fields)

    @property
    def _indent(self) -> str:
        return "    " if self.mixes else "  "

    @property
    def _leaves(self) -> list[int]:
        return [node for node in range(self.nodes.n_nodes) if self.nodes.test[node] == LEAF]

    def _guarded(self, whole: str, mixed: str) -> str:
        """Choose between the plain expression and the one for rows with missing values."""
        missing = "\n    OR ".join(self.fields.is_missing(feature) for feature in self.nodes.tested)
        return f"CASE WHEN NOT (\n    {missing}\n  ) THEN\n    {whole}\n  ELSE\n    {mixed}\n  END"

    def _winner(self, labels: list[str]) -> str:
        """Write the first class that exceeds all before it by more than the tolerance."""
        sums = ",\n      ".join(f"{self._sum(k)} AS {self._stem}p{k}" for k in range(len(labels)))
        source = (
            f"(SELECT\n      {sums}\n    FROM ({self._parts()}) AS {self._stem}parts) AS {self._stem}mixed"
        )
        return first_largest(labels, source, self.nodes.tie_tolerance, self._stem, self.dialect)

    def _parts(self) -> str:
        """Select how much of a row reaches each leaf: the product of shares from the root."""
        factors: list[list[str]] = [[] for _ in range(self.nodes.n_nodes)]
        for node in range(self.nodes.n_nodes):
            begin = int(self.nodes.begin[node])
            for branch, child in enumerate(self.nodes.children[node]):
                share = float(self.nodes.share[begin + branch])
                if self.nodes.missing[node] != SHARED:
                    share = float(self.nodes.missing[node] == branch)
                factors[child] = [*factors[node], self._factor(node, branch, share)]
        parts = [
            f"{' * '.join(factors[leaf]) or self.dialect.number(1.0)} AS {self._stem}w{leaf}"
            for leaf in self._leaves
        ]
        if self.nodes.lines is not None:
            parts += self._inner.column.values()
        listed = ",\n      ".join(parts)
        return f"SELECT\n      {listed}\n    FROM {self._cells()}"

    def _cells(self) -> str:
        """Select the columns of a row, and whether a category is missing: that test lists all values."""
        columns = [f"{column} AS {self._inner.column[f]}" for f, column in self.fields.column.items()]
        columns += [
            f"CASE WHEN {self.fields.is_missing(feature)} THEN 1 ELSE 0 END AS {self._stem}m{feature}"
            for feature in self.nodes.tested
            if feature in self.fields.values
        ]
        return f"(SELECT {', '.join(columns)}) AS {self._stem}cells"

    def _is_missing(self, feature: int) -> str:
        is_nominal = feature in self.fields.values
        return f"{self._stem}m{feature} = 1" if is_nominal else self._inner.is_missing(feature)

    def _factor(self, node: int, branch: int, share: float) -> str:
        missing = self._is_missing(int(self.nodes.feature[node]))
        one, none = self.dialect.number(1.0), self.dialect.number(0.0)
        takes = self._inner_tests.takes(node, branch, is_complete=True)
        return (
            f"CASE WHEN {missing} THEN {self.dialect.number(share)} WHEN {takes} THEN {one} ELSE {none} END"
        )

    def _sum(self, index: int) -> str:
        return " + ".join(
            f"{self._stem}w{leaf} * {self._answer(leaf, index, self._inner)}" for leaf in self._leaves
        )

    def _check_size(self) -> None:
        n_leaves, depth = len(self._leaves), self.nodes.depth
        if max(n_leaves, depth) > _MAX_MIXED:
            raise UnsupportedModelError(
                f"SQL can split rows with missing values in trees of at most {_MAX_MIXED} leaves and levels; "
                f"this tree has {n_leaves:,} leaves and {depth:,} levels. Export with missing='largest': "
                "such rows then follow the branch with the largest share."
            )


def line_text(lines: LeafLines, leaf: int, constant: str, fields: Fields) -> str:
    """Write the answer of a leaf with a line, in the order of operations of :class:`LeafLines`."""
    terms, dialect = lines.terms(leaf), fields.dialect
    if not terms:
        return constant
    number = dialect.number
    for feature in (term.feature for term in terms):
        if not fields.is_plain_number(feature):
            raise UnsupportedModelError(
                f"SQL cannot compute with the dates of column {fields.column[feature]} in a line of a leaf. "
                "Fit without lines, or turn the dates into numbers of days first."
            )
    total = constant + "".join(
        f" + CASE WHEN {fields.is_missing(feature)} THEN {number(0.0)} "
        f"ELSE {number(slope)} * ({fields.column[feature]} - {number(center)}) END"
        for feature, slope, center in terms
    )
    # Terms that overflow with opposite signs cancel to NaN. One term cannot, unless its slope is 0.
    may_cancel = len(terms) > 1 or terms[0].slope == 0
    if may_cancel and dialect.nan_to_null is not None:
        total = f"COALESCE({dialect.nan_to_null.format(total)}, {constant})"
    low, high = (number(float(bounds[leaf])) for bounds in (lines.low, lines.high))
    return f"{dialect.least}({dialect.greatest}({total}, {low}), {high})"


def first_largest(labels: Sequence[str], source: str, tolerance: float, stem: str, dialect: Dialect) -> str:
    """Write the label of the first column p0, p1, … of a source that exceeds all before it.

    Each step keeps the maximum so far. Comparing pairs would not do, because of the tolerance.
    """
    least = dialect.number(tolerance)
    n = len(labels)
    if n == 1:
        return labels[0]
    scores = [f"{stem}p{k}" for k in range(n)]
    highest = [scores[0], *(f"{stem}h{k}" for k in range(1, n - 1))]
    steps: list[str] = []
    for k in range(1, n - 1):
        kept = ", ".join([*scores, *highest[1:k]])
        is_higher = f"{scores[k]} - {highest[k - 1]} > {least}"
        higher = f"CASE WHEN {is_higher} THEN {scores[k]} ELSE {highest[k - 1]} END AS {highest[k]}"
        if dialect.nests_selects:
            source = f"(SELECT {kept}, {higher} FROM {source}) AS {stem}s{k}"
        else:
            # DISTINCT keeps the database from expanding each step twice in the next one.
            steps.append(f"{stem}s{k} AS (SELECT DISTINCT {kept}, {higher} FROM {source})")
            source = f"{stem}s{k}"
    whens = " ".join(
        f"WHEN {scores[k]} - {highest[k - 1]} > {least} THEN {labels[k]}" for k in range(n - 1, 0, -1)
    )
    named = f"WITH {', '.join(steps)} " if steps else ""
    return f"({named}SELECT CASE {whens} ELSE {labels[0]} END FROM {source})"
