"""Whether SET-GEN's default search, with 1,000 sets, finds feature sets as fit as the paper's 5,000 children.

Fitness is that of the inner cross-validation: no held-out row is used.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sightline.lab._data_set import DataSet
from sightline.lab._dots import Dots, dots
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner
from sightline.lab._protocol import SameFolds
from sightline.lab._results import Results
from sightline.lab.papers.setgen import DATA_SETS, search_notes
from sightline.lab.papers.setgen import EXPERIMENT as PAPER
from sightline.learn import C45Classifier, SetGenClassifier
from sightline.measure import standard_error
from sightline.wording import pluralize

OTHERS = ("zoo", "glass", "ionosphere", "sonar")
"""Not the paper's data sets: they show whether the choice made on those holds elsewhere."""

PRESETS = ("paper", "default")


def find(results: Results) -> Findings:
    """Return the fitness of both presets, on the paper's data sets and on others."""
    remark = (
        "Fitness of the best feature set in the inner cross-validation, on the training rows of ten outer "
        "folds with 3 seeds each (one seed on splice). The seeds determine the inner folds and the search. "
        "Children are all feature sets that the search requested, which is what the paper counts; sets are "
        f"the distinct ones among them, which take the time. {_budget(results)} The parameters of the "
        "default preset were chosen by its fitness on the paper's data sets without splice, with these "
        "seeds. The other data sets played no part in the choice."
    )
    papers = [name for name in results.sets if name not in OTHERS]
    others = [name for name in results.sets if name in OTHERS]
    tables = [
        fitness_table(results, file, title, names)
        for file, title, names in (("paper", "The paper's data sets", papers), ("others", "Others", others))
        if names
    ]
    return Findings(tables, [picture(results)], remarks=[remark], headline=headline(results))


def picture(results: Results) -> FigureFile:
    """Draw how much fitter the sets of the default preset are, by data set."""
    gains = {name: _gain(results, name) for name in results.sets}
    means = {name: float(gain.mean()) for name, gain in gains.items()}
    errors = {name: standard_error(gain) for name, gain in gains.items() if len(gain) > 1}
    caption = (
        "Fitness of the default preset minus that of the paper's, with standard errors. Further right is "
        "better."
    )
    return dots(caption, [Dots("fitness, default minus paper", {"": means}, errors, line=0.0)])


def headline(results: Results) -> str:
    """Say on how many data sets the default preset finds sets that are at least as good."""
    reached = [
        name
        for name in results.sets
        if results.mean(name, "default", "fitness") >= results.mean(name, "paper", "fitness") - 1e-9
    ]
    return (
        f"The default preset reaches at least the fitness of the paper's on {len(reached)} of "
        f"{pluralize(len(results.sets), 'data set')}."
    )


def _gain(results: Results, name: str) -> NDArray[np.float64]:
    """Return how much fitter the sets of the default preset are, search by search."""
    paper, default = (results.fold_numbers(name, preset, "fitness") for preset in PRESETS)
    # Differences that are only rounding count for neither.
    return np.round(default - paper, 9)


def _budget(results: Results) -> str:
    """Say how many distinct sets the default evaluates for each of the paper's."""
    shares = [
        results.mean(name, "default", "distinct") / results.mean(name, "paper", "distinct")
        for name in results.sets
    ]
    children = [
        results.mean(name, "default", "distinct") / results.mean(name, "paper", "requests")
        for name in results.sets
    ]
    return (
        f"The default evaluates {min(children):.0%} to {max(children):.0%} as many sets as the paper's "
        f"search has children, but {min(shares):.0%} to {max(shares):.0%} of its distinct sets."
    )


def fitness_table(results: Results, file: str, title: str, names: list[str]) -> ResultTable:
    """Return means over folds and seeds."""
    rows: list[tuple[Value, ...]] = []
    for name in names:
        difference = _gain(results, name)
        rows.append(
            (
                name,
                len(difference),
                f"{results.mean(name, 'paper', 'fitness'):.4f}",
                f"{results.mean(name, 'default', 'fitness'):.4f}",
                f"{difference.mean():+.4f}",
                f"{standard_error(difference):.4f}" if len(difference) > 1 else None,
                int((difference > 0).sum()),
                int((difference < 0).sum()),
                f"{results.mean(name, 'paper', 'requests'):.0f}",
                f"{results.mean(name, 'paper', 'distinct'):.0f}",
                f"{results.mean(name, 'default', 'distinct'):.0f}",
            )
        )
    columns = (
        "set",
        "searches",
        "fitness, paper",
        "fitness, default",
        "difference",
        "standard error",
        "default better",
        "default worse",
        "children, paper",
        "sets, paper",
        "sets, default",
    )
    return ResultTable(file, title, columns, rows)


def _limited(data: DataSet) -> DataSet:
    """Return splice with one seed: a search of its 3,190 rows takes longer than all others together."""
    return replace(data, max_repeats=1) if data.name == "splice" else data


EXPERIMENT = Experiment(
    name="setgen_presets",
    title="SET-GEN's two presets",
    paper="",
    data_sets=(*map(_limited, DATA_SETS), *map(DataSet, OTHERS)),
    # Both presets over the same C4.5 and fitness: the paper's own would not be comparable.
    learners=tuple(
        Learner(
            preset,
            SetGenClassifier(preset=preset, base=C45Classifier(), size_ratio="per_fold"),
            notes=search_notes,
        )
        for preset in PRESETS
    ),
    protocol=SameFolds(n_repeats=3, n_folds=PAPER.protocol.n_folds),
    quick_sets=("hepatitis", "zoo"),
    find=find,
)
