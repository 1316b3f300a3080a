"""Labels that are spelled differently but are probably one class."""

from __future__ import annotations

import numpy as np

from sightline.table._labels import Labels

__all__ = ["join_variants", "label_variants", "wordless_labels"]


def label_variants(labels: Labels) -> list[list[str]]:
    """Return groups of classes that differ only in case or blanks.

    Single letters are not compared: 'a' and 'A' may well be two classes. The most frequent spelling of
    a group comes first.

    Examples
    --------
    >>> label_variants(Labels.from_any(["Yes", "no", "yes ", "yes ", "NO"]))
    [['yes ', 'Yes'], ['NO', 'no']]
    """
    counts = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.classes_))
    groups: dict[str, list[tuple[int, str]]] = {}
    for value, count in zip(labels.classes_.tolist(), counts.tolist(), strict=True):
        if isinstance(value, str) and count and len(value.strip()) > 1:
            groups.setdefault(" ".join(value.split()).casefold(), []).append((count, value))
    ordered = [sorted(group, key=lambda entry: (-entry[0], entry[1])) for group in groups.values()]
    return sorted([value for _, value in group] for group in ordered if len(group) > 1)[::-1]


def join_variants(labels: Labels) -> Labels:
    """Return the labels with one class per group of `label_variants`, in its most frequent spelling.

    Examples
    --------
    >>> join_variants(Labels.from_any(["Yes", "no", "yes", "yes"])).classes_
    array(['no', 'yes'], dtype='<U3')
    """
    spelled = {value: group[0] for group in label_variants(labels) for value in group[1:]}
    classes = labels.classes_.tolist()
    kept = [value for value in classes if value not in spelled]
    code_of = {value: code for code, value in enumerate(kept)}
    # The code -1 of missing labels finds the last entry.
    recode = np.array([*(code_of[spelled.get(value, value)] for value in classes), -1], dtype=np.int32)
    return Labels(recode[labels.codes], np.array(kept, dtype=labels.classes_.dtype))


def wordless_labels(labels: Labels) -> list[str]:
    """Return the labels without a letter or digit, unless all labels are of this kind.

    Examples
    --------
    >>> wordless_labels(Labels.from_any(["yes", "no", "-"])), wordless_labels(Labels.from_any(["+", "-"]))
    (['-'], [])
    """
    texts = [label for label in labels.classes_.tolist() if isinstance(label, str)]
    odd = [text for text in texts if not any(character.isalnum() for character in text)]
    return odd if len(odd) < len(labels.classes_) else []
