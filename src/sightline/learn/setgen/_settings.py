"""The numbers of a search, and the two sets of them that have a name."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from sightline.learn._c45 import C45Classifier

NEVER = "never"
"""Patience that does not end."""


@dataclass(frozen=True)
class Settings:
    """What is searched how, with every default filled in.

    Parameters
    ----------
    evaluations : int
        Budget of feature sets.
    count : {"distinct", "requests"}
        What the budget counts: sets evaluated for the first time, or every child.
    population : int
        Genomes that are kept.
    genome_size : int or None
        Entries of a genome, at most the number of features; None for that number.
    crossover_rate, mutation_rate : float
        Share of a child's entries that come from the second parent, or are filled anew.
    selection : {"rank", "proportional"}
        How parents are drawn.
    reject_duplicates : bool
        Whether a child whose set is in the population is dropped.
    seeding : {"forward", "random"}
        Whether the path of a forward selection starts the population.
    seeding_width : int
        How many of the best sets that forward selection goes on from.
    polish_after : int or "never"
        Children in a row without a better best, after which the neighbours of the best are
        tried, those with one feature more or less; once for each best.
    restart_after : int or "never"
        Children in a row without a better best of the population, after which a new one
        begins at random.
    patience : int or "never"
        Children in a row without a better best, after which the search ends.
    batch_size : int
        Children that are evaluated before the first of them takes its place.
    screening : int
        Children that are bred for each one that is evaluated; 1 for no choice among them.
    screening_noise : float
        Variance of fitness that the likeness of sets does not explain, where it explains one.
    base : C45Classifier
        How trees are grown and pruned.
    """

    evaluations: int
    count: str
    population: int
    genome_size: int | None
    crossover_rate: float
    mutation_rate: float
    selection: str
    reject_duplicates: bool
    seeding: str
    seeding_width: int
    polish_after: int | str
    restart_after: int | str
    patience: int | str
    batch_size: int
    screening: int
    screening_noise: float
    base: C45Classifier


PRESETS = {
    "paper": Settings(
        evaluations=5000,
        count="requests",
        population=100,
        genome_size=None,
        crossover_rate=0.1,
        mutation_rate=0.1,
        selection="proportional",
        reject_duplicates=False,
        seeding="random",
        seeding_width=1,
        polish_after=NEVER,
        restart_after=NEVER,
        patience=NEVER,
        batch_size=1,
        screening=1,
        screening_noise=0.1,
        # That of Quinlan's book, before release 8 made tests on numbers pay for their thresholds.
        base=C45Classifier(mdl_correction=False),
    ),
    "default": Settings(
        evaluations=1000,
        count="distinct",
        population=50,
        genome_size=20,
        crossover_rate=0.1,
        mutation_rate=0.2,
        selection="rank",
        reject_duplicates=True,
        seeding="forward",
        seeding_width=4,
        polish_after=100,
        restart_after=200,
        patience=3000,
        batch_size=8,
        screening=8,
        screening_noise=0.1,
        base=C45Classifier(),
    ),
}


def settings_of(preset: str, given: dict[str, Any]) -> Settings:
    """Return the settings of a preset, those that were given replaced.

    Parameters
    ----------
    preset : str
        A key of ``PRESETS``.
    given : dict
        Values by name, None where the preset decides; other names are ignored.

    Returns
    -------
    Settings
        Nothing in it is None.

    Examples
    --------
    >>> settings_of("paper", {"population": 20, "patience": None}).population
    20
    """
    names = {field.name for field in fields(Settings)}
    wanted = {name: value for name, value in given.items() if name in names and value is not None}
    return replace(PRESETS[preset], **wanted)
