"""The searches that SetGenClassifier can run, with their parameters and presets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from sightline import _core
from sightline.exceptions import ParameterError
from sightline.learn._c45 import C45Classifier
from sightline.learn.setgen._annealing import Annealing
from sightline.learn.setgen._archive import Archive
from sightline.learn.setgen._climb import Climb, Elimination
from sightline.learn.setgen._forward import Forward
from sightline.learn.setgen._genetic import Genetic
from sightline.learn.setgen._random import RandomSets
from sightline.learn.setgen._strategy import NEVER, Strategy
from sightline.sklearn_internals import (
    Interval,
    InvalidParameterError,
    StrOptions,
    validate_parameter_constraints,
)

_POSITIVE = Interval(Integral, 1, None, closed="left")
_SHARE = Interval(Real, 0, 1, closed="both")
_PATIENCE = [_POSITIVE, StrOptions({NEVER}), None]


@dataclass(kw_only=True, repr=False)
class FeatureSearch(ABC):
    """The base of the searches: parameters that scikit-learn can get, set and clone.

    A parameter that is None takes its value from the preset of SetGenClassifier. GeneticSearch
    documents the parameters that all searches share.
    """

    name: ClassVar[str]
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "count": [StrOptions({"distinct", "requests"}), None],
        "patience": _PATIENCE,
        "abandon": ["boolean"],
    }

    count: str | None = None
    patience: int | str | None = None
    abandon: bool = True

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002 - scikit-learn's signature
        """Return the parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name."""
        known = self.get_params()
        for name, value in params.items():
            if name not in known:
                raise ParameterError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"choose from: {', '.join(sorted(known))}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [
            f"{field.name}={value!r}"
            for field in fields(self)
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def completed(self, preset: str) -> Any:
        """Return a checked copy in which the preset fills in every parameter that is None."""
        try:
            validate_parameter_constraints(
                self._parameter_constraints, self.get_params(), type(self).__name__
            )
        except InvalidParameterError as error:
            raise ParameterError(str(error)) from None
        open_names = {name for name, value in self.get_params().items() if value is None}
        defaults = PRESETS[preset].search
        return replace(self, **{name: defaults[name] for name in open_names})

    @abstractmethod
    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:
        """Return the search itself, at its beginning."""


@dataclass(kw_only=True, repr=False)
class GeneticSearch(FeatureSearch):
    """The genetic search of SET-GEN.

    A parameter that is None takes its value from the preset of :class:`SetGenClassifier`.

    Parameters
    ----------
    population : int, optional
        Number of genomes to keep. Default preset: 50; paper: 100.
    genome_size : int, optional
        Entries per genome. Smaller genomes favor small feature sets. Default preset: 20, or the
        number of features if that is less; paper: the number of features. A genome of bits always has
        one entry per feature.
    genome : {"list", "bits"}, default="list"
        *list*: features in any order, which may repeat, and blanks, as in the paper. *bits*: one bit per
        feature.
    crossover : {"uniform", "one_point"}, default="uniform"
        *uniform*: each entry comes from the second parent with the probability ``crossover_rate``.
        *one_point*: all entries from a random one on. The second parent of a list is rotated first.
    crossover_rate : float, optional
        Share of a child's entries taken from the second parent. Both presets: 0.1.
    mutation_rate : float, optional
        Share of a child's entries drawn again. Default preset: 0.2; paper: 0.1.
    blank_rate : float, default=0.5
        Share of the drawn entries left blank.
    operator_weights : tuple of 3 floats, default=(1, 1, 1)
        How often crossover, mutation and deletion of a feature produce a child.
    selection : {"rank", "proportional"}, optional
        How parents are drawn. Default preset: by rank; paper: in proportion to fitness.
    reject_duplicates : bool, optional
        Drop a child whose feature set is already in the population. Default preset: True; paper: False.
    seeding : {"forward", "random"}, optional
        How the first population starts. Default preset: with the path of a forward selection;
        paper: at random.
    seeding_width : int, optional
        Number of sets that this forward selection extends at a time. Default preset: 4; paper: 1. A larger
        width finds features that help only in combination. It costs no more when sets are screened.
    polish_after : int or "never", optional
        After this many children without improvement, try all sets that have one feature more or
        less than the best. Default preset: 100; paper: never.
    restart_after : int or "never", optional
        After this many children without an improvement of the population, start a new random
        population. Default preset: 200; paper: never.
    batch_size : int, optional
        Children evaluated together, before any of them joins the population. The jobs share a
        batch. Default preset: 8; paper: 1.
    screening : int, optional
        Children bred for each one that is evaluated. A Gaussian process over the sets evaluated
        so far picks the most promising. Default preset: 8; paper: 1.
    screening_noise : float, optional
        Variance of the fitness among similar sets, relative to the variance among dissimilar
        ones. Both presets: 0.1.
    count : {"distinct", "requests"}, optional
        What the budget ``evaluations`` counts: distinct feature sets (default preset), or every set
        that the search asks for (paper).
    patience : int or "never", optional
        Stop after this many children in a row without a better best set. Default preset: 3000; paper: never.
    abandon : bool, default=True
        Stop an evaluation early once it can change neither the search nor the Pareto front. This saves
        time and never changes the result. With screening, every evaluation is completed.

    See Also
    --------
    SetGenClassifier : Runs the search.

    Examples
    --------
    >>> from sightline import GeneticSearch, SetGenClassifier
    >>> setgen = SetGenClassifier(preset="paper", search=GeneticSearch(population=50))
    >>> setgen.set_params(search__mutation_rate=0.2).search.mutation_rate
    0.2
    """

    name: ClassVar[str] = "genetic"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSearch._parameter_constraints,
        "population": [_POSITIVE, None],
        "genome_size": [_POSITIVE, None],
        "genome": [StrOptions({"list", "bits"})],
        "crossover": [StrOptions({"uniform", "one_point"})],
        "crossover_rate": [_SHARE, None],
        "mutation_rate": [_SHARE, None],
        "blank_rate": [_SHARE],
        "operator_weights": ["array-like"],
        "selection": [StrOptions({"rank", "proportional"}), None],
        "reject_duplicates": ["boolean", None],
        "seeding": [StrOptions({"forward", "random"}), None],
        "seeding_width": [_POSITIVE, None],
        "polish_after": _PATIENCE,
        "restart_after": _PATIENCE,
        "batch_size": [_POSITIVE, None],
        "screening": [_POSITIVE, None],
        "screening_noise": [Interval(Real, 0, None, closed="neither"), None],
    }

    population: int | None = None
    genome_size: int | None = None
    genome: str = "list"
    crossover: str = "uniform"
    crossover_rate: float | None = None
    mutation_rate: float | None = None
    blank_rate: float = 0.5
    operator_weights: tuple[float, float, float] = (1, 1, 1)
    selection: str | None = None
    reject_duplicates: bool | None = None
    seeding: str | None = None
    seeding_width: int | None = None
    polish_after: int | str | None = None
    restart_after: int | str | None = None
    batch_size: int | None = None
    screening: int | None = None
    screening_noise: float | None = None

    def completed(self, preset: str) -> Any:
        """Return a checked copy in which the preset fills in every parameter that is None."""
        completed = super().completed(preset)
        if self.genome == "bits" and self.genome_size is not None:
            raise ParameterError(
                "A genome of bits has one entry per feature. Leave out 'genome_size', or use genome='list'."
            )
        weights = np.asarray(self.operator_weights, dtype=np.float64)
        if (
            weights.shape != (3,)
            or not np.isfinite(weights).all()
            or (weights < 0).any()
            or not weights.any()
        ):
            raise ParameterError(
                "The 'operator_weights' parameter of GeneticSearch must be three numbers, "
                f"none negative and not all 0. Got {self.operator_weights!r} instead."
            )
        return replace(completed, operator_weights=tuple(weights.tolist()))

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:
        """Return the search itself, at its beginning."""
        settings, n_features = self.completed(preset), archive.n_features
        # Only a preset's genome is cut to the number of features; the user may want a longer one.
        genome_size = self.genome_size or min(settings.genome_size or n_features, n_features)
        has_bits = settings.genome == "bits"
        genome_size = n_features if has_bits else genome_size
        breeder = _core.SetGenBreeder(
            n_features,
            genome_size,
            seed,
            settings.crossover_rate,
            settings.mutation_rate,
            settings.blank_rate,
            settings.operator_weights,
            one_point=settings.crossover == "one_point",
            bits=has_bits,
        )
        return Genetic(breeder, genome_size, settings, archive)


@dataclass(kw_only=True, repr=False)
class HillClimbing(FeatureSearch):
    """Climb from a set to its best neighbor, which has one feature more or less, until none is better.

    Parameters
    ----------
    restarts : int, default=8
        Number of climbs. The first starts from the empty set, the others from random sets.
    count, patience, abandon
        As in :class:`GeneticSearch`.
    """

    name: ClassVar[str] = "hill"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSearch._parameter_constraints,
        "restarts": [_POSITIVE],
    }

    restarts: int = 8

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:  # noqa: ARG002 - has no preset
        """Return the search itself, at its beginning."""
        return Climb.from_random_starts(archive.n_features, self.restarts, seed)


@dataclass(kw_only=True, repr=False)
class ForwardSelection(FeatureSearch):
    """Start from the empty set and add the best feature, one at a time, while that helps.

    Parameters
    ----------
    count, patience, abandon
        As in :class:`GeneticSearch`.
    """

    name: ClassVar[str] = "forward"

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:  # noqa: ARG002 - nothing to set
        """Return the search itself, at its beginning."""
        return Forward(archive.n_features)


@dataclass(kw_only=True, repr=False)
class BackwardElimination(FeatureSearch):
    """Start from all features and remove the one that helps least, one at a time, while that helps.

    Parameters
    ----------
    count, patience, abandon
        As in :class:`GeneticSearch`.
    """

    name: ClassVar[str] = "backward"

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:  # noqa: ARG002 - nothing to set
        """Return the search itself, at its beginning."""
        return Elimination(archive.n_features)


@dataclass(kw_only=True, repr=False)
class SimulatedAnnealing(FeatureSearch):
    """Add or remove a random feature, and accept a worse set with a probability that falls with time.

    A set that is worse by d is accepted with probability exp(-d / temperature). The walk ends when the
    temperature is below a millionth.

    Parameters
    ----------
    temperature : float, default=0.02
        Temperature at the start.
    cooling : float, default=0.99
        Factor of the temperature after each step.
    count, patience, abandon
        As in :class:`GeneticSearch`.
    """

    name: ClassVar[str] = "annealing"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FeatureSearch._parameter_constraints,
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "cooling": [Interval(Real, 0, 1, closed="right")],
    }

    temperature: float = 0.02
    cooling: float = 0.99

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:  # noqa: ARG002 - has no preset
        """Return the search itself, at its beginning."""
        return Annealing(archive.n_features, self.temperature, self.cooling, seed)


@dataclass(kw_only=True, repr=False)
class RandomSearch(FeatureSearch):
    """Draw sets at random: what any other search should beat.

    Each set has its own share of features, drawn first.

    Parameters
    ----------
    count, patience, abandon
        As in :class:`GeneticSearch`.
    """

    name: ClassVar[str] = "random"

    def strategy(self, preset: str, archive: Archive, seed: int) -> Strategy:  # noqa: ARG002 - has no preset
        """Return the search itself, at its beginning."""
        return RandomSets(archive, seed)


SEARCHES = {
    search.name: search
    for search in (
        GeneticSearch,
        HillClimbing,
        ForwardSelection,
        BackwardElimination,
        SimulatedAnnealing,
        RandomSearch,
    )
}
"""The searches that can be chosen by a word."""


@dataclass(frozen=True)
class Preset:
    """Values for the parameters that the user leaves at None."""

    evaluations: int
    base: C45Classifier
    size_ratio: str
    search: dict[str, Any]


PRESETS = {
    "paper": Preset(
        evaluations=5000,
        # The C4.5 of Quinlan's book, before release 8 charged numeric tests for their thresholds. By his
        # table of limits, all ten levels of pruning differ.
        base=C45Classifier(mdl_correction=False, limits="quinlan"),
        size_ratio="of_means",
        search={
            "count": "requests",
            "population": 100,
            "genome_size": None,
            "crossover_rate": 0.1,
            "mutation_rate": 0.1,
            "selection": "proportional",
            "reject_duplicates": False,
            "seeding": "random",
            "seeding_width": 1,
            "polish_after": NEVER,
            "restart_after": NEVER,
            "patience": NEVER,
            "batch_size": 1,
            "screening": 1,
            "screening_noise": 0.1,
        },
    ),
    "default": Preset(
        evaluations=1000,
        base=C45Classifier(),
        size_ratio="per_fold",
        search={
            "count": "distinct",
            "population": 50,
            "genome_size": 20,
            "crossover_rate": 0.1,
            "mutation_rate": 0.2,
            "selection": "rank",
            "reject_duplicates": True,
            "seeding": "forward",
            "seeding_width": 4,
            "polish_after": 100,
            "restart_after": 200,
            "patience": 3000,
            "batch_size": 8,
            "screening": 8,
            "screening_noise": 0.1,
        },
    ),
}
