"""One schema for models over the same columns that know different values of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from sightline.exceptions import UnsupportedModelError
from sightline.load._column_order import refuse_other_order
from sightline.load.pipeline import Derived, FromCategories, Unchanged, pull_back
from sightline.model import Ensemble
from sightline.table import Feature, Schema
from sightline.wording import list_choices, pluralize

_OTHER = "any other"


def in_one_schema(parts: Sequence[Ensemble], names: Sequence[str], owner: str) -> list[Ensemble]:
    """Rewrite models that were trained on the same columns over one schema.

    Each may know other categories of a column, treat unknown ones in another way, or not look at it.

    Parameters
    ----------
    parts : sequence of Ensemble
        The models.
    names : sequence of str
        What error messages call them.
    owner : str
        Name of the model that holds them, for error messages.

    Returns
    -------
    list of Ensemble
        The same models, all with the same schema.

    Raises
    ------
    UnsupportedModelError
        If a column is numeric for one model and nominal for another, or cannot be united, or the columns of
        two models are the same in another order.
    """
    first = parts[0].schema
    for part, name in zip(parts[1:], names[1:], strict=True):
        if len(part.schema) != len(first):
            raise UnsupportedModelError(
                f"{owner}: {names[0]} has {pluralize(len(first), 'column')}, {name} has {len(part.schema)}."
            )
        if first.has_given_names and part.schema.has_given_names:
            refuse_other_order(
                owner, (f"{names[0]} was trained on", first.names), (f"{name} on", part.schema.names)
            )
    # Libraries number columns differently where the rows had no names. Ours are x0, x1, ...
    unnamed = next((part.schema for part in parts if not part.schema.has_given_names), first)
    columns = zip(unnamed.names, *(part.schema.features for part in parts), strict=True)
    schema = Schema(
        tuple(_united(name, column, names, owner) for name, *column in columns),
        all(part.schema.ignores_extra for part in parts),
        names_given=unnamed.names_given,
    )
    return [_over(part, schema) for part in parts]


def _united(name: str, features: Sequence[Feature], owners: Sequence[str], owner: str) -> Feature:
    used = [feature for feature in features if not feature.ignored]
    if not used:
        return replace(features[0], name=name)
    first = used[0]
    complete = _all_complete(features)
    rounding = first.rounding if len({feature.rounding for feature in used}) == 1 else ""
    if all(_kind(feature) == _kind(first) for feature in used):
        rounded_types = tuple(sorted({kind for feature in used for kind in feature.rounded_types}))
        return replace(
            first,
            name=name,
            complete=complete,
            rounding=rounding,
            rounded_types=rounded_types,
            missing_kinds=_missing_kinds(name, used, owner),
        )
    one, other = next(
        (owners[features.index(first)], owners[features.index(feature)])
        for feature in used
        if _kind(feature) != _kind(first)
    )
    if any(feature.categories is None or feature.coded for feature in used):
        raise UnsupportedModelError(
            f"{owner}: column {name!r} is read differently by {one} and {other}.",
            "sl.BlackBox takes any model.",
        )
    return Feature(
        name,
        _all_categories(used),
        complete=complete,
        rounding=rounding,
        unseen=_unseen(used),
        missing_kinds=_missing_kinds(name, used, owner),
    )


def _all_complete(features: Sequence[Feature]) -> bool | None:
    """Return whether no model had a missing value in training; None if that is not known of all of them."""
    known = {feature.complete for feature in features}
    return False if False in known else True if known == {True} else None


def _missing_kinds(name: str, features: Sequence[Feature], owner: str) -> tuple[str, ...]:
    """Return the missing values that every model reads as the ensemble does."""
    particular = [feature.missing_kinds for feature in features if feature.missing_kinds]
    if not particular:
        return ()
    shared = tuple(kind for kind in particular[0] if all(kind in kinds for kinds in particular))
    if not shared:
        found = list_choices([kinds[0] for kinds in particular])
        raise UnsupportedModelError(
            f"{owner}: missing values of column {name!r} were {found} in training, which the pipelines "
            "distinguish.",
            "sl.BlackBox takes any model.",
        )
    return shared


def _kind(feature: Feature) -> tuple[object, ...]:
    return feature.categories, feature.coded, feature.unseen


def _unseen(features: Sequence[Feature]) -> Literal["missing", "last", "refuse"]:
    if any(feature.unseen == "refuse" for feature in features):
        return "refuse"
    return "last" if any(feature.has_other for feature in features) else "missing"


def _declared(feature: Feature) -> tuple[object, ...]:
    """Return the categories without the one that means every other value."""
    categories = feature.categories or ()
    return categories[:-1] if feature.has_other else categories


def _all_categories(features: Sequence[Feature]) -> tuple[object, ...]:
    """Return the values that some model knows and no model refuses; last, if there is one, the others."""
    known = dict.fromkeys(value for feature in features for value in _declared(feature))
    refusing = [feature for feature in features if feature.unseen == "refuse"]
    accepted = [value for value in known if all(value in _declared(feature) for feature in refusing)]
    others = [(feature.categories or ())[-1] for feature in features if feature.has_other]
    if others and not refusing:
        accepted.append(others[0] if others[0] not in known else _OTHER)
    return tuple(accepted)


def _over(part: Ensemble, schema: Schema) -> Ensemble:
    """Return the model over a united schema. Most need only its names."""
    pairs = list(zip(part.schema.features, schema.features, strict=True))
    if all(own.ignored or _kind(own) == _kind(united) for own, united in pairs) and all(
        own.n_values == united.n_values for own, united in pairs
    ):
        return part.replaced(schema=schema)
    return pull_back(part, schema, [_derived(index, *pair) for index, pair in enumerate(pairs)])


def _derived(index: int, own: Feature, united: Feature) -> Derived:
    if own.categories is None:
        return Unchanged(index)
    code_of = {value: code for code, value in enumerate(_declared(own))}
    unseen = own.n_values - 1 if own.has_other else -1
    codes = [code_of.get(value, unseen) for value in united.categories or ()]
    return FromCategories(index, np.array([*codes, -1], dtype=np.float64))
