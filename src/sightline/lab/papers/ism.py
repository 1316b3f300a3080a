"""Van Assche and Blockeel's ISM: one tree from an ensemble, beside C4.5, bagging and CMM."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sightline.exceptions import SightlineError
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import FigureFile, Findings, figure_of
from sightline.lab._point_names import write_names
from sightline.lab._protocol import Protocol
from sightline.lab._ranking import rank_learners
from sightline.lab._results import Results
from sightline.lab.papers._ism_learners import LEARNERS, PAPERS
from sightline.lab.papers._ism_remarks import remarks
from sightline.lab.papers._ism_tables import (
    accuracy_table,
    identifier_table,
    later_table,
    readings_table,
    significance_table,
    size_ratios,
    summary_table,
    win_draw_loss_table,
)

SETS = (  # noqa: SIM905 - the paper's 34, in its order
    "anneal.ORIG audiology autos balance-scale breast-cancer breast-w car cmc colic credit-a credit-g "
    "cylinder-bands dermatology glass heart-c ionosphere iris kropt letter liver-disorders lymph mfeat-pixel "
    "nursery optdigits page-blocks primary-tumor segment sonar soybean tae tic-tac-toe vehicle yeast zoo"
).split()


IDENTIFIED = "cylinder-bands"
WITHOUT_IDENTIFIERS = DataSet(
    f"{IDENTIFIED} without identifiers",
    file=IDENTIFIED,
    without=("timestamp", "cylinder_number", "customer", "job_number"),
)
"""Not one of the 34 and in no mean: whether the paper left these columns out."""

OURS = ("ISM_hybrid", "ISM_hybrid pruned", "DistilledTree")
INDUCTIVE = tuple(name for name in (*PAPERS, *OURS) if not name.endswith("u"))


def find(results: Results) -> Findings:
    """Return the paper's Tables 1 to 4 with our numbers beside the paper's, and more readings of it."""
    papers = results.on(SETS)
    if not papers.sets:
        raise SightlineError("The page needs at least one of the paper's data sets.")
    listed = [
        win_draw_loss_table(papers),
        significance_table(papers),
        accuracy_table(papers),
        summary_table(papers),
        readings_table(papers),
        later_table(papers),
    ]
    has_both = {IDENTIFIED, WITHOUT_IDENTIFIERS.name} <= set(results.sets)
    if has_both:
        listed.append(identifier_table(results, IDENTIFIED, WITHOUT_IDENTIFIERS.name))
    headline, *others = remarks(papers)
    return Findings(listed, plots(papers), others, headline)


def plots(results: Results) -> list[FigureFile]:
    """Return a plot of size against accuracy, and the ranks of the learners."""
    figures = [FigureFile("size", "Size against accuracy, means over the data sets.", _size_figure(results))]
    if len(results.sets) > 1:
        ranking = rank_learners({name: results.means(name, "accuracy") for name in INDUCTIVE})
        figures.append(
            FigureFile(
                "ranks",
                f"Average ranks by accuracy over {len(results.sets)} data sets. Learners under one bar do "
                f"not differ significantly (Friedman p = {ranking.friedman_p:.2g}). Transductive learners, "
                "which see the test rows, are left out.",
                figure_of(ranking.plot()),
            )
        )
    return figures


def _size_figure(results: Results) -> Figure:
    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    ax = figure.add_subplot()
    points, colors = {}, {}
    for learner in INDUCTIVE:
        ratio = float(np.exp(np.log(size_ratios(results, learner)).mean()))
        points[learner] = (ratio, 100 * float(results.means(learner, "accuracy").mean()))
        kind = "#0072b2" if learner in PAPERS else "#009e73"
        colors[learner] = {"Bagging": "#d55e00", "J48": "#22262c"}.get(learner, kind)
        ax.scatter(*points[learner], s=36, color=colors[learner], zorder=3)
    ax.set_xscale("log")
    ticks = [1, 2, 3, 5, 10, 20]
    ax.set_xticks(ticks, [str(tick) for tick in ticks])
    ax.minorticks_off()
    ax.margins(0.14, 0.1)
    ax.set_xlabel("nodes, as a multiple of J48's (geometric mean)")
    ax.set_ylabel("accuracy [%]")
    ax.grid(color="#e6e8eb", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    write_names(ax, points, colors)
    return figure


EXPERIMENT = Experiment(
    name="ism",
    title="ISM: one tree from an ensemble",
    paper=(
        'A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a Comprehensible '
        'Model from an Ensemble", ECML 2007'
    ),
    data_sets=(*(DataSet(name) for name in SETS), WITHOUT_IDENTIFIERS),
    learners=LEARNERS,
    protocol=Protocol(n_repeats=5, n_folds=10, n_uniform=1000),
    quick_sets=("iris", "glass", "heart-c", "lymph", "zoo"),
    find=find,
)
