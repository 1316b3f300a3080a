"""The schema of a model: names, kinds and declared values of its columns."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from sightline.exceptions import DataError, ModelFormatError
from sightline.table._category_hash import is_unnamed
from sightline.table._subject import Subject

__all__ = ["Feature", "Schema"]

SCALARS = (str, int, float, bool)
NUMBER_NOUNS = {
    "": "numbers",
    "date": "dates",
    "datetime": "dates with times",
    "datetime UTC": "times with a time zone",
    "duration": "durations",
}
"""What the numbers of a column mean, by kind."""
NUMBER_KINDS = tuple(NUMBER_NOUNS)
ROUNDINGS = ("", "sklearn", "sklearn, converted", "xgboost", "lightgbm", "catboost")
MAX_NAMES = 10
"""Most names of columns that a message lists."""


@dataclass(frozen=True)
class Feature:
    """Name and kind of one column.

    Parameters
    ----------
    name : str
        The column's name.
    categories : tuple of str, int, float or bool, optional
        The declared values of a nominal column in declared order: at least one, all different,
        also those without a row. None for a numeric column.
    coded : {"", "down", "to zero", "hash"}, default=""
        How another library recognizes its categories. *down*, *to zero*: numbers are rounded to
        whole numbers, down in single precision or to zero, and the last category means every
        undeclared value. *hash*: by the hash of their string, see :func:`category_hash`; some
        categories may be known by their hash only. Empty if categories are taken as they are.
    complete : bool, optional
        Whether the training rows have no missing value in this column; None if that is not known.
    rounding : {"", "sklearn", "sklearn, converted", "xgboost", "lightgbm", "catboost"}, default=""
        The library that rounds large whole numbers for the model. Empty if doubles do. Features
        that differ only in this, in `rounded_types`, `missing_kinds` or `complete` are equal.
    rounded_types : tuple of str, default=()
        Types of numbers, such as "float32", with which the preprocessing in front of the model computes
        differently than with doubles.
    missing_kinds : tuple of {"NaN", "None", "pd.NA", "pd.NA of booleans"}, default=()
        Missing values that the preprocessing in front of the model treats as the model does, the one of
        training first. Empty if it treats all of them alike.
    unseen : {"missing", "last", "refuse"}, default="missing"
        What an undeclared value of a nominal column means: a missing value, the last category, or an
        error.
    ignored : bool, default=False
        Whether the model was trained on rows with this column but does not use it. It may hold
        anything, or be absent.
    kind : {"", "date", "datetime", "datetime UTC", "duration"}, default=""
        What the numbers of a column mean, if not plain numbers. *date*: days since 1970-01-01.
        *datetime*: seconds since 1970-01-01 00:00, in local time or in UTC. *duration*: seconds.
    day_first : bool, optional
        Whether text such as 03/04/2019 means a day before a month, in a column of dates. None if the training
        rows did not show it.
    unit : str, default=""
        Unit written with every number: "%", "$", "kg", or ":" for hours and minutes. Features that
        differ only in this or in `day_first` are equal.

    Examples
    --------
    >>> Feature("colour", ("red", "green")).n_values
    2
    >>> Feature("age").is_nominal
    False
    """

    name: str
    categories: tuple[object, ...] | None = None
    coded: Literal["", "down", "to zero", "hash"] = ""
    complete: bool | None = field(default=None, compare=False, repr=False)
    rounding: str = field(default="", compare=False, repr=False)
    rounded_types: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    missing_kinds: tuple[str, ...] = field(default=(), compare=False, repr=False, kw_only=True)
    # Not shown: checkpoints know their table by the text of its features.
    unseen: Literal["missing", "last", "refuse"] = field(default="missing", repr=False)
    ignored: bool = field(default=False, repr=False)
    kind: Literal["", "date", "datetime", "datetime UTC", "duration"] = field(
        default="", repr=False, kw_only=True
    )
    day_first: bool | None = field(default=None, compare=False, repr=False, kw_only=True)
    unit: str = field(default="", compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.categories is None:
            return
        if not self.categories:
            raise DataError(
                f"Column {self.name!r} declares no values. Declare at least one, or make it numeric."
            )
        if len(set(self.categories)) < len(self.categories):
            raise DataError(f"Column {self.name!r} declares a value twice.")

    @property
    def is_nominal(self) -> bool:
        """Whether the column holds declared values rather than numbers."""
        return self.categories is not None

    @property
    def has_other(self) -> bool:
        """Whether the last category means every undeclared value."""
        return self.unseen == "last" or self.coded in ("down", "to zero")

    @property
    def n_values(self) -> int:
        """Number of declared values, 0 if numeric."""
        return 0 if self.categories is None else len(self.categories)


@dataclass(frozen=True)
class Schema:
    """The columns that a model was trained on, in order.

    Parameters
    ----------
    features : tuple of Feature
        One per column, names all different.
    ignores_extra : bool, default=False
        Whether rows may have further columns, which the model does not use. Schemas that differ only
        in this are equal.
    subject : Subject
        What the model predicts from them, where that has a name. Schemas that differ only in this are equal.
    names_given : bool, default=False
        Whether the training rows had these names, even if they are ``x0``, ``x1``, …. Schemas that differ
        only in this are equal.

    Examples
    --------
    >>> schema = Schema((Feature("age"), Feature("colour", ("red", "green"))))
    >>> schema.names, schema.n_values
    (['age', 'colour'], [0, 2])
    >>> Schema.from_json(schema.to_json()) == schema
    True
    """

    features: tuple[Feature, ...]
    ignores_extra: bool = field(default=False, compare=False, repr=False)
    subject: Subject = field(default=Subject(), compare=False, repr=False)
    names_given: bool = field(default=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_distinct(self.names)

    def __len__(self) -> int:
        return len(self.features)

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [feature.name for feature in self.features]

    @cached_property
    def n_values(self) -> list[int]:
        """Numbers of declared values, 0 where numeric."""
        return [feature.n_values for feature in self.features]

    @cached_property
    def n_used(self) -> int:
        """Number of columns that the model may look at: all but those that it ignores."""
        return sum(not feature.ignored for feature in self.features)

    @cached_property
    def has_given_names(self) -> bool:
        """Whether there are real names, not the positions ``x0``, ``x1``, … of an array."""
        return self.names_given or not self._has_default_names

    @property
    def _has_default_names(self) -> bool:
        return self.names == default_names(len(self))

    @cached_property
    def distinguishes_missing(self) -> bool:
        """Whether the preprocessing in front of the model treats some kinds of missing values differently."""
        return any(feature.missing_kinds for feature in self.features)

    def in_kinds_of(self, other: "Schema") -> "Schema":
        """Return the schema with the kinds and units of another schema's numeric features, by name."""
        styles: dict[str, dict[str, Any]] = {
            feature.name: {"kind": feature.kind, "unit": feature.unit, "day_first": feature.day_first}
            for feature in other.features
            if not feature.is_nominal
        }
        features = tuple(
            feature if feature.is_nominal else replace(feature, **styles.get(feature.name, {}))
            for feature in self.features
        )
        return replace(self, features=features)

    def for_wording(self) -> dict[str, Any]:
        """Return what :class:`sightline.wording.FeatureWording` needs to know about the columns."""
        return {
            "names": self.names,
            "categories": [feature.categories for feature in self.features],
            "others": [feature.has_other for feature in self.features],
            "kinds": [feature.kind for feature in self.features],
            "units": [feature.unit for feature in self.features],
        }

    def n_unnamed(self, index: int) -> int:
        """Return how many categories of a feature are known by their hash only."""
        feature = self.features[index]
        return sum(map(is_unnamed, feature.categories or ())) if feature.coded == "hash" else 0

    def check_named(self, used: Sequence[int]) -> None:
        """Raise if a category of some features is known by its hash only, which no export can test.

        Parameters
        ----------
        used : sequence of int
            Indices of the features.

        Raises
        ------
        DataError
            Names the first such feature.
        """
        for index in used:
            if self.n_unnamed(index):
                raise DataError(
                    f"An export needs the names of all categories of {self.names[index]!r}, but CatBoost "
                    f"stores only hashes, and {self.n_unnamed(index)} of them have no name. Use rows in "
                    f"which all categories occur, or name them: "
                    f"sl.load(model, categories={{{self.names[index]!r}: [...]}})."
                )

    def called(self, names: Sequence[str]) -> list[str]:
        """Return the names that some rows use for the features, in the schema's order.

        LightGBM stores an underscore for every blank in a name. So names that differ only in these two
        characters match. XGBoost also stores levels of pandas' columns without a name. They may be absent.

        Parameters
        ----------
        names : sequence of str
            Names of the rows' columns.

        Returns
        -------
        list of str
            One per feature: a name of the rows, or the feature's own if the rows lack it.

        Examples
        --------
        >>> Schema((Feature("tail_length"), Feature("age"), Feature("fur"))).called(["age", "tail length"])
        ['tail length', 'age', 'fur']
        """
        own, known = set(self.names), set(names)
        name_of = {_key(name): name for name in names if name not in own}
        called = [name if name in known else name_of.get(_key(name), name) for name in self.names]
        return called if len(set(called)) == len(called) else self.names

    def to_json(self) -> dict[str, object]:
        """Return the schema as lists and dictionaries for JSON."""
        return {
            "features": [
                {
                    "name": feature.name,
                    **({} if feature.categories is None else {"categories": list(feature.categories)}),
                    **({"coded": feature.coded} if feature.coded else {}),
                    **({} if feature.complete is None else {"complete": feature.complete}),
                    **({"rounding": feature.rounding} if feature.rounding else {}),
                    **({"rounded_types": list(feature.rounded_types)} if feature.rounded_types else {}),
                    **({"missing_kinds": list(feature.missing_kinds)} if feature.missing_kinds else {}),
                    **({"unseen": feature.unseen} if feature.unseen != "missing" else {}),
                    **({"ignored": True} if feature.ignored else {}),
                    **({"kind": feature.kind} if feature.kind else {}),
                    **({} if feature.day_first is None else {"day_first": feature.day_first}),
                    **({"unit": feature.unit} if feature.unit else {}),
                }
                for feature in self.features
            ],
            **({"ignores_extra": True} if self.ignores_extra else {}),
            **({"names_given": True} if self.names_given and self._has_default_names else {}),
        }

    @classmethod
    def from_json(cls, content: object) -> "Schema":
        """Rebuild a schema from the result of `to_json`.

        Raises
        ------
        ModelFormatError
            If the content has any other form.
        """
        flags = ("ignores_extra", "names_given")
        if not isinstance(content, Mapping) or not {"features"} <= set(content) <= {"features", *flags}:
            raise ModelFormatError("A schema must be an object with the entry 'features'.")
        for flag in flags:
            if not isinstance(content.get(flag, False), bool):
                raise ModelFormatError(
                    f"The {flag!r} of a schema must be true or false. Got {content[flag]!r} instead."
                )
        features = content["features"]
        if not isinstance(features, list):
            raise ModelFormatError("The 'features' of a schema must be a list.")
        try:
            parsed = tuple(_feature_from_json(feature, index) for index, feature in enumerate(features))
            return cls(parsed, **{flag: content.get(flag, False) for flag in flags})
        except DataError as error:
            raise ModelFormatError(f"The schema is malformed: {error}") from error


def default_names(n_features: int) -> list[str]:
    """Return names for the columns of an array."""
    return [f"x{index}" for index in range(n_features)]


def check_distinct(names: list[str]) -> None:
    """Raise if two columns have the same name."""
    if len(set(names)) < len(names):
        repeated = next(name for name, count in Counter(names).items() if count > 1)
        raise DataError(f"Two columns have the name {repeated!r}. Names must be different.")


def named_levels(name: str) -> str:
    """Return the name of a column without its levels that have none, which pandas calls Unnamed.

    Examples
    --------
    >>> named_levels("income Unnamed: 3_level_1"), named_levels("income ")
    ('income', 'income')
    """
    return _UNNAMED_LEVEL.sub(" ", name).strip() or name


def joined_levels(levels: Iterable[object]) -> str:
    """Return one name for the levels of a pandas column, as XGBoost has it, without those that have no name.

    Examples
    --------
    >>> joined_levels(("income", 2024)), joined_levels(("income", ""))
    ('income 2024', 'income')
    """
    return named_levels(" ".join(map(str, levels)))


_UNNAMED_LEVEL = re.compile(r"(^| )Unnamed: \d+_level_\d+(?= |$)")


def _key(name: str) -> str:
    return named_levels(name).replace(" ", "_")


_FEATURE_KEYS = {
    *("name", "categories", "coded", "complete", "rounding", "rounded_types", "unseen", "ignored"),
    *("missing_kinds", "kind", "day_first", "unit"),
}


def _feature_from_json(content: object, index: int) -> Feature:
    if not isinstance(content, Mapping) or not {"name"} <= set(content) <= _FEATURE_KEYS:
        raise ModelFormatError(
            f"Feature {index} must be an object with 'name' and, if nominal, 'categories'."
        )
    name = content["name"]
    if not isinstance(name, str):
        raise ModelFormatError(f"The name of feature {index} must be a string. Got {name!r} instead.")
    coded = content.get("coded", "")
    if coded not in ("", "down", "to zero", "hash") or (coded and "categories" not in content):
        raise ModelFormatError(
            f"The 'coded' of feature {name!r} must be 'down', 'to zero' or 'hash', and needs 'categories'."
        )
    complete = _flag(content, "complete", name) if "complete" in content else None
    ignored = _flag(content, "ignored", name)
    unseen = content.get("unseen", "missing")
    if unseen not in ("missing", "last", "refuse") or (unseen != "missing" and "categories" not in content):
        raise ModelFormatError(
            f"The 'unseen' of feature {name!r} must be 'missing', 'last' or 'refuse', and needs 'categories'."
        )
    rounding = content.get("rounding", "")
    if rounding not in ROUNDINGS:
        raise ModelFormatError(
            f"The 'rounding' of feature {name!r} must be one of {ROUNDINGS[1:]}. Got {rounding!r} instead."
        )
    missing_kinds = _strings(content, "missing_kinds", name)
    if "categories" not in content:
        return Feature(
            name,
            complete=complete,
            rounding=rounding,
            ignored=ignored,
            rounded_types=_strings(content, "rounded_types", name),
            missing_kinds=missing_kinds,
            **_number_style(content, name),
        )
    categories = content["categories"]
    if not isinstance(categories, list):
        raise ModelFormatError(
            f"The categories of feature {name!r} must be a list. Got {categories!r} instead."
        )
    for value in categories:
        if not isinstance(value, SCALARS) or (isinstance(value, float) and not math.isfinite(value)):
            raise ModelFormatError(
                f"The categories of feature {name!r} must be strings, finite numbers or booleans. "
                f"Got {value!r} instead."
            )
    return Feature(
        name, tuple(categories), coded, complete, rounding, unseen, ignored, missing_kinds=missing_kinds
    )


def _number_style(content: Mapping[str, object], name: str) -> dict[str, Any]:
    kind, unit = content.get("kind", ""), content.get("unit", "")
    if kind not in NUMBER_KINDS:
        raise ModelFormatError(
            f"The 'kind' of feature {name!r} must be one of {NUMBER_KINDS[1:]}. Got {kind!r} instead."
        )
    if not isinstance(unit, str):
        raise ModelFormatError(f"The 'unit' of feature {name!r} must be a string. Got {unit!r} instead.")
    day_first = _flag(content, "day_first", name) if "day_first" in content else None
    return {"kind": kind, "unit": unit, "day_first": day_first}


def _strings(content: Mapping[str, object], key: str, name: str) -> tuple[str, ...]:
    strings = content.get(key, [])
    if not isinstance(strings, list) or not all(isinstance(value, str) for value in strings):
        raise ModelFormatError(
            f"The {key!r} of feature {name!r} must be a list of strings. Got {strings!r} instead."
        )
    return tuple(strings)


def _flag(content: Mapping[str, object], key: str, name: str) -> bool:
    flag = content.get(key, False)
    if not isinstance(flag, bool):
        raise ModelFormatError(
            f"The {key!r} of feature {name!r} must be true or false. Got {flag!r} instead."
        )
    return flag
