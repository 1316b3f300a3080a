"""Measures as text, as HTML and as a data frame."""

from __future__ import annotations

from html import escape
from typing import Any

from sightline.measure._class_quality import ClassQuality
from sightline.measure._deviance import deviance_name
from sightline.measure._estimate import Estimate
from sightline.measure._fidelity import Fidelity
from sightline.measure._measures import Measures
from sightline.wording import Share, percent, pluralize, printable

MAX_CLASSES = 10
"""Classes that tables show one by one; frames show all."""

MAX_CONFUSED = 6
"""Classes up to which texts hold the confusion matrix."""

_WEIGHT_DECIMALS = 2

Rows = list[list[str]]


def text(measures: Measures) -> str:
    """Return the measures as tables of text, ending with a newline."""
    parts = ["\n".join(measure_notes(measures)), _aligned(measure_table(measures))]
    confused = confusion_table(measures)
    if confused:
        parts.append(f"{confusion_caption(measures, 'model')}:\n{_aligned(confused)}")
    curve = calibration_table(measures)
    if curve:
        parts.append(f"Calibration of the model:\n{_aligned(curve)}")
    return "\n\n".join(parts) + "\n"


def html(measures: Measures) -> str:
    """Return the same tables for notebooks."""
    notes = "".join(f"<p>{escape(note)}</p>" for note in measure_notes(measures))
    return f'<div class="sightline">{notes}{_html_table(measure_table(measures))}</div>'


def frame(measures: Measures, library: str) -> Any:
    """Return one line per measure."""
    lines = list(measures.lines())
    columns = {
        "of": [who for who, *_ in lines],
        "measure": [name for _, name, *_ in lines],
        "class": [None if label is None else str(label) for *_, label, _ in lines],
        "value": [found.value for *_, found in lines],
        "low": [found.low for *_, found in lines],
        "high": [found.high for *_, found in lines],
        "rows": [found.n_rows for *_, found in lines],
    }
    from sightline.show import data_frame  # noqa: PLC0415 - loads matplotlib

    return data_frame(columns, library)


def measure_notes(measures: Measures) -> list[str]:
    """Say how many rows of which classes there are, and what to look at first."""
    rows = pluralize(measures.n_rows, "row")
    balance = measures.balance
    weights = [] if measures.row_weights is None else [measures.row_weights.sentence]
    if balance is None:
        return [f"{rows}.", *weights, *_deviance_notes(measures)]
    whose = "" if measures.model is not None else f", by the {measures.ensemble_name}'s labels"
    notes = [f"{rows}: {printable(balance.text)}{whose}.", *weights]
    if balance.is_imbalanced:
        notes.append(
            "The classes are imbalanced. Balanced measures count every class the same: look at them first."
        )
    if balance.n_classes == 2 and isinstance(measures.model, ClassQuality) and measures.model.scores:
        label = printable(str(balance.focus_label))
        notes.append(f'AUC, average precision and Brier score refer to the class "{label}".')
    return notes


def _deviance_notes(measures: Measures) -> list[str]:
    power = measures.deviance_power
    return [] if power is None else [f"D² and mean deviance refer to the {deviance_name(power)}."]


def measure_table(measures: Measures) -> Rows:
    """Return a line per measure and a column per model; those of the model and its losses have intervals."""
    columns: dict[str, dict[tuple[str, Any], str]] = {}
    for who, name, label, found in measures.lines():
        cells = columns.setdefault(who, {})
        has_interval = who in ("model", measures.difference_name) and isinstance(found, Estimate)
        cells[name, label] = str(found) if has_interval else found.text
        if who == "model" and isinstance(found, Share) and found.n_rows:
            cells[name, label] = f"{found.text} ({found.interval_text})"
    if isinstance(measures.fidelity, Fidelity):
        always = columns[f"always {measures.fidelity.majority_label}"]
        always["balanced fidelity", None] = percent(measures.fidelity.balanced_majority, 1)
    keys = [key for key in _keys(measures, columns) if _is_shown(measures, key[1])]
    heads = ["", *(printable(who) for who in columns)]
    return [heads, *([_named(key), *(cells.get(key, "") for cells in columns.values())] for key in keys)]


def _keys(measures: Measures, columns: dict[str, dict[tuple[str, Any], str]]) -> list[tuple[str, Any]]:
    keys = list(dict.fromkeys(key for cells in columns.values() for key in cells))
    if not measures.is_imbalanced:
        return keys
    assert measures.balance is not None
    rare = set(measures.balance.classes[measures.balance.is_rare].tolist())

    def rank(key: tuple[str, Any]) -> int:
        name, label = key
        if label is None:
            return 0 if name.startswith("balanced") else 2
        return 1 if label in rare else 3

    return sorted(keys, key=rank)


def _is_shown(measures: Measures, label: Any) -> bool:
    if label is None or measures.balance is None or measures.balance.n_classes <= MAX_CLASSES:
        return True
    order = (-measures.balance.shares).argsort(kind="stable")[:MAX_CLASSES]
    return label in {measures.balance.focus_label, *measures.balance.classes[order].tolist()}


def _named(key: tuple[str, Any]) -> str:
    name, label = key
    return name if label is None else f"{name} of {printable(str(label))}"


def confusion_table(measures: Measures) -> Rows:
    """Return the rows by true class and label of the model; nothing without labels, or for many classes."""
    quality = measures.model
    if not isinstance(quality, ClassQuality) or quality.balance.n_classes > MAX_CONFUSED:
        return []
    labels = [printable(str(label)) for label in quality.balance.classes.tolist()]
    digits = 0 if measures.row_weights is None else _WEIGHT_DECIMALS
    cells = [[f"{rows:,.{digits}f}" for rows in line] for line in quality.confusion.tolist()]
    return [["", *labels], *([label, *line] for label, line in zip(labels, cells, strict=True))]


def confusion_caption(measures: Measures, noun: str) -> str:
    """Say what the confusion matrix counts; ``noun`` is what the model is called."""
    counted = "Rows" if measures.row_weights is None else "Weight of the rows"
    return f"{counted} by true class (down) and the {noun}'s label (across)"


def calibration_table(measures: Measures) -> Rows:
    """Return the calibration curve of the model, a line per bin of rows with similar probabilities.

    Empty for numbers and for several classes, without labels, and for a model without probabilities.
    """
    quality, balance = measures.model, measures.balance
    if not isinstance(quality, ClassQuality) or quality.scores is None or balance is None:
        return []
    if balance.n_classes != 2:
        return []
    label = printable(str(balance.focus_label))
    return [
        [f"predicted probability of {label}", f"rows that are {label}", "rows"],
        *(
            [
                percent(one.predicted, 1),
                f"{one.observed.text} ({one.observed.interval_text})",
                f"{one.observed.n_rows:,}",
            ]
            for one in quality.scores.calibration[balance.focus_label]
        ),
    ]


def _aligned(table: Rows) -> str:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    )


def _html_table(table: Rows) -> str:
    head, *body = table
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in body
    )
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table>"
