import signal
import threading

import distributed
import joblib
import numpy as np
import pytest
from setgen_reference import small_table

import sightline as sl
from sightline.learn.setgen import _search
from sightline.learn.setgen._annealing import Annealing
from sightline.learn.setgen._evaluation import Evaluation
from sightline.learn.setgen._searches import SEARCHES

X, Y = small_table(60, seed=1)


def bytes_of(estimator):
    """Everything that was found, as text."""
    points = [(p.features, p.accuracy, p.nodes, p.fitness, p.tree.to_json()) for p in estimator.front_]
    return repr(
        (estimator.to_json(), points, estimator.survival_, estimator.history_, estimator.n_evaluations_)
    )


def fitted(search="genetic", genetic=None, every=None, **parameters):
    """Fit with the parameters of the genetic search if it is one, and those of every search."""
    own = (genetic or {}) if search == "genetic" else {}
    search = SEARCHES[search](**own, **(every or {}))
    return sl.SetGenClassifier(search=search, random_state=0, folds=4, **parameters).fit(X, Y)


@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("search", SEARCHES)
def test_the_number_of_workers_changes_nothing(preset, search):
    genetic = {"population": 10, "batch_size": 5}
    parameters = {"preset": preset, "search": search, "genetic": genetic, "evaluations": 60}
    alone = bytes_of(fitted(**parameters))
    assert bytes_of(fitted(**parameters, n_jobs=3)) == alone


@pytest.mark.thorough
def test_other_backends_change_nothing():
    parameters = {"evaluations": 25, "genetic": {"population": 8}}
    alone = bytes_of(fitted(**parameters))
    with joblib.parallel_config("loky", n_jobs=2):
        assert bytes_of(fitted(**parameters)) == alone


@pytest.mark.parametrize("search", ["genetic", "hill", "forward"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_abandoning_changes_nothing(preset, search):
    genetic = {"population": 6, "screening": 1}
    parameters = {"preset": preset, "search": search, "genetic": genetic, "evaluations": 200}
    lazy, full = fitted(**parameters), fitted(**parameters, every={"abandon": False})
    assert lazy.to_json() == full.to_json()
    assert lazy.history_ == full.history_
    assert [p.features for p in lazy.front_] == [p.features for p in full.front_]
    assert (lazy.n_evaluations_, lazy.n_requests_) == (full.n_evaluations_, full.n_requests_)


def test_the_same_seed_gives_the_same_bytes():
    assert bytes_of(fitted(evaluations=40)) == bytes_of(fitted(evaluations=40))


@pytest.mark.parametrize("n", [1, 7, 20])
def test_the_budget_is_kept(n):
    distinct = fitted(evaluations=n, every={"patience": "never"})
    assert (distinct.n_evaluations_, distinct.stopped_) == (n, "evaluations")
    requests = fitted(evaluations=n, preset="paper", genetic={"population": 5})
    assert (requests.n_requests_, requests.stopped_) == (n, "evaluations")


def test_patience_ends_the_search():
    estimator = fitted(evaluations=10**6, genetic={"patience": 40, "population": 5, "count": "requests"})
    assert estimator.stopped_ == "patience"


def test_a_search_that_saw_every_set_ends():
    estimator = fitted(every={"patience": "never"})
    assert estimator.stopped_ == "exhausted"
    assert estimator.n_evaluations_ == 2**5 - 1  # all features were evaluated to choose the pruning


def test_the_best_of_all_sets_is_found():
    climbed = fitted("hill", every={"restarts": 20})
    assert fitted(every={"patience": "never"}).chosen_.fitness == climbed.chosen_.fitness


def test_backward_elimination_only_removes():
    estimator = fitted("backward")
    assert estimator.stopped_ == "exhausted"
    # Five sets without one feature, then four without another, and so on while that helps.
    assert estimator.n_evaluations_ in {5, 5 + 4, 5 + 4 + 3, 5 + 4 + 3 + 2, 5 + 4 + 3 + 2 + 1}
    assert estimator.chosen_.fitness >= estimator.front_.plain.fitness


@pytest.mark.parametrize("search", ["random", "annealing"])
def test_a_random_walk_keeps_its_budget(search):
    estimator = fitted(search, evaluations=12, every={"patience": "never"})
    assert (estimator.n_evaluations_, estimator.stopped_) == (12, "evaluations")
    # All sets are known, or the walk has cooled down.
    assert fitted(search, every={"patience": "never"}).stopped_ == "exhausted"


def test_a_cold_annealing_only_climbs():
    annealing = Annealing(6, 1e-5, 1.0, seed=0)
    fitness = []
    for _ in range(60):
        members = annealing.ask().sets[0]
        annealing.tell([Evaluation(2, 0.0, 1.0, 1.0, float(members[:3].sum() - members[3:].sum()))])
        fitness.append(annealing.state()["fitness"])
    assert fitness == sorted(fitness)
    assert annealing.state()["here"] == [0, 1, 2]


def test_time_ends_the_search_with_the_best_so_far():
    estimator = fitted(max_seconds=0.0)
    assert (estimator.stopped_, estimator.complete_) == ("seconds", False)
    assert estimator.predict(X).shape == (60,)


@pytest.mark.usefixtures("at_a_terminal")
def test_ctrl_c_ends_the_search_with_the_best_so_far(monkeypatch):
    step = _search.Search._step

    def interrupted_step(self, workers, interrupts):
        if self.n_requests > 12:
            signal.raise_signal(signal.SIGINT)
        step(self, workers, interrupts)

    monkeypatch.setattr(_search.Search, "_step", interrupted_step)
    with pytest.warns(
        UserWarning, match=r"^The search was interrupted after \d+ sets\. The best of them is used\.$"
    ):
        estimator = fitted(search="hill")
    assert (estimator.stopped_, estimator.complete_) == ("interrupted", False)
    assert estimator.score(X, Y) > 0.5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.usefixtures("at_a_terminal")
def test_ctrl_c_within_an_evaluation_drops_the_batch(monkeypatch):
    """The batch that was under way has not happened: what was found is that of a shorter search."""
    evaluate = _search.Workers.evaluate
    calls = []

    def interrupted(self, sets, abandonment):
        calls.append(len(sets))
        if len(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return evaluate(self, sets, abandonment)

    monkeypatch.setattr(_search.Workers, "evaluate", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        estimator = fitted(search="forward")
    assert estimator.n_evaluations_ == sum(calls[:2])


def test_a_search_runs_in_any_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(fitted(evaluations=10)))
    thread.start()
    thread.join()
    assert found[0].n_evaluations_ == 10


@pytest.mark.thorough
def test_dask_spreads_the_search():
    alone = bytes_of(fitted(evaluations=25, genetic={"population": 8}))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        assert bytes_of(fitted(evaluations=25, genetic={"population": 8})) == alone


def test_forms_of_rows():
    frame = X.to_pandas()
    estimator = sl.SetGenClassifier(random_state=0, folds=4, evaluations=20)
    assert estimator.fit(frame, np.asarray(Y)).to_json() == fitted(evaluations=20).to_json()
