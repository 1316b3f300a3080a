"""Where our numbers differ from those of the ISM paper, and why."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sightline.lab._results import Results
from sightline.lab.papers._ism_learners import (
    BAGGING,
    BOOSTING,
    FOREST,
    LITERAL_MATCHING,
    PRUNED,
    QUOTAS,
    SMALL,
    counterpart,
)
from sightline.lab.papers._ism_tables import (
    LEVEL,
    READINGS,
    Agreement,
    accuracy,
    gain_over,
    kept,
    printed_size,
    printed_stability,
    size,
    stability,
    t_tests,
)
from sightline.lab.papers._numbers import printed

NOTEWORTHY = 1.0
"""A difference from the paper's mean of more points than this needs a reason."""

PART = 0.25
"""A difference in size of more than this part of the paper's needs a reason."""


def remarks(results: Results) -> list[str]:
    """Return where our numbers differ from the paper's, and why."""
    sentences = [
        _means_remark(results),
        _sets_remark(results),
        _noise_remark(results),
        _size_remark(results),
        _stability_remark(results),
        _gain_remark(results),
        _quota_remark(results),
        _test_remark(results),
        _pruning_remark(results),
        _ensembles_remark(results),
        _ours_remark(results),
    ]
    return [sentence for sentence in sentences if sentence]


def _differences(results: Results, learner: str) -> dict[str, float]:
    """Return the difference in accuracy per data set, in points."""
    paper = {row["set"]: row for row in printed("ism_accuracy")}
    return {
        data: 100 * results.mean(data, learner, "accuracy") - float(paper[data][learner])
        for data in results.sets
    }


def _printed_learners() -> list[str]:
    return [name for name in printed("ism_accuracy")[0] if name != "set"]


def _means_remark(results: Results) -> str:
    means = {name: float(np.mean(list(_differences(results, name).values()))) for name in _printed_learners()}
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
        f"{np.mean([weka[data] for data in results.sets]):+.2f} on average. So our folds, and perhaps the "
        "files, are not the paper's; it gives no seeds. The other learners differ along with J48."
    )


def _noise_remark(results: Results) -> str:
    """Say which differences on single data sets other folds can explain."""
    n_repeats = results.plan.protocol.n_repeats
    if n_repeats < 2:
        return ""
    large, unexplained = 0, []
    for learner in _printed_learners():
        for data, difference in _differences(results, learner).items():
            spread = 100 * float(results.repeat_means(data, learner, "accuracy").std(ddof=1))
            # Both means, ours and the paper's, vary with their folds.
            error = spread * math.sqrt(1 / n_repeats + 1 / 5)
            large += abs(difference) > NOTEWORTHY
            if abs(difference) > max(NOTEWORTHY, 3 * error):
                unexplained.append(f"{learner} on {data} {difference:+.1f}")
    total = len(_printed_learners()) * len(results.sets)
    return (
        f"{large} of the {total} accuracies in Table 2 differ from the paper's by more than a point. "
        f"{len(unexplained)} of them differ by more than three standard errors of the effect of other folds, "
        f"estimated from our cross-validations{_colon(unexplained)}. These are unexplained."
    )


def _colon(names: list[str]) -> str:
    return f": {', '.join(names)}" if names else ""


def _readings_of(learner: str) -> list[str]:
    return [name for name in READINGS if counterpart(name) == learner]


def _closest(
    learner: str, target: float, measure: Callable[[str], float], tolerance: float
) -> tuple[str, bool]:
    """Return what the readings of a learner give, and whether one of them is near the paper's number."""
    found = {name: measure(name) for name in _readings_of(learner)}
    if not found:
        return "no other reading was run", False
    best = min(found, key=lambda name: abs(found[name] - target))
    return f"{found[best]:.2f} as {best!r}", abs(found[best] - target) <= tolerance


def _size_remark(results: Results) -> str:
    listed, is_open = [], []
    for learner in ("ISM_t", "ISM_td", "CMM(up)", "CMM(p)", "ISM_tu", "ISM_tdu"):
        theirs = printed_size(learner)
        assert theirs is not None
        ours = size(results, learner)
        if abs(ours - theirs) <= PART * theirs:
            continue
        shown, is_near = _closest(learner, theirs, lambda name: size(results, name), PART * theirs)
        listed.append(f"{learner} {ours:.2f} instead of {theirs:.2f} ({shown})")
        is_open += [] if is_near else [learner]
    if not listed:
        return "No mean size differs from the paper's by more than a quarter."
    end = (
        f"The remaining difference for {', '.join(is_open)} is unexplained."
        if is_open
        else "No such difference remains."
    )
    alone = ", ".join(f"{name} {size(results, f'{name} even'):.2f}" for name in ("ISM_t", "ISM_td", "ISM_tu"))
    return (
        "Sizes that differ by more than a quarter, with the nearest of the other readings below: "
        f"{'; '.join(listed)}. {end} Even bags alone give {alone}. In section 2.3, the paper stops when no "
        'test has a positive gain, and lets a test decide only nodes with the same test. preset="paper" '
        "does both."
    )


def _stability_remark(results: Results) -> str:
    listed, is_open = [], []
    for learner in ("J48", BAGGING, "ISM_t", "ISM_td", "CMM(up)", "CMM(p)", "ISM_tu", "ISM_tdu"):
        theirs = printed_stability(learner)
        assert theirs is not None
        ours = stability(results, learner)
        if abs(ours - theirs) <= NOTEWORTHY:
            continue
        shown, is_near = _closest(learner, theirs, lambda name: stability(results, name), NOTEWORTHY)
        listed.append(f"{learner} {ours - theirs:+.1f} ({shown})")
        is_open += [] if is_near else [learner]
    if not listed:
        return "No mean stability differs from the paper's by more than a point."
    end = (
        f"The remaining difference for {', '.join(is_open)} is unexplained."
        if is_open
        else "No such difference remains."
    )
    return (
        "Stabilities that differ by more than a point, with the nearest of the other readings: "
        f"{', '.join(listed)}. {end} Stability also depends on the ranges from which rows are drawn, which "
        "the paper does not give. We use the ranges of all rows of the data set, and all declared values of "
        "nominal columns."
    )


def _gain_remark(results: Results) -> str:
    parts = []
    for learner in ("ISM_t", "ISM_td"):
        literal = f"{learner} literal"
        parts.append(
            f"{learner} {size(results, literal):.2f} times J48's nodes instead of "
            f"{_once(results, learner):.2f}, and {gain_over(results, literal, learner):+.2f} points"
        )
    same, base = size(results, LITERAL_MATCHING), _once(results, "ISM_t")
    return (
        "Before a test, we take the entropy of the mixture of both sides. The paper's formula takes the "
        f"entropy of the ensemble's own distribution. That change alone gives: {'; '.join(parts)}. If only "
        f"the same test decides a node, ISM_t has {same:.2f} times J48's nodes instead of {base:.2f}."
    )


def _quota_remark(results: Results) -> str:
    sizes = [f"{quota} {size(results, name):.2f}" for quota, name in QUOTAS.items()]
    return (
        "The paper does not say how CMM rounds its (r/s)(N/m) rows per leaf. The sizes of CMM(p) are: "
        f"{', '.join(sizes)}; with even bags and rounded down {size(results, 'CMM(p) even'):.2f}; the paper "
        f"prints {printed_size('CMM(p)'):.2f}."
    )


def _test_remark(results: Results) -> str:
    fits = {
        (name, bags): Agreement(results, test, bags == "even")
        for name, test in t_tests(results).items()
        for bags in ("bootstrap", "even")
    }
    name, bags = min(fits, key=lambda key: fits[key].difference)
    best, usual = fits[name, bags], fits["corrected, all folds", "bootstrap"]
    paper = usual.cells[BAGGING, "ISM_t"][1][1]
    losses = [
        f"{fit.cells[BAGGING, 'ISM_t'][0][1]} ({test}, {kind} bags)" for (test, kind), fit in fits.items()
    ]
    return (
        f"The paper does not name the t-test for its Table 1. Its counts are nearest to this t-test: {name}, "
        f"with {bags} bags. {best.difference:.2f} wins and losses differ per pair of learners, and "
        f"{usual.difference:.2f} with the corrected test that we use. Bagging beats ISM_t significantly on "
        f"{paper} sets in the paper, here on {', '.join(losses)}."
    )


def _pruning_remark(results: Results) -> str:
    parts = [
        f"{name} from {_once(results, name):.2f} to {size(results, pruned):.2f} times J48's nodes, at "
        f"{gain_over(results, pruned, name):+.2f} points ({gain_over(results, pruned, 'J48'):+.2f} above J48)"
        for name, pruned in PRUNED.items()
    ]
    return f"Pessimistic pruning, which the paper left for future work, takes {'; '.join(parts)}."


def _once(results: Results, learner: str) -> float:
    """Return the size in the first cross-validation, that of the variations."""
    n_folds = results.plan.protocol.n_folds
    ratios = [
        results.fold_numbers(data, learner, "nodes")[:n_folds].mean()
        / results.fold_numbers(data, "J48", "nodes")[:n_folds].mean()
        for data in results.sets
    ]
    return float(np.mean(ratios))


def _ensembles_remark(results: Results) -> str:
    parts = []
    for teacher, name in (
        (BAGGING, "ISM_td"),
        (FOREST, "ISM_td of forest"),
        (BOOSTING, "ISM_td of boosting"),
    ):
        comma = "" if teacher == BAGGING else ","
        limited = [f"{name}{comma} {n} leaves" for n in SMALL]
        shown = ", ".join(
            f"{100 * float(results.fidelities(one, teacher).mean()):.1f}%" for one in (*limited, name)
        )
        parts.append(f"{teacher} {shown}")
    limits = " and ".join(str(n) for n in SMALL)
    return (
        f"Fidelity of ISM_td with at most {limits} leaves, and without a limit, to each ensemble: "
        f"{'; '.join(parts)}."
    )


def _ours_remark(results: Results) -> str:
    ours, papers = kept(results, "DistilledTree"), kept(results, "ISM_td")
    if math.isnan(ours) or math.isnan(papers):
        return "Bagging is no better than J48 on these data sets, so there is no gain to keep."
    text = (
        f"DistilledTreeClassifier, which is not in the paper, keeps {100 * ours:.0f}% of bagging's gain over "
        f"J48 in the first cross-validation, with an accuracy of {accuracy(results, 'DistilledTree'):.2f}%. "
        f"ISM_td, the paper's best tree that does not see the test rows, keeps {100 * papers:.0f}% in all."
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
