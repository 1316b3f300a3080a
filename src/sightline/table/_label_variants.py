"""Labels that are spelled differently but are probably one class."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np

from sightline import _core
from sightline.table._labels import Labels

__all__ = [
    "join_variants",
    "label_variants",
    "similar_labels",
    "spelled_as",
    "spelling_variants",
    "unknown_labels",
    "wordless_labels",
]


def label_variants(labels: Labels) -> list[list[str]]:
    """Return groups of classes that differ only in case or blanks, or in the way that letters are stored.

    Examples
    --------
    >>> label_variants(Labels.from_any(["Yes", "no", "yes ", "yes ", "NO"]))
    [['yes ', 'Yes'], ['NO', 'no']]
    """
    counts = np.bincount(labels.codes[labels.codes >= 0], minlength=len(labels.classes_))
    return spelling_variants(labels.classes_.tolist(), counts.tolist())


def spelling_variants(values: Sequence[object], counts: Sequence[int]) -> list[list[str]]:
    """Return groups of strings that differ only in case or blanks, or in the way that letters are stored.

    Single letters are not compared: 'a' and 'A' may well mean two things. The most frequent spelling of
    a group comes first.

    Parameters
    ----------
    values : sequence
        Different values.
    counts : sequence of int
        Number of rows with each. Values without a row are ignored.
    """
    groups: dict[str, list[tuple[int, str]]] = {}
    for value, count in zip(values, counts, strict=True):
        if isinstance(value, str) and count and len(value.strip()) > 1:
            groups.setdefault(_spelled(value), []).append((count, value))
    several = (group for group in groups.values() if len(group) > 1)
    ordered = [sorted(group, key=lambda entry: (-entry[0], entry[1])) for group in several]
    return sorted([value for _, value in group] for group in ordered)[::-1]


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


def spelled_as(labels: Labels, known: Sequence[object]) -> tuple[Labels, dict[str, str]]:
    """Return labels in the spelling of known classes, and which ones had another one.

    Only a label that is unknown, and differs from a single known class in case or blanks, changes.

    Examples
    --------
    >>> spelled_as(Labels.from_any(["Yes", "no", "NO ", "maybe"]), ["yes", "no"])[1]
    {'NO ': 'no', 'Yes': 'yes'}
    """
    meant: dict[str, list[str]] = {}
    for value in known:
        if isinstance(value, str):
            meant.setdefault(_spelled(value), []).append(value)
    renamed = {
        value: meant[_spelled(value)][0]
        for value in labels.classes_.tolist()
        if isinstance(value, str) and value not in known and len(meant.get(_spelled(value), ())) == 1
    }
    if not renamed:
        return labels, {}
    names = [renamed.get(value, value) for value in labels.classes_.tolist()]
    classes = sorted(set(names))
    recode = np.array([*(classes.index(name) for name in names), -1], dtype=np.int32)
    return Labels(recode[labels.codes], np.array(classes)), renamed


def similar_labels(labels: Labels) -> list[list[str]]:
    """Return groups of classes that are no variants, but probably mean the same.

    Such are 'Y' and 'y', 'yes' and '1', '01' and '1'.

    Examples
    --------
    >>> similar_labels(Labels.from_any(["Y", "n", "y", "Ja", "01", "1"]))
    [['1', 'Y', 'y', '01', 'Ja']]
    """
    joined = join_variants(labels)
    present = [joined.classes_[code] for code in np.unique(joined.codes[joined.codes >= 0])]
    texts = [str(label) for label in present if isinstance(label, str)]
    groups: dict[str, list[str]] = {}
    for text in texts:
        word = _spelled(text)
        word = str(int(word)) if word.isdecimal() else word
        meaning = next((name for name, words in _MEANINGS.items() if word in words), word)
        groups.setdefault(meaning, []).append(text)
    return [sorted(group, key=lambda text: (len(text), text)) for group in groups.values() if len(group) > 1]


_MEANINGS = {
    "yes": {"yes", "y", "ja", "j", "oui", "si", "sí", "true", "t", "wahr", "vrai", "1"},
    "no": {"no", "n", "nein", "non", "false", "f", "falsch", "faux", "0"},
}


def unknown_labels(labels: Labels) -> list[str]:
    """Return the labels that people write for an unknown class: 'unknown', 'k.A.', '(null)', '#REF!'.

    Examples
    --------
    >>> unknown_labels(Labels.from_any(["yes", "no", "none", "unknown", "-"]))
    ['unknown']
    """
    present = labels.classes_[np.unique(labels.codes[labels.codes >= 0])].tolist()
    texts = [label for label in present if isinstance(label, str)]
    return [
        text
        for text in texts
        if _core.is_missing_word(text)
        and any(character.isalnum() for character in text)
        and text.casefold() not in _CLASSES
    ]


_CLASSES = ("none", "nil")
"""Words for a missing value that may well be a class."""


def _spelled(value: str) -> str:
    return unicodedata.normalize("NFKC", " ".join(value.split()).casefold())


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
