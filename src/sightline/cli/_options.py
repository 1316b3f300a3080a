"""Options that several verbs share, and groups of them that verbs take as one parameter."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_type_hints

import typer

from sightline.exceptions import ParameterError

Data = Annotated[
    Path,
    typer.Option(
        "--data",
        "-d",
        help="Table of rows: CSV, Excel, ARFF, Parquet, Feather, SAS or Stata. "
        "Or many: a folder, or a pattern such as 'rows/*.parquet'.",
    ),
]
Target = Annotated[str, typer.Option("--target", "-t", help="Column to predict.")]
Model = Annotated[
    Path,
    typer.Argument(help="Model file: sightline's JSON, ONNX, PMML, or one of XGBoost, LightGBM or CatBoost."),
]
AllowPickle = Annotated[
    bool, typer.Option("--allow-pickle", help="Also open pickles. This runs any code they contain.")
]
Classes = Annotated[
    str | None,
    typer.Option(
        "--classes",
        help="Names for the ensemble's classes 0, 1, …, separated by commas.",
        show_default=False,
    ),
]
Weight = Annotated[
    str | None,
    typer.Option(
        "--weight",
        help="Column with the weight of each row, such as its exposure. It is not a feature.",
        show_default=False,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option("--positive", help="The class of interest, such as default.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed for all random choices.", min=0)]
Jobs = Annotated[int, typer.Option("--jobs", help="Number of threads; -1 uses all processors.")]
Processes = Annotated[
    int, typer.Option("--jobs", help="Number of folds to run in parallel; -1 uses all processors.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Rows = Annotated[
    str | None,
    typer.Option(
        "--rows",
        help="Rows to include in the page, which then says so: sample, ids, or a number.",
        show_default="none",
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that sightline did not write.")]
MaxSeconds = Annotated[float, typer.Option("--max-seconds", help="Time limit for the search, in seconds.")]


def rows_shown(rows: str | None) -> Literal["sample", "ids"] | int | None:
    """Return the value of --rows as ``sl.report`` takes it."""
    if rows is None or rows == "none":
        return None
    if rows in {"sample", "ids"}:
        return cast(Literal["sample", "ids"], rows)
    if rows.isdecimal():
        return int(rows)
    raise ParameterError(f"--rows must be none, sample, ids or a number of rows. Got {rows!r}.")


def check_jobs(jobs: int) -> None:
    """Raise if --jobs is zero."""
    if jobs == 0:
        raise ParameterError("--jobs must be a number of processes, or -1 for all processors. Got 0.")


class TaskName(StrEnum):
    """What to predict."""

    AUTO = "auto"
    CLASSES = "classes"
    NUMBERS = "numbers"


@dataclass(frozen=True)
class FileOptions:
    """How to read a table, as in ``sl.read_table``. Every verb with --data has these options."""

    decimal: Annotated[
        str | None,
        typer.Option("--decimal", help="Decimal mark of the numbers: . or ,", show_default="detected"),
    ] = None
    thousands: Annotated[
        str | None,
        typer.Option("--thousands", help="Thousands separator: , . ' blank or none", show_default="detected"),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="Encoding of the text, such as cp1251.", show_default="detected"),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option("--sheet", help="Name or number of the sheet in a workbook.", show_default="the first"),
    ] = None
    categorical: Annotated[
        list[str] | None,
        typer.Option("--categorical", help="Read this column as categories, as written. Repeatable."),
    ] = None
    numeric: Annotated[
        list[str] | None,
        typer.Option("--numeric", help="Read this column as numbers; other cells are missing. Repeatable."),
    ] = None
    date: Annotated[
        list[str] | None,
        typer.Option(
            "--date", help="Read this column as dates, including numbers such as 20190301. Repeatable."
        ),
    ] = None
    date_order: Annotated[
        str | None,
        typer.Option(
            "--date-order", help="Order of day, month and year in dates: dmy or mdy", show_default="detected"
        ),
    ] = None
    id_column: Annotated[
        str | None,
        typer.Option("--id", help="Column with row IDs. It is not used for training.", show_default=False),
    ] = None

    def for_read_table(self) -> dict[str, Any]:
        """Return the parameters of ``sl.read_table``."""
        declared = {
            "categorical": self.categorical or [],
            "numeric": self.numeric or [],
            "date": self.date or [],
            "id": [] if self.id_column is None else [self.id_column],
        }
        kinds: dict[str, str] = {}
        for kind, names in declared.items():
            for name in names:
                if kinds.setdefault(name, kind) != kind:
                    raise ParameterError(f"Column {name!r} is declared as --{kinds[name]} and as --{kind}.")
        reading = {
            name: getattr(self, name) for name in ("decimal", "thousands", "encoding", "sheet", "date_order")
        }
        return {**reading, "kinds": kinds}


@dataclass(frozen=True)
class ColumnOptions:
    """Which columns to learn from, and how to treat the target."""

    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep", help="Use this column even if it looks like a row ID or repeats the target. Repeatable."
        ),
    ] = None
    drop: Annotated[list[str] | None, typer.Option("--drop", help="Do not use this column. Repeatable.")] = (
        None
    )
    exact_labels: Annotated[
        bool, typer.Option("--exact-labels", help="Keep labels separate that differ only in case or spaces.")
    ] = False
    task: Annotated[
        TaskName,
        typer.Option("--task", help="What the target holds; auto decides and says why."),
    ] = TaskName.AUTO


def with_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Return a verb whose parameters of the types above are single options instead.

    Typer takes the options of a verb from its signature. A group of options is declared once, as a
    dataclass, and the verb gets it as one object.
    """
    groups: dict[str, type] = {}
    parameters: list[inspect.Parameter] = []
    hints = get_type_hints(verb, include_extras=True)
    for parameter in inspect.signature(verb).parameters.values():
        hint = hints[parameter.name]
        if not is_dataclass(hint):
            parameters.append(parameter.replace(annotation=hint))
            continue
        assert isinstance(hint, type)
        groups[parameter.name] = hint
        types = get_type_hints(hint, include_extras=True)
        parameters += [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=field.default,
                annotation=types[field.name],
            )
            for field in fields(hint)
        ]

    @wraps(verb)
    def call(**values: Any) -> Any:
        objects = {
            name: group(**{field.name: values.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return verb(**values, **objects)

    plain = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    call.__signature__ = inspect.Signature(plain)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in plain}
    return call
