"""The learners of the ISM paper, other readings of it, and what it left for later."""

from __future__ import annotations

from typing import Any

from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from sightline.distill import CMMClassifier, DistilledTreeClassifier, ISMClassifier
from sightline.lab._encoding import OriginalRows
from sightline.lab._learner import Learner
from sightline.learn import BaggedTreesClassifier, BoostedTreesClassifier, C45Classifier

N_TREES = 25
SMALL = (8, 32)
"""Maximum numbers of leaves of the trees with a size limit."""

BAGGING, EVEN, FOREST, BOOSTING = "Bagging", "Bagging even", "Forest", "Boosting"
PAPERS = ("J48", BAGGING, "ISM_t", "ISM_td", "ISM_d", "CMM(up)", "CMM(p)", "ISM_tu", "ISM_tdu", "ISM_du")
LITERAL_MATCHING = "ISM_t same tests"
PRUNED = {"ISM_t": "ISM_t pruned", "ISM_td": "ISM_td pruned"}
QUOTAS = {"drawn": "CMM(p)", "floor": "CMM(p) floor", "nearest": "CMM(p) nearest"}


def _of(teacher: str, name: str, estimator: Any, *, sees_test: bool = False, once: bool = True) -> Learner:
    """Return a summary of an ensemble; ``once`` for the first cross-validation only."""
    return Learner(
        name, estimator, teacher=teacher, is_transductive=sees_test, max_repeats=1 if once else None
    )


def _forest() -> OriginalRows:
    """Return a random forest behind the usual encoding of categories."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    encode = make_column_transformer(
        (encoder, make_column_selector(dtype_exclude="number")), remainder="passthrough"
    )
    return OriginalRows(make_pipeline(encode, RandomForestClassifier(N_TREES)))


THE_PAPER_S = (
    Learner("J48", C45Classifier(binary_splits=True)),
    Learner(BAGGING, BaggedTreesClassifier(n_trees=N_TREES)),
    *(_of(BAGGING, f"ISM_{one}", ISMClassifier(variant=one), once=False) for one in ("t", "td", "d")),
    _of(BAGGING, "CMM(up)", CMMClassifier(prune=False), once=False),
    _of(BAGGING, "CMM(p)", CMMClassifier(), once=False),
    *(
        _of(BAGGING, f"ISM_{one}u", ISMClassifier(variant=one), sees_test=True, once=False)
        for one in ("t", "td", "d")
    ),
)

WITH_EVEN_BAGS = (
    Learner(EVEN, BaggedTreesClassifier(n_trees=N_TREES, bags="even")),
    *(_of(EVEN, f"ISM_{one} even", ISMClassifier(variant=one), once=False) for one in ("t", "td", "d")),
    _of(EVEN, "CMM(up) even", CMMClassifier(prune=False, preset="paper"), once=False),
    _of(EVEN, "CMM(p) even", CMMClassifier(preset="paper"), once=False),
    *(
        _of(EVEN, f"ISM_{one}u even", ISMClassifier(variant=one), sees_test=True, once=False)
        for one in ("t", "td")
    ),
)

OTHER_READINGS = (
    *(_of(BAGGING, f"ISM_{one} literal", ISMClassifier(variant=one, gain="literal")) for one in ("t", "td")),
    *(
        _of(bags, f"{LITERAL_MATCHING}{mark}", ISMClassifier(variant="t", matching="literal"))
        for bags, mark in ((BAGGING, ""), (EVEN, " even"))
    ),
    _of(EVEN, "ISM_tu same tests even", ISMClassifier(variant="t", matching="literal"), sees_test=True),
    *(
        _of(bags, f"ISM_{one} paper{mark}", ISMClassifier(variant=one, preset="paper"))
        for bags, mark in ((BAGGING, ""), (EVEN, " even"))
        for one in ("t", "td", "d")
    ),
    _of(BAGGING, "CMM(up) floor", CMMClassifier(prune=False, rows_per_leaf="floor")),
    _of(BAGGING, QUOTAS["floor"], CMMClassifier(rows_per_leaf="floor")),
    _of(BAGGING, QUOTAS["nearest"], CMMClassifier(rows_per_leaf="nearest")),
)

LEFT_FOR_LATER = (
    *(
        _of(BAGGING, PRUNED[f"ISM_{one}"], ISMClassifier(variant=one, prune="pessimistic"))
        for one in ("t", "td")
    ),
    *(_of(BAGGING, f"ISM_td {n} leaves", ISMClassifier(max_leaves=n)) for n in SMALL),
    Learner(FOREST, _forest(), max_repeats=1),
    _of(FOREST, "ISM_td of forest", ISMClassifier()),
    *(_of(FOREST, f"ISM_td of forest, {n} leaves", ISMClassifier(max_leaves=n)) for n in SMALL),
    Learner(BOOSTING, BoostedTreesClassifier(n_trees=N_TREES), max_repeats=1),
    _of(BOOSTING, "ISM_td of boosting", ISMClassifier()),
    *(_of(BOOSTING, f"ISM_td of boosting, {n} leaves", ISMClassifier(max_leaves=n)) for n in SMALL),
)

NOT_IN_THE_PAPER = (
    _of(BAGGING, "ISM_hybrid", ISMClassifier(variant="hybrid")),
    _of(BAGGING, "ISM_hybrid pruned", ISMClassifier(variant="hybrid", prune="pessimistic")),
    _of(BAGGING, "DistilledTree", DistilledTreeClassifier()),
)

LEARNERS = (*THE_PAPER_S, *WITH_EVEN_BAGS, *OTHER_READINGS, *LEFT_FOR_LATER, *NOT_IN_THE_PAPER)


def counterpart(learner: str) -> str:
    """Return the paper's name of the learner that another reading is about.

    Examples
    --------
    >>> counterpart("ISM_t paper even")
    'ISM_t'
    """
    return learner.partition(" ")[0]
