"""How faithful distilled trees of numbers are to ensembles, beside scikit-learn's of the same size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import ShuffleSplit

from sightline.distill import DistilledTreeRegressor
from sightline.exceptions import UnsupportedModelError
from sightline.lab._curves import columns_by_size, curves, gain_range
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, ResultTable, Value
from sightline.lab._learner import Learner
from sightline.lab._protocol import Splits
from sightline.lab._results import Results
from sightline.lab.claims._number_sets import CHOSEN_ON, SETS
from sightline.lab.claims._surrogates import OF_NUMBERS, SIZES, OnCodes, learner_name, surrogate_learners
from sightline.lab.claims.distilled_tree import with_error
from sightline.wording import pluralize

FOREST, LIGHTGBM = "random forest, 100", "LightGBM, 100"
ENSEMBLES = (FOREST, LIGHTGBM)
LINE_SIZES = SIZES[:2]
N_SPLITS = 4


def _learners() -> tuple[Learner, ...]:
    try:
        from lightgbm import LGBMRegressor  # noqa: PLC0415 - an optional library
    except ImportError as error:
        raise UnsupportedModelError(
            "The experiment 'regression' needs LightGBM. Install it: pip install lightgbm."
        ) from error
    estimators = {
        FOREST: RandomForestRegressor(100),
        LIGHTGBM: LGBMRegressor(n_estimators=100, n_jobs=1, verbose=-1),
    }
    return tuple(
        learner
        for name, estimator in estimators.items()
        for learner in surrogate_learners(name, OnCodes(estimator), DistilledTreeRegressor(), OF_NUMBERS)
    )


def find(results: Results) -> Findings:
    """Return R² to the ensembles by size, and the differences on every data set."""
    remark = (
        f"The constants of DistilledTreeRegressor were chosen on other rows: {CHOSEN_ON}. Test rows were "
        "never used to choose anything."
    )
    means = mean_table(results)
    return Findings(
        [means, set_table(results)], [picture(means)], [remark], headline(means, len(results.sets))
    )


def picture(means: ResultTable) -> FigureFile:
    """Draw the means by size, one panel per ensemble."""
    caption = "Mean R² to the ensemble on unseen rows, times 100, by number of leaves."
    panels = columns_by_size(means, ("scikit-learn", "distilled", "with lines"))
    return curves(caption, panels, "leaves", "R² to the ensemble × 100")


def headline(means: ResultTable, n_sets: int) -> str:
    """Say how much closer distilled trees are, and what lines in the leaves add."""
    medians = [float(str(row[means.columns.index("median")])) for row in means.rows]
    low, high = gain_range(means, "distilled", "scikit-learn")
    lines_low, lines_high = gain_range(means, "with lines", "distilled")
    return (
        f"In the median over {pluralize(n_sets, 'data set')}, the R² of distilled trees to their ensemble is "
        f"{min(medians):.1f} to {max(medians):.1f} hundredths above that of scikit-learn's trees of the same "
        f"size (in the mean {low:.1f} to {high:.1f}, because of a few data sets). Lines in the leaves add "
        f"{lines_low:.1f} to {lines_high:.1f} in the mean."
    )


def fidelities(results: Results, data: str, ensemble: str, kind: str, size: int) -> NDArray[np.float64]:
    """Return 100 R² to the ensemble on the test rows of every split."""
    return 100 * results.fold_fidelities(data, learner_name(ensemble, kind, size), ensemble)


def gains(results: Results, data: str, ensemble: str, kind: str, size: int) -> NDArray[np.float64]:
    """Return by how much a tree is more faithful than the usual surrogate, per split."""
    usual = fidelities(results, data, ensemble, "usual", size)
    return fidelities(results, data, ensemble, kind, size) - usual


def mean_table(results: Results) -> ResultTable:
    """Return the means over the data sets by ensemble and size."""
    rows: list[tuple[Value, ...]] = []
    for ensemble in ENSEMBLES:
        for size in SIZES:
            means = {
                kind: np.array(
                    [fidelities(results, data, ensemble, kind, size).mean() for data in results.sets]
                )
                for kind in OF_NUMBERS
            }
            gain = means["distilled"] - means["usual"]
            rows.append(
                (
                    ensemble,
                    size,
                    float(means["usual"].mean()),
                    float(means["distilled"].mean()),
                    with_error(gain),
                    f"{np.median(gain):+.2f}",
                    f"{gain.min():+.2f} ({results.sets[int(gain.argmin())]})",
                    float(means["lines"].mean()),
                    with_error(means["lines"] - means["usual"]),
                    with_error(means["lines"] - means["distilled"]),
                )
            )
    note = (
        f"Mean over {len(results.sets)} data sets of R² to the ensemble's numbers on unseen rows, times 100: "
        "scikit-learn's best-first tree on the training rows with the ensemble's numbers, and our tree with "
        "as many leaves. Next come the difference with its standard error over the data sets, their median, "
        "the smallest difference on any data set, our tree with lines of at most two columns in its leaves, "
        "and its differences from scikit-learn's tree and from our tree without lines."
    )
    columns = (
        "ensemble",
        "leaves",
        "scikit-learn",
        "distilled",
        "difference",
        "median",
        "smallest",
        "with lines",
        "from scikit-learn",
        "from distilled",
    )
    return ResultTable("fidelity", "R² to the ensemble on unseen rows", columns, rows, note)


def set_table(results: Results) -> ResultTable:
    """Return the differences on every data set."""
    rows: list[tuple[Value, ...]] = [
        (
            data,
            ensemble,
            *(with_error(gains(results, data, ensemble, "distilled", size)) for size in SIZES),
            *(with_error(gains(results, data, ensemble, "lines", size)) for size in LINE_SIZES),
        )
        for data in results.sets
        for ensemble in ENSEMBLES
    ]
    note = (
        "Differences in 100 R² from scikit-learn's tree of the same size, mean over the splits with its "
        "standard error: our trees, then those with lines in their leaves."
    )
    columns = (
        "data set",
        "ensemble",
        *(f"{size} leaves" for size in SIZES),
        *(f"{size}, lines" for size in LINE_SIZES),
    )
    return ResultTable("by_set", "Every data set", columns, rows, note)


EXPERIMENT = Experiment(
    name="regression",
    title="Distilled regression trees: fidelity by size",
    paper="",
    data_sets=SETS,
    learners=_learners(),
    protocol=Splits.of_two_thirds(N_SPLITS, splitter=ShuffleSplit),
    quick_sets=("cpu",),
    find=find,
)
