"""ISM for classes: one tree from the class distributions of an ensemble."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

from sightline import _core
from sightline.distill._ism import ISMTree
from sightline.distill._teacher import Teacher
from sightline.estimator import SightlineClassifier
from sightline.sklearn_internals import Interval, StrOptions


class ISMClassifier(ISMTree, SightlineClassifier):
    """Compute one decision tree from the class distributions of an ensemble, without artificial rows.

    The tree uses the tests of the ensemble. The next test is the one with the largest
    information gain according to the ensemble itself: each of its trees gives the class
    distribution under the tests so far, and a node that they do not decide passes on both
    sides by its training shares.

    Parameters
    ----------
    %(ensemble)s
    preset : {"default", "paper"}, default="default"
        The values of ``gain``, ``without_gain``, ``matching`` and ``collapse`` that are None. *paper*: those
        of the paper, with all thresholds of the ensemble.
    variant : {"t", "td", "d", "hybrid"}, default="td"
        Source of the probabilities. *t*: the trees. *td*: the trees, but the probability of a
        test comes from the rows. *d*: the class distributions come from the ensemble's
        predictions for the rows, too. *hybrid*: as *d*, with the trees' distribution counting
        as ``m`` rows.
    gain : {"mixture", "literal"}, optional
        Entropy before the test: of the mixture of both sides, so that no gain is negative (default
        preset), or of the ensemble's own distribution, as in the paper's formula.
    without_gain : {"split", "stop"}, optional
        What to do if no test has a positive gain although the labels differ: take the best test
        (default preset), or leave the node unsplit, as in the paper.
    criterion : {"information_gain", "gain_ratio"}, default="information_gain"
        Measure that the best test maximizes.
    matching : {"implication", "literal"}, optional
        Whether x <= 5 decides a node that tests x <= 7 (default preset), or only nodes that test
        x <= 5 (paper). The stop *safe* requires *implication*.
    %(ism_test_probability)s
    stop : {"data", "safe"}, default="data"
        *data*: a node becomes a leaf when the ensemble gives all its rows the same label.
        *safe*: only when the ensemble gives the same label to every possible row without
        missing values. With variant *t*, and if no limit stops the growth, the tree then
        equals the ensemble on all such rows, and can be very large.
    prune : {"pessimistic"} or None, default=None
        Whether to prune the grown tree as C4.5 does, against the ensemble's labels.
    confidence : float, default=0.25
        Confidence of that pruning.
    m : float, default=20
        With variant *hybrid*: the weight of the trees' distribution, in rows.
    collapse : bool, optional
        Whether to join sibling leaves that have the same label (default preset: True; paper: False).
        It changes no label. Leaves are counted afterwards, so that ``max_leaves`` is spent on leaves
        that differ.
    %(ism_limits)s
    %(categorical_features)s
    %(n_jobs)s
    %(random_state)s

    Attributes
    ----------
    tree_ : Tree
        The tree. Its class counts are those of the training rows: by y, or by the ensemble's
        labels if y was not passed. Its probabilities are the means of the ensemble's over the
        rows.
    %(ensemble_)s
    %(ism_growth)s
    %(fitted_columns)s

    See Also
    --------
    sightline.merge : The exactly equivalent tree or graph.

    Notes
    -----
    All tests of a node are evaluated together in one pass over the nodes of the ensemble that
    are still compatible with the path, instead of one pass per test. A row whose tested value
    is missing follows the majority, so that every training row has one path. It gets the
    ensemble's label wherever the ensemble's tests can separate rows of different labels.

    References
    ----------
    .. [1] A. Van Assche and H. Blockeel, "Seeing the Forest through the Trees: Learning a
       Comprehensible Model from an Ensemble", ECML 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from sightline import ISMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(50, random_state=0).fit(X, y)
    >>> ism = ISMClassifier(forest, max_leaves=4).fit(X)
    >>> ism.tree_.n_leaves <= 4
    True
    >>> round(float((ism.predict(X) == forest.predict(X)).mean()), 2) > 0.9
    True
    """

    _stores_every_class: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "gain": [StrOptions({"mixture", "literal"})],
        "without_gain": [StrOptions({"split", "stop"})],
        "criterion": [StrOptions({"information_gain", "gain_ratio"})],
        "confidence": [Interval(Real, 0, 1, closed="neither")],
        "collapse": ["boolean"],
    }

    _presets: ClassVar[dict[str, dict[str, Any]]] = {
        "default": {
            "gain": "mixture",
            "without_gain": "split",
            "matching": "implication",
            "collapse": True,
        },
        "paper": {
            "gain": "literal",
            "without_gain": "stop",
            "matching": "literal",
            "collapse": False,
        },
    }

    def __init__(
        self,
        ensemble: Any = None,
        *,
        preset: str = "default",
        variant: str = "td",
        gain: str | None = None,
        without_gain: str | None = None,
        criterion: str = "information_gain",
        matching: str | None = None,
        test_probability: str = "pooled",
        stop: str = "data",
        prune: str | None = None,
        confidence: float = 0.25,
        m: float = 20,
        collapse: bool | None = None,
        max_leaves: int | None = None,
        max_depth: int | None = None,
        max_features: int | None = None,
        min_leaf: float = 0,
        max_thresholds: int | str | None = "auto",
        max_nodes: int = 1_000_000,
        max_seconds: float | None = None,
        categorical_features: Any = "from_dtype",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.ensemble = ensemble
        self.preset = preset
        self.variant = variant
        self.gain = gain
        self.without_gain = without_gain
        self.criterion = criterion
        self.matching = matching
        self.test_probability = test_probability
        self.stop = stop
        self.prune = prune
        self.confidence = confidence
        self.m = m
        self.collapse = collapse
        self.max_leaves = max_leaves
        self.max_depth = max_depth
        self.max_features = max_features
        self.min_leaf = min_leaf
        self.max_thresholds = max_thresholds
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def _joins(self) -> bool:
        return bool(self._setting("collapse"))

    @property
    def _matches_literally(self) -> bool:
        return bool(self._setting("matching") == "literal")

    def _measures(self) -> dict[str, Any]:
        return {
            "mixture_gain": self._setting("gain") == "mixture",
            "split_without_gain": self._setting("without_gain") == "split",
            "gain_ratio": self.criterion == "gain_ratio",
        }

    def _n_thresholds(self, teacher: Teacher) -> int:
        if self.preset == "paper" and self.max_thresholds == "auto":
            return 0
        return super()._n_thresholds(teacher)

    def _pruned(self, growth: _core.IsmGrowth) -> _core.IsmGrowth:
        return growth.pruned(_core.C45Options(confidence=self.confidence))
