"""Names for categories that a model knows by their hash, taken from rows or from another model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sightline import _core
from sightline.model._ensemble import Ensemble, recombined
from sightline.model._nodes import SUBSET
from sightline.table import Schema, Table, as_nominal, hash_of

KnownCategories = Mapping[str, Sequence[object]] | Schema | Table
"""Values per feature, the features of another model, or rows."""


def with_categories(ensemble: Ensemble, known: KnownCategories) -> Ensemble:
    """Name the categories that an ensemble knows by their hash.

    Predictions do not change. Known values that the ensemble does not know become categories as
    well. Categories that remain without a name come last.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble. Features whose categories have no hash stay as they are.
    known : mapping of str to sequence, Schema or Table
        The values.

    Returns
    -------
    Ensemble
        An ensemble in which known values have their names, in the order in which they are given.
    """
    schema, trees = ensemble.schema, ensemble.core.trees
    renamed = {}
    for index, feature in enumerate(schema.features):
        values = _values_of(known, schema, index) if feature.coded == "hash" else ()
        if values and all(_is_plain(tree, index) for tree in trees):
            is_tested = any(index in tree.used_features for tree in trees)
            renamed[index] = _Naming.of(feature.categories or (), values, is_tested)
    if all(naming.categories == schema.features[index].categories for index, naming in renamed.items()):
        return ensemble
    features = tuple(
        replace(feature, categories=renamed[index].categories) if index in renamed else feature
        for index, feature in enumerate(schema.features)
    )
    named = replace(schema, features=features)
    renamed_trees = [_renamed(tree, renamed, named.n_values) for tree in trees]
    return ensemble.replaced(core=recombined(ensemble.core, renamed_trees), schema=named)


@dataclass(frozen=True)
class _Naming:
    """New categories of a feature, and for each its old code, -1 if it is new."""

    categories: tuple[object, ...]
    old_code: NDArray[np.intp]

    @classmethod
    def of(cls, old: Sequence[object], values: Sequence[object], is_tested: bool) -> _Naming:
        code_of = {hash_of(value): code for code, value in enumerate(old)}
        named = {hash_of(value): value for value in values}
        others = [value for number, value in zip(code_of, old, strict=True) if number not in named]
        categories = (*named.values(), *(others if is_tested else ()))
        return cls(categories, np.array([code_of.get(hash_of(value), -1) for value in categories]))


def _values_of(known: KnownCategories, schema: Schema, index: int) -> Sequence[object]:
    name = schema.names[index]
    if isinstance(known, Mapping):
        return known.get(name, ())
    has_names = known.has_names if isinstance(known, Table) else known.has_given_names
    if not has_names or not schema.has_given_names:
        name = known.names[index] if len(known.names) == len(schema) else ""
    if name not in known.names:
        return ()
    place = known.names.index(name)
    feature = as_nominal(known.columns[place]).feature if isinstance(known, Table) else known.features[place]
    return feature.categories or ()


def _is_plain(tree: _core.Tree, feature: int) -> bool:
    """Whether all tests of a feature are subsets that send every unknown value to one side."""
    tests = np.flatnonzero(np.asarray(tree.feature) == feature)
    first = np.asarray(tree.share)[np.asarray(tree.branch_begin)[tests]]
    return bool(((np.asarray(tree.test)[tests] == SUBSET) & ((first == 0) | (first == 1))).all())


def _renamed(tree: _core.Tree, renamed: Mapping[int, _Naming], n_values: Sequence[int]) -> _core.Tree:
    begin, category = np.asarray(tree.category_begin), np.asarray(tree.category)
    sets = [category[first:last] for first, last in pairwise(begin.tolist())]
    for node in np.flatnonzero(np.isin(tree.feature, list(renamed))).tolist():
        naming = renamed[tree.feature[node]]
        goes_left = np.zeros(tree.n_values[tree.feature[node]] + 1, dtype=np.bool_)
        goes_left[sets[node]] = True
        # The old code -1 of a new value finds the last entry.
        goes_left[-1] = tree.share[tree.branch_begin[node]] == 1
        sets[node] = np.flatnonzero(goes_left[naming.old_code]).astype(np.int32)
    return _core.Tree(
        n_values=n_values,
        n_outputs=tree.n_outputs,
        test=tree.test,
        feature=tree.feature,
        threshold=tree.threshold,
        branch_begin=tree.branch_begin,
        child=tree.child,
        share=tree.share,
        category_begin=np.cumsum([0, *map(len, sets)], dtype=np.int64),
        category=np.concatenate(sets) if sets else category,
        weight=tree.weight,
        output=np.ravel(tree.output),
        counts=np.ravel(tree.counts),
    )
