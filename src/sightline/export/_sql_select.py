"""The SELECT statement around the expressions of a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sightline.exceptions import ParameterError, UnsupportedModelError
from sightline.export._plain_nodes import free_stem, refused_features
from sightline.export._sql_case import Fields
from sightline.export._sql_dialect import Dialect
from sightline.table import Schema

_MAX_TERMS = 50
"""Maximum number of terms in a chain. Longer chains nest deeper than databases allow, so they are grouped."""


def select(
    columns: dict[str, str],
    schema: Schema,
    used: Sequence[int],
    dialect: Dialect,
    table: str | Sequence[str] | None,
    joined: str = "",
) -> str:
    """Write the statement that adds columns to a table, or without a table the only expression.

    With a text that is joined to the table, the table's columns are those of ``data_name``.
    """
    _check_names(columns, schema, used, dialect)
    owner = f"{data_name(schema)}." if joined else ""
    columns = {name: _refusing(text, schema, used, dialect, owner) for name, text in columns.items()}
    if table is None:
        if len(columns) > 1:
            raise ParameterError(
                "Without a table there is only one expression. Pass a table, or leave out probabilities."
            )
        return next(iter(columns.values())) + "\n"
    parts = [table] if isinstance(table, str) else table
    source = ".".join(dialect.identifier(part) for part in parts)
    listed = ",\n".join(f"  {text} AS {dialect.identifier(name)}" for name, text in columns.items())
    after = f" AS {data_name(schema)}\n{joined}" if joined else ""
    if dialect.reorders_rows and any("(SELECT" in text for text in columns.values()):
        row = dialect.identifier(f"{free_stem(schema.names)}row")
        numbered = f"(SELECT *, ROW_NUMBER() OVER () AS {row} FROM {source})"
        return f"SELECT {owner}* EXCLUDE ({row}),\n{listed}\nFROM {numbered}{after}\nORDER BY {row}\n"
    return f"SELECT {owner}*,\n{listed}\nFROM {source}{after}\n"


def _refusing(text: str, schema: Schema, used: Sequence[int], dialect: Dialect, owner: str) -> str:
    """Answer NULL for categories that the model refuses, and for other strings than a column may hold."""
    fields = Fields(schema, used, dialect, owner)
    refused = [fields.is_unlisted(feature) for feature in refused_features(schema, used)]
    if dialect.not_a_number is not None:
        plain = [feature for feature in used if fields.is_plain_number(feature)]
        names = [schema.names[feature] for feature in plain]
        refused += [dialect.not_a_number.format(owner + dialect.identifier(name)) for name in names]
        truths = [feature for feature in used if fields.is_truth(feature) and feature not in fields.others]
        refused += [dialect.not_a_number.format(fields.column[feature]) for feature in truths]
    if dialect.not_an_instant is not None:
        instants = [feature for feature in used if schema.features[feature].kind in dialect.instants]
        refused += [
            dialect.not_an_instant.format(
                owner + dialect.identifier(schema.names[feature]), fields.column[feature]
            )
            for feature in instants
        ]
    return f"CASE WHEN {grouped(refused, 'OR')} THEN NULL ELSE\n  {text}\n  END" if refused else text


def grouped(terms: Sequence[str], operator: str) -> str:
    """Join terms with an associative operator, in groups of at most fifty.

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
                f"{dialect.title} ignores case, so the columns {other!r} and {name!r} have the same name. "
                "Rename one."
            )
    for column in columns:
        if folded(column) in seen:
            raise ParameterError(
                f"The model has a feature {seen[folded(column)]!r}. Pass another name for the prediction as "
                "'column'."
            )


def data_name(schema: Schema) -> str:
    """Return the name of the table where something is joined to it."""
    return f"{free_stem(schema.names)}data"
