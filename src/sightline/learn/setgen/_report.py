"""The results of a search in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.wording import pluralize

if TYPE_CHECKING:
    from sightline.learn.setgen._classifier import SetGenClassifier
    from sightline.learn.setgen._front import FrontPoint

ENDINGS = {
    "evaluations": "the budget was used up",
    "patience": "it had stopped improving",
    "exhausted": "nothing was left to try",
    "seconds": "the time was up, so it is incomplete",
    "interrupted": "it was interrupted, so it is incomplete",
}


def exchange_in_words(accuracy_weight: float, size_weight: float, n_features: int, n_rows: float) -> str:
    """Return how much accuracy one more feature and one more node must add to keep the fitness.

    Examples
    --------
    >>> exchange_in_words(0.75, 0.5, n_features=13, n_rows=273)
    'One more feature must add 1.3 points of accuracy. One more node must add 0.061 points.'
    """
    if accuracy_weight == 0:
        return "Accuracy has no weight: the smallest tree wins."
    price = 100 * (1 - accuracy_weight) / accuracy_weight
    return (
        f"One more feature must add {price * (1 - size_weight) / n_features:.2g} points of accuracy. "
        f"One more node must add {price * size_weight / n_rows:.2g} points."
    )


def optimism_in_words(accuracy: float, n_sets: int) -> str:
    """Return the warning that the inner accuracy of the best of many sets is optimistic.

    Examples
    --------
    >>> optimism_in_words(0.861, 1000)
    'The inner accuracy of 86.1% is optimistic: it is the best of 1,000 sets on the same folds.'
    """
    return (
        f"The inner accuracy of {accuracy:.1%} is optimistic: it is the best of {n_sets:,} "
        "sets on the same folds."
    )


def effort_in_words(n_sets: int, n_requests: int, stopped: str) -> str:
    """Return how many sets were evaluated and why the search ended.

    Examples
    --------
    >>> effort_in_words(410, 5000, "evaluations")
    'The search tried 410 feature sets (5,000 requests). It ended because the budget was used up.'
    """
    sets = pluralize(n_sets, "feature set")
    requests = f" ({n_requests:,} requests)" if n_requests != n_sets else ""
    return f"The search tried {sets}{requests}. It ended because {ENDINGS[stopped]}."


def features_in_words(point: FrontPoint) -> str:
    """Return the features of a set, and those its tree tests if these are fewer."""
    tested = [point.tree.feature_names[feature] for feature in sorted(point.tree.core.used_features)]
    untested = f"; tested: {', '.join(tested) or 'none'}" if len(tested) < len(point.features) else ""
    return f"Features: {', '.join(point.features) or 'none'}{untested}."


def report(estimator: SetGenClassifier) -> str:
    """Return the report of a fitted search as text."""
    front, chosen, plain = estimator.front_, estimator.chosen_, estimator.front_.plain
    rows = []
    for name, point in (("all features", plain), ("chosen", chosen)):
        size = point.tree.size_
        rows.append(
            f"{name:13}{point.accuracy:>14.1%}{point.fitness:>9.4f}{size['nodes']:>7}{size['leaves']:>8}"
            f"{len(point.features):>10}{size['features']:>8}"
        )
    survival = sorted(estimator.survival_.items(), key=lambda item: -item[1])
    shown = ", ".join(f"{name} {share:.0%}" for name, share in survival[:10] if share > 0)
    parts = [
        f"{'':13}{'inner accuracy':>14}{'fitness':>9}{'nodes':>7}{'leaves':>8}{'features':>10}{'tested':>8}",
        *rows,
        "",
        features_in_words(chosen),
        f"Pruning confidence {estimator.confidence_:g}, {estimator.n_folds_} folds.",
        effort_in_words(estimator.n_evaluations_, estimator.n_requests_, estimator.stopped_),
        estimator.exchange_rate_,
        optimism_in_words(chosen.accuracy, estimator.n_evaluations_),
        "",
        f"Share of the {estimator.n_survivors_} fittest sets that contain a feature: {shown or 'none'}.",
        "",
        f"The {len(front)} best trade-offs:" if len(front) > 1 else "The best trade-off:",
        front.to_text(chosen),
    ]
    return "\n".join(parts)
