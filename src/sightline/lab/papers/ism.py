"""Van Assche and Blockeel's ISM: one tree from an ensemble, beside C4.5, bagging and CMM."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from sightline.distill import CMMClassifier, DistilledTreeClassifier, ISMClassifier
from sightline.lab._data_set import DataSet
from sightline.lab._experiment import Experiment
from sightline.lab._findings import Beside, FigureFile, Findings, ResultTable, Value, figure_of
from sightline.lab._learner import Learner
from sightline.lab._point_names import write_names
from sightline.lab._protocol import Protocol
from sightline.lab._ranking import rank_learners
from sightline.lab._results import Results
from sightline.lab.papers._numbers import printed
from sightline.learn import BaggedTreesClassifier, C45Classifier

SETS = (  # noqa: SIM905 - the paper's 34, in its order
    "anneal.ORIG audiology autos balance-scale breast-cancer breast-w car cmc colic credit-a credit-g "
    "cylinder-bands dermatology glass heart-c ionosphere iris kropt letter liver-disorders lymph mfeat-pixel "
    "nursery optdigits page-blocks primary-tumor segment sonar soybean tae tic-tac-toe vehicle yeast zoo"
).split()


def _summary(name: str, estimator: object, is_transductive: bool = False) -> Learner:
    return Learner(name, estimator, teacher="Bagging", is_transductive=is_transductive)


LEARNERS = (
    Learner("J48", C45Classifier(binary_splits=True)),
    Learner("Bagging", BaggedTreesClassifier()),
    _summary("ISM_t", ISMClassifier(variant="t")),
    _summary("ISM_td", ISMClassifier(variant="td")),
    _summary("ISM_d", ISMClassifier(variant="d")),
    _summary("CMM(up)", CMMClassifier(prune=False)),
    _summary("CMM(p)", CMMClassifier()),
    _summary("ISM_tu", ISMClassifier(variant="t"), is_transductive=True),
    _summary("ISM_tdu", ISMClassifier(variant="td"), is_transductive=True),
    _summary("ISM_du", ISMClassifier(variant="d"), is_transductive=True),
    _summary("ISM_t literal", ISMClassifier(variant="t", gain="literal")),
    _summary("ISM_td literal", ISMClassifier(variant="td", gain="literal")),
    _summary("ISM_hybrid", ISMClassifier(variant="hybrid")),
    _summary("ISM_hybrid pruned", ISMClassifier(variant="hybrid", prune="pessimistic")),
    _summary("DistilledTree", DistilledTreeClassifier()),
)

LEVEL = 0.1
"""The paper's "90% two-tailed"."""

PAPERS = ("J48", "Bagging", "ISM_t", "ISM_td", "ISM_d", "CMM(up)", "CMM(p)", "ISM_tu", "ISM_tdu", "ISM_du")
OURS = ("ISM_t literal", "ISM_td literal", "ISM_hybrid", "ISM_hybrid pruned", "DistilledTree")
INDUCTIVE = tuple(name for name in (*PAPERS, *OURS) if not name.endswith("u"))


def find(results: Results) -> Findings:
    """Return the paper's Tables 1 to 4 with our numbers beside the paper's."""
    tables = [
        win_draw_loss_table(results),
        accuracy_table(results),
        summary_table(results),
    ]
    return Findings(tables, plots(results), remarks(results))


def win_draw_loss_table(results: Results) -> ResultTable:
    """Return Table 1, with our default as an additional column."""
    paper = {(row["row"], row["column"]): row for row in printed("ism_wins")}
    columns = (*PAPERS[1:], "DistilledTree")
    rows: list[tuple[Value, ...]] = []
    for index, first in enumerate(PAPERS):
        cells: list[Value] = [first]
        for second in columns:
            if second in PAPERS[: index + 1]:
                cells.append("/")
                continue
            ours = results.win_draw_loss(first, second, LEVEL)
            theirs = paper.get((first, second))
            beside = " ({win}/{draw}/{loss})".format(**theirs) if theirs else ""
            cells.append(f"{ours}{beside}")
        rows.append(tuple(cells))
    note = (
        f"Number of the {len(results.sets)} data sets on which the column's learner is significantly better "
        "/ no different / worse than the row's, by a two-tailed corrected resampled t-test over all folds at "
        "level 0.1. In parentheses: the paper's counts, over 34 data sets."
    )
    title = "Table 1: significant wins, draws and losses"
    return ResultTable("table1", title, ("against", *columns), rows, note)


def accuracy_table(results: Results) -> ResultTable:
    """Return Table 2, with our default and what the paper leaves out as additional columns."""
    paper = {row["set"]: row for row in printed("ism_accuracy")}
    columns = (*PAPERS[:-1], "DistilledTree")
    rows: list[tuple[Value, ...]] = []
    for data in results.sets:
        cells: list[Value] = [data]
        for learner in columns:
            verdict = results.compare(data, "J48", learner).verdict(LEVEL)
            mark = {"win": " ∘", "loss": " •", "draw": ""}[verdict]
            theirs = paper[data].get(learner)
            ours = 100 * results.mean(data, learner, "accuracy")
            cells.append(Beside(ours, float(theirs) if theirs else None, mark=mark))
        rows.append(tuple(cells))
    means: list[Value] = ["mean"]
    for learner in columns:
        known = [float(paper[data][learner]) for data in results.sets if learner in paper[data]]
        ours = 100 * float(results.means(learner, "accuracy").mean())
        means.append(Beside(ours, float(np.mean(known)) if known else None))
    rows.append(tuple(means))
    note = (
        "Accuracy in percent on held-out rows: ours (the paper's, difference). ∘ is significantly better and "
        "• significantly worse than J48, as in Table 1."
    )
    return ResultTable("table2", "Table 2: accuracy", ("set", *columns), rows, note)


def summary_table(results: Results) -> ResultTable:
    """Return Tables 3 and 4 and the means of all other measures."""
    paper = {row["algorithm"]: row for row in printed("ism_size_stability")}
    accuracy = {
        learner: 100 * float(results.means(learner, "accuracy").mean()) for learner in (*PAPERS, *OURS)
    }
    gain = accuracy["Bagging"] - accuracy["J48"]
    nodes = results.means("J48", "nodes")
    rows: list[tuple[Value, ...]] = []
    for learner in (*PAPERS, *OURS):
        ratio = results.means(learner, "nodes") / nodes
        theirs = paper.get(learner)
        stability = 100 * float(results.stabilities(learner).mean())
        kept = (accuracy[learner] - accuracy["J48"]) / gain if gain else np.nan
        rows.append(
            (
                learner,
                Beside(float(ratio.mean()), float(theirs["size"]) if theirs else None),
                float(np.exp(np.log(ratio).mean())),
                Beside(stability, float(theirs["stability"]) if theirs else None),
                accuracy[learner],
                f"{100 * kept:.0f}%",
                100 * float(results.fidelities(learner, "Bagging").mean()),
            )
        )
    columns = (
        "learner",
        "nodes / J48's",
        "geometric mean",
        "stability",
        "accuracy",
        "bagging's gain kept",
        "fidelity to bagging",
    )
    note = (
        "Means over the data sets: ours (the paper's, difference). Stability is Turney's: how often two "
        "models of one cross-validation agree on 1,000 uniformly drawn rows. Fidelity is agreement with "
        "bagging on held-out rows."
    )
    title = "Tables 3 and 4: size, stability and other measures"
    return ResultTable("table3_4", title, columns, rows, note)


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
    nodes = results.means("J48", "nodes")
    points, colors = {}, {}
    for learner in INDUCTIVE:
        ratio = float(np.exp(np.log(results.means(learner, "nodes") / nodes).mean()))
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


NOTEWORTHY = 1.0
"""A difference from the paper's mean of more points than this needs a reason."""


def remarks(results: Results) -> list[str]:
    """Return where our numbers differ from the paper's, and why."""
    return [_means_remark(results), _sets_remark(results), *_reasons(results), _ours_remark(results)]


def _differences(results: Results, learner: str) -> dict[str, float]:
    """Return the difference in accuracy per data set, in points."""
    paper = {row["set"]: row for row in printed("ism_accuracy")}
    return {
        data: 100 * results.mean(data, learner, "accuracy") - float(paper[data][learner])
        for data in results.sets
    }


def _means_remark(results: Results) -> str:
    columns = [name for name in printed("ism_accuracy")[0] if name != "set"]
    means = {name: float(np.mean(list(_differences(results, name).values()))) for name in columns}
    shown = ", ".join(f"{name} {difference:+.2f}" for name, difference in means.items())
    far = [name for name, difference in means.items() if abs(difference) > NOTEWORTHY]
    end = f"More than one point: {', '.join(far)}." if far else "No mean differs by a full point."
    return (
        f"Difference in mean accuracy from the paper's, over the same {len(results.sets)} data sets, in "
        f"points: {shown}. {end}"
    )


def _sets_remark(results: Results) -> str:
    paper = {row["set"]: float(row["J48"]) for row in printed("ism_accuracy")}
    weka = {row["set"]: float(row["J48"]) - paper[row["set"]] for row in printed("ism_weka")}
    largest = sorted(_differences(results, "J48").items(), key=lambda item: -abs(item[1]))[:5]
    ours = ", ".join(f"{data} {difference:+.1f}" for data, difference in largest)
    theirs = ", ".join(f"{data} {weka[data]:+.1f}" for data, _ in largest)
    return (
        f"J48 differs most on these data sets: {ours}. Our C4.5 grows the same trees as Weka's J48. Weka's "
        f"own five cross-validations on the same files differ from the paper by {theirs}, and by "
        f"{np.mean([weka[data] for data in results.sets]):+.2f} on average. So the folds, and perhaps the "
        "files, are not the paper's, which gives no seeds. The other learners differ along with J48."
    )


def _reasons(results: Results) -> list[str]:
    paper = {row["algorithm"]: row for row in printed("ism_size_stability")}
    nodes = results.means("J48", "nodes")
    sizes = {
        name: (float((results.means(name, "nodes") / nodes).mean()), float(row["size"]))
        for name, row in paper.items()
    }
    stabilities = {
        name: (100 * float(results.stabilities(name).mean()), float(row["stability"]))
        for name, row in paper.items()
    }
    larger = [f"{name} {ours:.2f} instead of {theirs:.2f}" for name, (ours, theirs) in sizes.items()
              if abs(ours - theirs) > 0.25 * theirs]  # fmt: skip
    stabler = [f"{name} {ours - theirs:+.1f}" for name, (ours, theirs) in stabilities.items()
               if abs(ours - theirs) > NOTEWORTHY]  # fmt: skip
    sentences = []
    if larger:
        sentences.append(
            f"Sizes that differ by more than a quarter: {'; '.join(larger)}. The paper does not say how it "
            "treats ties and tests without gain, nor which other nodes of a tree a test decides. Before a "
            "test, we take the entropy of the mixture of both sides; the literal reading, in the last rows, "
            "gives larger and less accurate trees. The paper also leaves open how CMM draws artificial rows "
            "beyond the tests of their leaf. Trees grow until all training rows have bagging's label, so the "
            "order of the tests affects size more than accuracy."
        )
    if stabler:
        sentences.append(
            f"Stabilities that differ by more than a point: {', '.join(stabler)}. They depend on the ranges "
            "that rows are drawn from, which the paper does not give. We use the ranges of all rows of the "
            "data set, and all declared values of nominal columns. The paper's means are over all 34 data "
            "sets."
        )
    return sentences


def _ours_remark(results: Results) -> str:
    accuracy = {
        name: float(results.means(name, "accuracy").mean())
        for name in ("J48", "Bagging", "ISM_td", "DistilledTree")
    }
    gain = accuracy["Bagging"] - accuracy["J48"]
    if gain <= 0:
        return "Bagging is no better than J48 on these data sets, so there is no gain to keep."
    ours, papers = (100 * (accuracy[name] - accuracy["J48"]) / gain for name in ("DistilledTree", "ISM_td"))
    text = (
        f"DistilledTreeClassifier, which is not in the paper, keeps {ours:.0f}% of bagging's gain over J48. "
        f"ISM_td, the paper's best tree that does not see the test rows, keeps {papers:.0f}%."
    )
    worse = [
        f"{data} ({100 * results.mean(data, 'DistilledTree', 'accuracy'):.1f}% instead of "
        f"{100 * results.mean(data, 'J48', 'accuracy'):.1f}%, "
        f"{results.mean(data, 'DistilledTree', 'nodes'):.0f} nodes instead of "
        f"{results.mean(data, 'J48', 'nodes'):.0f})"
        for data in results.sets
        if results.compare(data, "J48", "DistilledTree").verdict(LEVEL) == "loss"
    ]
    if worse:
        text += f" It is significantly worse than J48 on {', '.join(worse)}."
    return text


EXPERIMENT = Experiment(
    name="ism",
    title="ISM: one tree from an ensemble",
    paper=(
        'A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a Comprehensible '
        'Model from an Ensemble", ECML 2007'
    ),
    data_sets=tuple(DataSet(name) for name in SETS),
    learners=LEARNERS,
    protocol=Protocol(n_repeats=5, n_folds=10, n_uniform=1000),
    quick_sets=("iris", "glass", "heart-c", "lymph", "zoo"),
    find=find,
)
