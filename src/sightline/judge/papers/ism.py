"""Van Assche and Blockeel's ISM: one tree from an ensemble, beside C4.5, bagging and CMM."""

from __future__ import annotations

from sightline.distill import CMMClassifier, DistilledTreeClassifier, ISMClassifier
from sightline.judge._learner import Learner
from sightline.judge._protocol import Protocol
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
PROTOCOL = Protocol(n_repeats=5, n_folds=10, n_uniform=1000)
