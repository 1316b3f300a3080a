"""Labels that differ only in case or blanks: joined, or spelled as a model spells them."""

from __future__ import annotations

from typing import Any

from sightline.table import Labels, Table, join_variants, label_variants, spelled_as
from sightline.wording import list_names

__all__ = ["with_joined_labels", "with_known_labels"]

_MAX_SHOWN = 10


def with_joined_labels(table: Table, remarks: list[str]) -> tuple[Table, list[str]]:
    """Join labels that differ only in case or blanks, and say so instead of warning about them."""
    assert isinstance(table.y, Labels)
    groups = label_variants(table.y)
    if not groups:
        return table, remarks
    joined = [
        f"Joined the labels {list_names([*map(repr, group)], _MAX_SHOWN)} into one class, {group[0]!r}. "
        "Pass --exact-labels to keep them separate."
        for group in groups
    ]
    table = table.with_target(join_variants(table.y))
    return table, [*(remark for remark in remarks if "differ only in case" not in remark), *joined]


def with_known_labels(table: Table, remarks: list[str], known: list[Any]) -> tuple[Table, list[str]]:
    """Spell labels as a model does, and say so instead of warning about them."""
    assert isinstance(table.y, Labels)
    labels, renamed = spelled_as(table.y, known)
    if not renamed:
        return table, remarks
    listed = list_names([f"{own!r} as {model!r}" for own, model in renamed.items()], _MAX_SHOWN)
    told = f"Read the labels as the model spells them: {listed}."
    # Variants of labels that the model does not know are refused later.
    kept = [remark for remark in remarks if "differ only in case" not in remark]
    return table.with_target(labels), [*kept, told]
