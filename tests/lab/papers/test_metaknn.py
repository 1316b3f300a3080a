import numpy as np
import pytest
from lab.trials import small_set

from sightline.distill import MetaKNNClassifier
from sightline.lab._learner import Trial
from sightline.lab._protocol import FoldId, Protocol
from sightline.lab.papers import metaknn
from sightline.lab.papers._metaknn_cases import column_distances, value_notes
from sightline.learn import SubspaceKNNClassifier
from sightline.model import CaseBase, member_views
from sightline.table import Table


@pytest.fixture(scope="module")
def trial():
    return Trial(small_set(n_rows=60), Protocol(1, 3), FoldId(0, 0))


@pytest.fixture(scope="module")
def ensemble(trial):
    return SubspaceKNNClassifier(n_members=5, search="hc", random_state=0).fit(trial.X_train, trial.y_train)


@pytest.mark.parametrize("k", [1, 2, 5, 25])
def test_every_number_of_cases_is_what_it_would_be_alone(trial, ensemble, k):
    notes = metaknn.case_notes(MetaKNNClassifier(ensemble).fit(trial.X_train, trial.y_train), trial)
    alone = MetaKNNClassifier(ensemble, k_meta=k, predict_with="meta").fit(trial.X_train, trial.y_train)
    truth, ensemble_labels = np.asarray(trial.y_test), ensemble.predict(trial.X_test)
    answers = alone.predict(trial.X_test)
    assert notes["errors"][k - 1] == pytest.approx((answers != truth).mean(), abs=1e-6)
    assert notes["fidelities"][k - 1] == pytest.approx((answers == ensemble_labels).mean(), abs=1e-6)
    assert len(notes["errors"]) == len(notes["fidelities"]) == 25


def test_members_are_judged_on_held_out_rows(trial, ensemble):
    notes = metaknn.member_notes(ensemble, trial)
    shares = ensemble.ensemble_.member_shares(trial.X_test)
    wrong = shares.argmax(axis=2) != trial.y_test.codes[:, None]
    # Votes of two classes rarely tie: only if both have the same share.
    ties = (shares[:, :, 0] == shares[:, :, 1]).mean()
    assert notes["member_error"] == pytest.approx(wrong.mean(), abs=ties + 1e-9)
    assert notes["mask"] == ensemble.ensemble_.masks.sum() / 5


def test_a_case_that_was_seen_is_described_by_its_own_label(trial, ensemble):
    seen = metaknn.seen_cases(ensemble)
    own = member_views(ensemble.ensemble_, ensemble.ensemble_.cases).sides
    labels = ensemble.ensemble_.labels.codes
    # Except for cases that are equal on a member's features.
    assert (own == labels[:, None]).mean() > 0.9
    assert seen.origin == "seen"
    honest = MetaKNNClassifier(ensemble).fit(trial.X_train, trial.y_train).cases_
    assert not np.array_equal(seen.views, honest.views)


def test_one_classifier_on_all_features(ensemble):
    plain = metaknn.plain_neighbours(ensemble)
    assert plain.masks.all()
    assert plain.n_members == 1
    assert plain.k == 5


def test_marks_need_the_whole_interval():
    claim = metaknn.Claim("more than 3 points", lambda *_: np.zeros(2), bound=3.0)
    expected = {"above": "✓?✗", "below": "✗?✓", "not above": "✗✓✓"}
    for side, marks in expected.items():
        assert "".join(claim.mark(side, mean, 1.0) for mean in (4.5, 3.5, 1.5)) == marks
    assert metaknn.half_interval(np.array([1.0]), 0.25) == np.inf
    # By hand: standard deviation 1, two folds, t = 6.314 with one degree of freedom.
    folds = np.array([0.0, np.sqrt(2.0)])
    assert metaknn.half_interval(folds, 0.25) == pytest.approx(6.3138 * np.sqrt(0.5 + 0.25), abs=1e-3)


def test_the_value_of_a_case_is_what_fidelity_loses_without_it(trial, ensemble):
    model = MetaKNNClassifier(ensemble, k_meta=3, predict_with="meta").fit(trial.X_train, trial.y_train)
    base, notes = model.cases_, value_notes(model.cases_, trial)
    ensemble_labels = ensemble.predict(trial.X_test)
    whole, effects = (base.predict(trial.X_test) == ensemble_labels).mean(), []
    for case in range(base.cases.n_rows):
        kept = np.delete(np.arange(base.cases.n_rows), case)
        left = (base.cases[kept], base.labels[kept], base.ensemble, base.views[kept])
        fewer = CaseBase(*left, k_meta=3, predict_with="meta")
        effects.append((fewer.predict(trial.X_test) == ensemble_labels).mean() - whole)
    assert notes["helps"] == pytest.approx((np.array(effects) < -1e-9).mean())
    assert notes["hurts"] == pytest.approx((np.array(effects) > 1e-9).mean())
    assert notes["largest_effect"] == pytest.approx(np.abs(effects).max())


def test_distances_are_shares_of_the_range_and_missing_values_are_far():
    cases = Table.from_any([[0.0, "a"], [10.0, "b"], [np.nan, "a"]], feature_names=["size", "kind"])
    found = column_distances(cases, Table.from_any([[2.5, "a"]], feature_names=["size", "kind"]))
    np.testing.assert_allclose(found[0], [[0.25, 0], [0.75, 1], [1, 0]])
