"""``preset="paper"`` is one word for the settings of a paper."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from sightline.distill import SHARES

PAPERS = {
    sl.ISMClassifier: {"gain": "literal", "without_gain": "stop", "matching": "literal", "collapse": False},
    sl.CMMClassifier: {"rows_per_leaf": "floor"},
    sl.RuleSetClassifier: {
        "conditions": "raw",
        "pc": "train",
        "wr": "train",
        "ties": "smallest",
        "multiplicity": 0.0,
    },
    sl.StumpEnsembleClassifier: {
        "order": "natural",
        "min_leaf": 1,
        "passes": 1,
        "ties": "discard",
        "screen": False,
    },
    sl.MetaKNNClassifier: {"predict_with": "meta", "meta_weights": "uniform"},
}


def fitted(estimator):
    X, y = load_iris(return_X_y=True)
    if "ensemble" in estimator.get_params():
        bagged = isinstance(estimator, sl.ISMClassifier | sl.CMMClassifier | sl.RuleSetClassifier)
        teacher = sl.BaggedTreesClassifier(n_trees=5) if bagged else sl.SubspaceKNNClassifier(n_members=3)
        estimator.set_params(ensemble=teacher)
    return estimator.set_params(random_state=0).fit(X[::2], y[::2]).to_json()


@pytest.mark.parametrize("estimator", PAPERS, ids=lambda cls: cls.__name__)
def test_the_paper_s_preset_is_short_for_its_settings(estimator):
    words = PAPERS[estimator]
    assert fitted(estimator(preset="paper")) == fitted(estimator(**words))
    # What is set by hand wins over the preset, and nothing changes the parameters themselves.
    default = {name: estimator._presets["default"][name] for name in words}
    assert fitted(estimator(preset="paper", **default)) == fitted(estimator())
    assert clone(estimator(preset="paper")).get_params()["preset"] == "paper"


@pytest.mark.parametrize("estimator", PAPERS, ids=lambda cls: cls.__name__)
def test_an_unknown_preset_is_refused(estimator):
    sentence = f"The 'preset' parameter of {estimator.__name__} must be a str among"
    with pytest.raises(sl.ParameterError, match=sentence):
        estimator(preset="best").fit([[0.0], [1.0]], [0, 1])


def test_the_preset_of_set_gen_is_short_for_its_settings():
    X, y = load_iris(return_X_y=True)
    by_hand = sl.SetGenClassifier(
        evaluations=40,
        base=sl.C45Classifier(mdl_correction=False, limits="quinlan"),
        size_ratio="of_means",
        search=sl.GeneticSearch(
            population=100,
            genome_size=4,
            mutation_rate=0.1,
            selection="proportional",
            reject_duplicates=False,
            seeding="random",
            polish_after="never",
            restart_after="never",
            batch_size=1,
            screening=1,
            count="requests",
            patience="never",
        ),
    )
    preset = sl.SetGenClassifier(preset="paper", evaluations=40)
    reports = [one.set_params(random_state=0, folds=4).fit(X, y).report() for one in (by_hand, preset)]
    assert reports[0] == reports[1]


def test_the_paper_s_rules_keep_every_test_and_take_the_smallest_share_of_equals():
    # The tree asks for column 0 twice on two of its paths. No vote is wrong, whatever its settings.
    X, y = np.arange(8.0)[:, None], [0, 0, 0, 0, 1, 1, 0, 0]
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    paper, default = (sl.RuleSetClassifier(tree, preset=preset).fit(X, y) for preset in ("paper", "default"))
    assert [len(rule.conditions) for rule in paper.rules_.rules] == [1, 2, 2]
    assert [len(rule.conditions) for rule in default.rules_.rules] == [1, 1, 1]
    assert (paper.pc_, default.pc_) == (min(SHARES), 1.0)


def test_the_paper_s_stumps_separate_single_rows_and_keep_the_first_of_equals():
    X, y = np.array([[1, 1], [0, 0], [0, 0], [0, 0], [0, 0]]), np.array([1, 0, 0, 0, 0])
    sizes = {"max_depth": 1, "min_size": 1, "max_size": 1}
    paper = sl.StumpEnsembleClassifier(preset="paper", **sizes).fit(X, y)
    assert paper.predict(X).tolist() == y.tolist()
    assert "x0 <= 0.5" in paper.stumps_[0].to_text()
    # Two rows are the default's least.
    assert sl.StumpEnsembleClassifier(**sizes).fit(X, y).predict(X).tolist() == [0] * 5


def test_the_paper_s_meta_k_nn_lets_the_nearest_cases_vote_alike():
    # Of the three cases nearest to 0.1, the nearest is an a, the other two are b.
    X, y = [[0.0], [3.0], [4.0], [20.0], [30.0]], list("abbcc")
    knn = sl.SubspaceKNNClassifier(n_members=1, k=1)
    paper, default = (
        sl.MetaKNNClassifier(knn, k_meta=3, preset=preset).fit(X, y) for preset in ("paper", "default")
    )
    assert paper.predict([[0.1]]) == ["b"]
    assert default.predict([[0.1]]) == ["a"]
