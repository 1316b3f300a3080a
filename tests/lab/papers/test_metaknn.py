import numpy as np
import pytest
from trials import small_set

from sightline.distill import MetaKNNClassifier
from sightline.lab._learner import Trial
from sightline.lab._protocol import FoldId, Protocol
from sightline.lab.papers import metaknn
from sightline.learn import SubspaceKNNClassifier
from sightline.model import member_views


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


def test_sentences_are_marked_by_the_numbers():
    claim = metaknn.Claim(
        "more than 3 points", lambda _, data: float(len(data)), lambda number, _: number > 3
    )
    assert [claim.cell(None, data) for data in ("four", "two")] == ["+4.0 ✓", "+3.0 ✗"]
    assert metaknn.Claim("a share", lambda *_: 1.0).cell(None, "any") == "1.0"
