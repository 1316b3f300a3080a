"""One SELECT that predicts for every row of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._plain_nodes import SHARED, Missing, PlainNodes, one_type
from sightline.export._registry import kind
from sightline.export._sql_case import CaseWriter, Tests
from sightline.export._sql_dialect import Dialect
from sightline.model import LEAF, Graph, NodeModel, Tree
from sightline.table import Schema

to_sql = kind("sql")

_MAX_TERMS = 50
"""Terms side by side: longer chains are nested deeper than databases allow, so they are grouped."""

_MAX_MIXED = 400
"""Leaves and levels up to which rows are shared out: longer sums and products are nested too deep."""


@to_sql.register(Tree)
@to_sql.register(Graph)
def _(
    model: NodeModel,
    missing: Missing = "exact",
    dialect: str = "ansi",
    table: str | Sequence[str] | None = "data",
    column: str = "prediction",
    probabilities: bool = False,
) -> str:
    chosen = Dialect.named(dialect)
    nodes = PlainNodes.of(model, missing).unfolded("SQL")
    writer = _NodeExpressions(nodes, chosen)
    if probabilities and nodes.classes_ is None:
        raise UnsupportedModelError("This model is a regression: it has no class probabilities.")
    columns = {column: writer.prediction()}
    if probabilities:
        columns |= {f"probability_{k}": writer.output(k) for k in range(len(nodes.classes_ or ()))}
    return select(columns, nodes.schema, nodes.used, chosen, table)


def select(
    columns: dict[str, str],
    schema: Schema,
    used: Sequence[int],
    dialect: Dialect,
    table: str | Sequence[str] | None,
) -> str:
    """Write the statement that adds columns to those of a table, or the only expression without one."""
    _check_names(columns, schema, used, dialect)
    columns = {name: _refusing(text, schema, used, dialect) for name, text in columns.items()}
    if table is None:
        if len(columns) > 1:
            raise ParameterError("Without a table there is room for one expression: leave out probabilities.")
        return next(iter(columns.values())) + "\n"
    parts = [table] if isinstance(table, str) else table
    source = ".".join(dialect.identifier(part) for part in parts)
    listed = ",\n".join(f"  {text} AS {dialect.identifier(name)}" for name, text in columns.items())
    return f"SELECT *,\n{listed}\nFROM {source}\n"


def _refusing(text: str, schema: Schema, used: Sequence[int], dialect: Dialect) -> str:
    """Write NULL in place of an answer about values that are no numbers, where the database takes any."""
    numeric = [schema.names[f] for f in used if schema.features[f].categories is None]
    if dialect.not_a_number is None or not numeric:
        return text
    refused = grouped([dialect.not_a_number.format(dialect.identifier(name)) for name in numeric], "OR")
    return f"CASE WHEN {refused} THEN NULL ELSE\n  {text}\n  END"


def grouped(terms: Sequence[str], operator: str) -> str:
    """Join terms by an associative operator, at most so many side by side.

    Examples
    --------
    >>> grouped(["a", "b"], "AND")
    '(a AND b)'
    """
    terms = list(terms)
    while len(terms) > 1:
        terms = [
            f"({f' {operator} '.join(terms[begin : begin + _MAX_TERMS])})"
            for begin in range(0, len(terms), _MAX_TERMS)
        ]
    return terms[0]


def _check_names(columns: dict[str, str], schema: Schema, used: Sequence[int], dialect: Dialect) -> None:
    folded: Callable[[str], str] = str.casefold if dialect.folds_case else str
    seen: dict[str, str] = {}
    for name in (schema.names[feature] for feature in used):
        other = seen.setdefault(folded(name), name)
        if other != name:
            raise UnsupportedModelError(
                f"{dialect.title} does not tell the columns {other!r} and {name!r} apart, which differ in "
                "case only: rename one."
            )
    for column in columns:
        if folded(column) in seen:
            raise ParameterError(
                f"The model has a feature {seen[folded(column)]!r}, so its prediction needs another name: "
                "give one as 'column'."
            )


class _NodeExpressions:
    """The expressions of one tree: what it predicts, and its single outputs."""

    def __init__(self, nodes: PlainNodes, dialect: Dialect) -> None:
        self.nodes = nodes
        self.dialect = dialect
        self.tests = Tests(nodes, dialect)
        self.mixes = nodes.shares_out
        self._stem = free_stem(nodes.schema)
        self.cases = CaseWriter(self.tests, is_complete=self.mixes)
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

    def output(self, place: int) -> str:
        """Write one output of a row: a probability, or the number of a regression."""
        outputs = self.nodes.output[:, place].tolist()
        whole = self.cases.written(lambda leaf: self.dialect.number(outputs[leaf]), self._indent)
        if not self.mixes:
            return whole
        return self._guarded(
            whole, f"(SELECT {self._sum(outputs)} FROM ({self._parts()}) AS {self._stem}parts)"
        )

    @property
    def _indent(self) -> str:
        return "    " if self.mixes else "  "

    @property
    def _leaves(self) -> list[int]:
        return [node for node in range(self.nodes.n_nodes) if self.nodes.test[node] == LEAF]

    def _guarded(self, whole: str, mixed: str) -> str:
        """Choose between the plain expression and that of rows with missing values."""
        missing = " OR ".join(self.tests.fields.is_missing(feature) for feature in self.nodes.used)
        return f"CASE WHEN NOT ({missing}) THEN\n    {whole}\n  ELSE\n    {mixed}\n  END"

    def _winner(self, labels: list[str]) -> str:
        """Write the first class that exceeds all before it by more than the tolerance."""
        outputs = self.nodes.output
        sums = ", ".join(
            f"{self._sum(outputs[:, k].tolist())} AS {self._stem}p{k}" for k in range(len(labels))
        )
        source = f"(SELECT {sums} FROM ({self._parts()}) AS {self._stem}parts) AS {self._stem}mixed"
        return first_largest(labels, source, self.nodes.tie_tolerance, self._stem, self.dialect)

    def _parts(self) -> str:
        """Select how much of a row reaches each leaf, multiplied on the way down as the kernels do."""
        factors: list[list[str]] = [[] for _ in range(self.nodes.n_nodes)]
        for node in range(self.nodes.n_nodes):
            begin = int(self.nodes.begin[node])
            for branch, child in enumerate(self.nodes.children[node]):
                share = float(self.nodes.share[begin + branch])
                if self.nodes.missing[node] != SHARED:
                    share = float(self.nodes.missing[node] == branch)
                factors[child] = [*factors[node], self._factor(node, branch, share)]
        parts = ", ".join(
            f"{' * '.join(factors[leaf]) or self.dialect.number(1.0)} AS {self._stem}w{leaf}"
            for leaf in self._leaves
        )
        return f"SELECT {parts}{self._flags()}"

    def _flags(self) -> str:
        """Select once per nominal feature whether it is missing: all its values must be listed for that."""
        flags = [
            f"CASE WHEN {self.tests.fields.is_missing(feature)} THEN 1 ELSE 0 END AS {self._stem}m{feature}"
            for feature in self.nodes.used
            if feature in self.tests.fields.values
        ]
        return f" FROM (SELECT {', '.join(flags)}) AS {self._stem}flags" if flags else ""

    def _is_missing(self, feature: int) -> str:
        is_nominal = feature in self.tests.fields.values
        return f"{self._stem}m{feature} = 1" if is_nominal else self.tests.fields.is_missing(feature)

    def _factor(self, node: int, branch: int, share: float) -> str:
        missing = self._is_missing(int(self.nodes.feature[node]))
        one, none = self.dialect.number(1.0), self.dialect.number(0.0)
        takes = self.tests.takes(node, branch, is_complete=True)
        return (
            f"CASE WHEN {missing} THEN {self.dialect.number(share)} WHEN {takes} THEN {one} ELSE {none} END"
        )

    def _sum(self, outputs: list[float]) -> str:
        return " + ".join(
            f"{self._stem}w{leaf} * {self.dialect.number(outputs[leaf])}" for leaf in self._leaves
        )

    def _check_size(self) -> None:
        n_leaves, depth = len(self._leaves), self.nodes.depth
        if max(n_leaves, depth) > _MAX_MIXED:
            raise UnsupportedModelError(
                f"SQL can share rows with missing values out among at most {_MAX_MIXED} leaves and levels; "
                f"this tree has {n_leaves:,} leaves and {depth:,} levels. Export with missing='largest': "
                "then such rows follow the branch with the largest share."
            )


def free_stem(schema: Schema) -> str:
    """Return what names of helping columns begin with: no feature's name does."""
    stem = "sl_"
    while any(name.casefold().startswith(stem) for name in schema.names):
        stem += "_"
    return stem


def first_largest(labels: Sequence[str], source: str, tolerance: float, stem: str, dialect: Dialect) -> str:
    """Write the label of the first of the columns p0, p1, … of a source that exceeds all before it.

    Each step keeps the highest so far: it is compared by more than a tolerance, so that pairs
    alone do not decide.
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
            # DISTINCT keeps the database from writing each step twice into the next one.
            steps.append(f"{stem}s{k} AS (SELECT DISTINCT {kept}, {higher} FROM {source})")
            source = f"{stem}s{k}"
    whens = " ".join(
        f"WHEN {scores[k]} - {highest[k - 1]} > {least} THEN {labels[k]}" for k in range(n - 1, 0, -1)
    )
    named = f"WITH {', '.join(steps)} " if steps else ""
    return f"({named}SELECT CASE {whens} ELSE {labels[0]} END FROM {source})"
