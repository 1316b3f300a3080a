import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import pytest
from dask_cluster import joblib_on_dask
from lab import trials
from lab.trials import LEARNERS, Slow, small_plan, small_set
from threadpoolctl import threadpool_info, threadpool_limits

from sightline import C45Classifier, ISMClassifier
from sightline.exceptions import DataError, ParameterError, SightlineError
from sightline.lab._learner import Learner
from sightline.lab._protocol import Protocol
from sightline.lab._results import Results
from sightline.lab._runner import Plan, run
from sightline.lab._store import ResultStore

TIMES = ("fit_seconds", "predict_seconds")


def contents(plan, store):
    """Everything stored for a plan, except times."""
    keys = [cell.key for cell in plan.cells]
    return {
        cell: (
            {name: value for name, value in record.numbers.items() if name not in TIMES},
            record.answers.tolist(),
            record.uniform_answers.tolist(),
        )
        for cell, record in store.read(keys)
    }


def run_in_memory(plan, **options):
    with ResultStore() as store:
        run(plan, store, **options)
        return contents(plan, store)


def results_of(plan, store):
    run(plan, store)
    return Results(plan, store)


def test_every_cell_is_run_once():
    plan = small_plan(2)
    found = run_in_memory(plan)
    assert len(found) == len(plan.cells) == 2 * 2 * 3 * 3
    assert {cell.learner for cell in found} == {"tree", "bagging", "ism"}
    assert all(len(answers) in (13, 14) and len(uniform) == 20 for _, answers, uniform in found.values())


def test_numbers_equal_a_run_by_hand():
    plan = small_plan()
    data, fold_id = plan.data_sets[0], next(plan.protocol.fold_ids())
    train, test = plan.protocol.split(data, fold_id)
    tree = C45Classifier(binary_splits=True).fit(data.X[train], data.y[train])
    with ResultStore() as store:
        run(plan, store)
        results = Results(plan, store)
    assert results.fold_numbers("one", "tree", "accuracy")[0] == tree.score(data.X[test], data.y[test])
    assert results.fold_numbers("one", "tree", "nodes")[0] == tree.size_["nodes"]
    assert results.mean("one", "ism", "training_fidelity") > 0.9
    assert 0 <= results.stability("one", "tree") <= 1
    assert results.fidelity("one", "bagging", "bagging") == 1.0


def test_learners_share_folds_and_repeats_do_not():
    data, protocol = small_set(), Protocol(2, 4)
    tests = [protocol.split(data, fold_id)[1].tolist() for fold_id in protocol.fold_ids()]
    assert tests == [protocol.split(data, fold_id)[1].tolist() for fold_id in protocol.fold_ids()]
    for repeat in (tests[:4], tests[4:]):
        assert sorted(row for fold in repeat for row in fold) == list(range(40))
    assert tests[0] != tests[4]


def test_a_learner_can_run_in_the_first_repeats_only():
    learners = (*LEARNERS[:2], replace(LEARNERS[2], max_repeats=1))
    with ResultStore() as store:
        results, full = (results_of(plan, store) for plan in (small_plan(2, learners), small_plan(2)))
    assert results.sets == ["one", "two"]
    every = full.fold_numbers("one", "ism", "accuracy")
    np.testing.assert_array_equal(results.fold_numbers("one", "ism", "accuracy"), every[:3])
    # Others are compared with it in the folds that both ran in.
    first, second = results.shared_numbers("one", "tree", "ism", "accuracy")
    np.testing.assert_array_equal(first, full.fold_numbers("one", "tree", "accuracy")[:3])
    np.testing.assert_array_equal(second, every[:3])
    assert len(results.fold_fidelities("one", "ism", "bagging")) == 3
    assert results.compare("one", "tree", "ism").n_pairs == 3
    assert results.on(["two"]).sets == ["two"]


def test_results_do_not_depend_on_the_backend():
    plan = small_plan()
    alone = run_in_memory(plan, n_jobs=1)
    assert run_in_memory(plan, n_jobs=2) == alone
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert run_in_memory(plan) == alone


def n_threads(model, trial):
    return {"threads": max(pool["num_threads"] for pool in threadpool_info())}


def test_a_learner_has_one_thread():
    """Trials run in parallel; more threads per learner would spin and count as CPU time."""
    plan = small_plan(1, (Learner("tree", LEARNERS[0].estimator, notes=n_threads),))
    with threadpool_limits(2):
        found = run_in_memory(plan, n_jobs=1)
    assert {numbers["threads"] for numbers, _, _ in found.values()} == {1}


def test_dask_gives_the_same():
    # Names of more than a kilobyte: joblib treats large arguments in another way there.
    learners = tuple(replace(learner, name=learner.name + 600 * "!") for learner in LEARNERS[:2])
    with joblib_on_dask():
        found = run_in_memory(small_plan(2, learners))
    assert found == run_in_memory(small_plan(2, learners))
    assert found


def test_a_second_run_runs_nothing(tmp_path):
    plan = small_plan(1, (Learner("slow", Slow(str(tmp_path))),))
    with ResultStore() as store:
        run(plan, store)
        run(plan, store)
    assert len(list(tmp_path.iterdir())) == 6


def test_only_missing_cells_are_run(tmp_path):
    slow = Learner("slow", Slow(str(tmp_path)))
    with ResultStore() as store:
        run(small_plan(1, (slow,)), store)
        run(small_plan(2, (slow,)), store)
        assert len(list(tmp_path.iterdir())) == 12
        run(small_plan(1, (slow, *LEARNERS)), store)
    assert len(list(tmp_path.iterdir())) == 12


def test_a_summary_can_be_added_after_its_ensemble():
    plan = small_plan()
    with ResultStore() as store:
        run(small_plan(1, LEARNERS[:2]), store)
        run(plan, store)
        assert contents(plan, store) == run_in_memory(plan)


@pytest.mark.parametrize(
    "other",
    [
        small_plan(1, (Learner("tree", C45Classifier()),)),
        small_plan(1, (Learner("tree", C45Classifier(binary_splits=True)),), seed=2),
        Plan([small_set("one", 5)], LEARNERS[:1], Protocol(1, 3, n_uniform=20)),
        Plan([small_set("one", 0)], LEARNERS[:1], Protocol(1, 4, n_uniform=20)),
        Plan([small_set("one", 0)], LEARNERS[:1], Protocol(1, 3)),
    ],
    ids=["parameters", "seed", "data", "folds", "uniform rows"],
)
def test_results_of_other_settings_are_never_found(other):
    with ResultStore() as store:
        run(small_plan(1, LEARNERS[:1]), store)
        assert store.known([cell.key for cell in other.cells]) == set()


def test_another_ensemble_is_another_result():
    teachers = [LEARNERS[1], replace(LEARNERS[1], estimator=LEARNERS[1].estimator.__class__(n_trees=7))]
    keys = [
        {cell.learner: cell.key for cell in small_plan(1, (teacher, LEARNERS[2])).cells}
        for teacher in teachers
    ]
    assert keys[0]["ism"] != keys[1]["ism"]


def test_results_of_other_code_are_not_found(monkeypatch):
    keys = {cell.key for cell in small_plan().cells}
    monkeypatch.setattr("sightline.lab._runner.code_fingerprint", lambda: "another version")
    assert not keys & {cell.key for cell in small_plan().cells}


def test_a_learner_without_a_hash_is_never_found_again():
    class Odd(C45Classifier):
        def __reduce__(self):
            raise TypeError("not to be pickled")

    first, second = (Learner("odd", Odd()).own_fingerprint() for _ in range(2))
    assert first != second


def test_a_failure_is_reported_and_the_rest_kept(tmp_path):
    learners = (LEARNERS[0], Learner("broken", Slow(fails=True)))
    plan = Plan([small_set("one")], learners, Protocol(1, 3))
    with ResultStore(tmp_path / "results.sqlite") as store:
        with pytest.raises(SightlineError) as error:
            run(plan, store)
        assert str(error.value) == "broken failed on one (repeat 1, fold 1): RuntimeError: no idea"
        assert {cell.learner for cell in contents(plan, store)} == {"tree"}


@pytest.mark.thorough
def test_a_killed_run_resumes_and_ends_the_same(tmp_path):
    """A kill at any moment loses only cells in flight, and the final results are the same."""
    path, fits = tmp_path / "results.sqlite", tmp_path / "fits"
    fits.mkdir()
    plan = small_plan(3, (*LEARNERS, Learner("slow", Slow(str(fits), 0.1))))
    keys = [cell.key for cell in plan.cells]
    command = [sys.executable, str(Path(trials.__file__)), str(path), str(fits)]
    for _ in range(2):
        process = subprocess.Popen(command, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        n_before = len(list(fits.iterdir()))
        while len(list(fits.iterdir())) < n_before + 3 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.wait()
    n_fits = len(list(fits.iterdir()))
    with ResultStore(path) as store:
        kept = contents(plan, store)
        # Finished trials are stored; each kill may lose the one in flight.
        assert n_fits - 2 <= sum(cell.learner == "slow" for cell in kept) <= n_fits
        assert 0 < len(kept) < len(keys)
        run(plan, store)
        ended = contents(plan, store)
    assert {cell: ended[cell] for cell in kept} == kept
    assert ended == run_in_memory(plan)


@pytest.mark.parametrize(
    ("learners", "text"),
    [
        ((LEARNERS[0], LEARNERS[0]), "Two learners are named 'tree'. Give each its own name."),
        (
            (Learner("ism", ISMClassifier(), teacher="bagging"),),
            "The learner 'ism' needs 'bagging', which must come before it.",
        ),
    ],
)
def test_invalid_learners_are_refused(learners, text):
    with pytest.raises(ParameterError) as error:
        small_plan(1, learners)
    assert str(error.value) == text


def test_too_few_rows():
    with pytest.raises(DataError) as error:
        Plan([small_set("tiny", n_rows=5)], LEARNERS, Protocol(1, 10))
    assert str(error.value) == "tiny has 5 rows: too few for 10 folds."


def test_invalid_protocol_is_refused():
    with pytest.raises(ParameterError) as error:
        Protocol(1, 1)
    assert str(error.value) == "The 'n_folds' of a protocol must be at least 2. Got 1 instead."


def test_uniform_rows_stay_within_observed_ranges():
    rows = Protocol(1, 2, n_uniform=500).uniform_rows(small_set())
    for drawn, seen in zip(rows.columns, small_set().X.columns, strict=True):
        assert seen.values.min() <= drawn.values.min() < drawn.values.max() <= seen.values.max()
    assert np.array_equal(
        rows.columns[0].values, Protocol(1, 2, n_uniform=500).uniform_rows(small_set()).columns[0].values
    )
