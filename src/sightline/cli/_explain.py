"""``sightline explain``: why a model gives rows their labels."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

import sightline as sl
from sightline.cli._explained_rows import check_ending, write_rows
from sightline.cli._folder import check_file
from sightline.cli._letters import LetterOptions, Recipients, name_and_value
from sightline.cli._model_file import ModelRequest, check_common_class, list_some, read_any, read_teacher
from sightline.cli._options import AllowPickle, AsJson, Classes, FileOptions, Model, Positive, Quiet
from sightline.cli._output import Output
from sightline.cli._what_if import WhatIfOptions
from sightline.exceptions import DataError, ParameterError
from sightline.wording import list_names, pluralize


def explain(
    model: Model,
    values: Annotated[
        list[str] | None, typer.Argument(help="The row as name=value; columns left out are missing.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", "-d", help="Table with the rows, in any format that distill reads."),
    ] = None,
    row: Annotated[
        int | None,
        typer.Option("--row", "-r", min=0, help="Row number in --data, starting at 0.", show_default="0"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Explain all rows of --data and write them to this .jsonl, .csv or .txt file."
        ),
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", help="Explain only the rows of --data that get this label.")
    ] = None,
    letters: LetterOptions = LetterOptions(),  # noqa: B008 - immutable
    ensemble: Annotated[
        Path | None, typer.Option("--ensemble", "-e", help="Also show what this ensemble predicts.")
    ] = None,
    what_if: WhatIfOptions = WhatIfOptions(),  # noqa: B008 - immutable
    classes: Classes = None,
    positive: Positive = None,
    allow_pickle: AllowPickle = False,
    file: FileOptions = FileOptions(),  # noqa: B008 - immutable
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Explain why a model gives rows their labels: in plain sentences, as data, or as letters.

    For example:

      sightline explain model.json age=25 income=1800 purpose=car

      sightline explain model.json --data loans.csv --row 17 --ensemble ensemble.json

      sightline explain model.json --data loans.csv --row 17 --what-if --fixed age

      sightline explain model.json --data loans.csv --out explanations.jsonl

      sightline explain model.json -d loans.csv --only yes --letter --ensemble ensemble.json -o letters.txt

      sightline explain model.json --data loans.csv --only yes --letter --what-if --fixed age

    Letters give the model's own reasons. With --ensemble, rows to which it gives another label get none.
    """
    output = Output(quiet, as_json)
    if (data is None) == (not values) or (values and (out is not None or only is not None)):
        raise ParameterError("Give the row either as name=value arguments or with --data and --row.")
    what_if.check(one_row_or_letters=letters.letter or (out is None and only is None))
    write_letter = letters.writer(model, what_if.what_if, ensemble is not None)
    if out is not None:
        check_ending(out)
        check_file(out, "--out")
    known = read_any(ModelRequest(model, allow_pickle, data=data, file=file))
    letters.check_call(known, model)
    what_if.check_goal(known)
    options: dict[str, Any] = {}
    if ensemble is not None:
        if not isinstance(known, sl.Tree | sl.Graph | sl.RuleSet):
            raise ParameterError("--ensemble works only for trees, graphs and rules.")
        teacher = read_teacher(ModelRequest(ensemble, allow_pickle, classes, positive, data, file))
        check_common_class(model, known, ensemble, teacher)
        options["ensemble"] = teacher
    if values:
        cells = _row_of(known, values)
        why = known.explain(cells, **options)
        letters.check(why)
        changes = what_if.answer(known, cells, options.get("ensemble"), None)
        _print_row(output, cells, why, write_letter, changes)
        return
    assert data is not None
    rows, notes = _rows_of_file(known, options.get("ensemble"), data, row, file)
    for note in notes:
        output.note(note)
    if out is None and only is None:
        index = row or 0
        why = known.explain(rows[index : index + 1], **options, ids=[rows.row_name(index) or index])[0]
        letters.check(why)
        changes = what_if.answer(known, rows[index], options.get("ensemble"), rows)
        _print_row(output, rows[index], why, write_letter, changes)
        return

    def letter_of(one: Any) -> str:
        assert write_letter is not None
        return write_letter(one, what_if.answer(known, rows[one.index], options.get("ensemble"), rows))

    everyone = known.explain(rows, **options)
    chosen = _with_label(everyone, row, only)
    if not len(chosen):
        output.note("No row gets the label of --only.")
    if write_letter is None:
        _write_rows(output, chosen, out, None, {})
        return
    within = everyone if row is None else everyone[row : row + 1]
    recipients = Recipients.of(within, chosen, only, letters.allow_disagreement)
    _write_rows(output, recipients.explanations, out, letter_of, recipients.to_json())
    for note in recipients.notes(only):
        output.warn(note)


def _print_row(
    output: Output, cells: dict[str, Any], why: Any, write_letter: Any, changes: sl.Counterfactuals | None
) -> None:
    """Print the sentences about one row, or its letter, and what would have to change."""
    text = str(why) if write_letter is None else write_letter(why, changes)
    output.print(text if changes is None or write_letter is not None else f"{text}\n\n{changes}")
    what_if = {} if changes is None else {"what_if": changes.to_dict()}
    output.print_json({"row": cells, "explanation": text.splitlines(), "details": why.to_dict(), **what_if})


def _write_rows(output: Output, why: Any, out: Path | None, write_letter: Any, more: dict[str, Any]) -> None:
    """Write many rows to a file, or print them."""
    if out is None:
        output.print(str(why) if write_letter is None else "\n\n".join(map(write_letter, why)))
        output.print_json({"rows": why.to_dict(), **more})
        return
    write_rows(out, why, write_letter, output.quiet)
    output.print(_summary(why, out))
    output.print_json({"n_rows": len(why), "out": str(out), **more})


def _summary(why: Any, out: Path) -> str:
    """Say how many rows were explained, and what they were predicted."""
    are_labels = why.findings.labels is not None
    counts = Counter(str(label) for label in why.predictions.tolist()) if are_labels else Counter()
    by_label = [f"{number:,} {label}" for label, number in counts.most_common()]
    counted = f" ({list_names(by_label, 5)})" if by_label else ""
    return f"Explained {pluralize(len(why), 'row')}{counted} in {out}."


def _with_label(why: Any, row: int | None, only: str | None) -> Any:
    """Select one row, or the rows with one label, if the user asked for them."""
    chosen = why if row is None else why[row : row + 1]
    if only is None:
        return chosen
    labels = why.findings.labels
    if labels is None:
        raise ParameterError("--only names a label, but this model predicts numbers.")
    known = [str(label) for label in labels]
    if only not in known:
        raise ParameterError(f"--only must be one of the labels {list_some(known)}. Got {only!r} instead.")
    return chosen[[str(label) == only for label in chosen.predictions.tolist()]]


def _row_of(model: Any, values: list[str]) -> dict[str, Any]:
    features = {feature.name: feature for feature in model.schema.features}
    row: dict[str, Any] = dict.fromkeys(features)
    for pair in values:
        name, text = name_and_value(pair)
        if name not in features:
            raise DataError(f"The model has no column {name!r}. Its columns are {list_some(list(features))}.")
        row[name] = _cell(features[name], text)
    return row


def _cell(feature: Any, text: str) -> Any:
    if feature.categories is not None:
        named = {str(value): value for value in feature.categories}
        return named.get(text, text)
    if feature.kind:
        return text or None
    from sightline.table import flag_of

    flag = flag_of(text)  # as in a file
    if flag is not None:
        return flag
    try:
        return None if text == "" else float(text)
    except ValueError:
        raise DataError(
            f"Column {feature.name!r} is numeric. Write a number such as 1234.5. Got {text!r} instead."
        ) from None


def _rows_of_file(
    model: Any, ensemble: Any, data: Path, row: int | None, file: FileOptions
) -> tuple[Any, list[str]]:
    """Read rows in the columns of a model, with their names, and notes on them for model and ensemble."""
    from sightline.cli._data import read_rows, select_columns, unit_notes
    from sightline.cli._scale import scale_notes

    table, notes = read_rows(data, None, file, model.schema)
    if row is not None and row >= table.n_rows:
        raise ParameterError(f"{data}: there is no row {row}. The last row is {table.n_rows - 1}.")
    rows, _, more = select_columns(data, _with_target(table), model.schema)
    return rows, [*notes, *more, *unit_notes(rows), *scale_notes([model, ensemble], rows)]


def _with_target(table: Any) -> Any:
    """Return the table with its target as one more column: the model may use it."""
    if table.target_name is None or table.y is None:
        return table
    target = sl.Table.from_any([[value] for value in table.y], feature_names=[table.target_name])
    return table.X.with_columns([*table.columns, *target.columns])
