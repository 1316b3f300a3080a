"""One SELECT that predicts every row of a table."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.exceptions import UnsupportedModelError
from sightline.export._plain_nodes import Missing, PlainNodes, refuse_missing_option
from sightline.export._registry import target
from sightline.export._rule_table import RuleTable
from sightline.export._sql_dialect import Dialect
from sightline.export._sql_nodes import NodeExpressions
from sightline.export._sql_rules import RuleExpressions
from sightline.export._sql_select import select
from sightline.model import NodeModel, RuleSet


@target("sql", NodeModel, RuleSet)
def to_sql(
    model: NodeModel | RuleSet,
    *,
    dialect: str = "ansi",
    table: str | Sequence[str] | None = "data",
    column: str = "prediction",
    probabilities: bool = False,
    missing: Missing | None = None,
) -> str:
    """Write a model as one SELECT that adds its prediction to every row of a table.

    Parameters
    ----------
    model : Tree, Graph or RuleSet
        The model.
    dialect : str, default="ansi"
        "ansi", "sqlite", "postgresql", "duckdb", "bigquery", "snowflake" or "sqlserver". Other names of
        these work too: "postgres", "sqlite3", "mssql" and "tsql". In SQLite, times are text in ISO 8601,
        which is compared to the microsecond, or Julian days, which are read to the millisecond.
    table : str, sequence of str or None, default="data"
        The table; a sequence names a schema and a table. None gives the expression alone.
    column : str, default="prediction"
        Name of the column that holds the prediction.
    probabilities : bool, default=False
        Whether to add ``probability_0``, ``probability_1``, … in the order of the classes.
    missing : {"exact", "largest"}, optional
        How rows with missing values are treated. "exact", the default, does what the model does:
        it may split a row among branches. "largest" sends the row down the branch with the largest
        share, as ``apply`` does. Rule sets are always exact.

    Returns
    -------
    str
        The statement. Its rows are in the order of the table in SQLite and DuckDB. Other databases
        promise no order without ORDER BY; all columns of the table are selected, so its key is too.

    Examples
    --------
    >>> from sightline.export import to_sql
    >>> import sightline as sl
    >>> tree = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["no", "no", "yes", "yes"]).tree_
    >>> print(to_sql(tree, dialect="sqlserver", table=None, missing="largest"), end="")
    CASE
        WHEN [x0] > 2.0E0 THEN N'yes'
        ELSE N'no'
      END
    """
    chosen = Dialect.named(dialect)
    if isinstance(model, RuleSet):
        refuse_missing_option(missing)
        rules = RuleTable.of(model)
        writer: NodeExpressions | RuleExpressions = RuleExpressions(rules, chosen, probabilities)
        schema, used, classes = rules.schema, rules.used, rules.classes_ or []
    else:
        nodes = PlainNodes.of(model, missing).unfolded("SQL")
        writer = NodeExpressions(nodes, chosen)
        schema, used, classes = nodes.schema, nodes.used, nodes.classes_ or []
    if probabilities and not classes:
        raise UnsupportedModelError("This model is a regression: it has no class probabilities.")
    columns = {column: writer.prediction()}
    if probabilities:
        columns |= {f"probability_{k}": writer.output(k) for k in range(len(classes))}
    return select(columns, schema, used, chosen, table, writer.joined)
