import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from absent import NO_POSIX
from cases import thorough_after
from setgen_reference import small_table

import sightline as sl
from sightline.exceptions import DataError, ModelFormatError, ParameterError, SightlineError
from sightline.files import file_lock

X, Y = small_table(60, seed=1)
TESTS = Path(__file__).resolve().parents[2]


def search(path, genetic=None, **parameters):
    defaults = {
        "search": sl.GeneticSearch(**{"population": 6, "batch_size": 4, **(genetic or {})}),
        "folds": 4,
        "evaluations": 20,
        "random_state": 0,
    }
    return sl.SetGenClassifier(**{**defaults, **parameters}, checkpoint=path)


@pytest.mark.parametrize(
    "kind",
    [sl.GeneticSearch(population=6, batch_size=4), "hill", "forward"],
    ids=["genetic", "hill", "forward"],
)
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_a_search_in_many_pieces_ends_with_the_same_bytes(tmp_path, kind, preset):
    parameters = {"search": kind, "preset": preset, "evaluations": 60}
    whole = search(tmp_path / "whole", **parameters).fit(X, Y)
    pieces, n_pieces = None, 0
    while pieces is None or not pieces.complete_:
        # No time at all is enough for one batch.
        pieces = search(tmp_path / "pieces", **parameters, resume=True, max_seconds=0.0).fit(X, Y)
        n_pieces += 1
    assert n_pieces > 3
    assert (tmp_path / "pieces").read_bytes() == (tmp_path / "whole").read_bytes()
    assert pieces.to_json() == whole.to_json()
    assert pieces.report() == whole.report()


@pytest.mark.thorough
@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
@pytest.mark.parametrize("preset", thorough_after(1, ["default", "paper"]))
def test_kill_9_at_twenty_random_moments(tmp_path, preset):
    """A process forks searches and kills them: twenty times in the middle, then compares the ends."""
    program = textwrap.dedent("""
        import os, random, signal, sys, time
        from pathlib import Path
        import numpy as np
        sys.path.insert(0, sys.argv[2])
        from setgen_reference import small_table
        import sightline as sl

        folder, moments = Path(sys.argv[1]), random.Random(5)
        X, y = small_table(60, seed=1)
        # Copies of the columns: the default search would have seen every set of five at once.
        X = sl.Table.from_any(np.hstack([X.to_pandas().to_numpy()] * 3))

        def fit(path):
            estimator = sl.SetGenClassifier(
                preset=sys.argv[3], search=sl.GeneticSearch(count="requests", population=20, batch_size=4),
                folds=4, evaluations=300, random_state=0, checkpoint=path, checkpoint_every=0, resume=True,
            ).fit(X, y)
            estimator.to_json(f"{path}.model")

        def fork_and_kill(path, seconds):
            child = os.fork()
            if child == 0:
                fit(path)
                os._exit(0)
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
            return os.WIFSIGNALED(os.waitpid(child, 0)[1])

        begin = time.perf_counter()
        fit(folder / "whole")
        whole_time = time.perf_counter() - begin
        n_kills = 0
        while n_kills < 20:
            if fork_and_kill(folder / "killed", moments.uniform(0, 0.3) * whole_time):
                n_kills += 1
            else:
                assert (folder / "killed").read_bytes() == (folder / "whole").read_bytes()
                (folder / "killed").unlink()
        fit(folder / "killed")
        for end in ("", ".model"):
            assert (folder / f"killed{end}").read_bytes() == (folder / f"whole{end}").read_bytes()
        print(n_kills)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path), str(TESTS), preset],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "20"


def test_the_lock_of_a_killed_search_holds_nobody_up(tmp_path):
    (tmp_path / "search.lock").touch()
    assert search(tmp_path / "search").fit(X, Y).complete_
    assert sorted(path.name for path in tmp_path.iterdir()) == ["search"]


def test_two_searches_on_one_file(tmp_path):
    path = tmp_path / "search"
    with file_lock(path), pytest.raises(SightlineError) as error:
        search(path).fit(X, Y)
    assert str(error.value) == (
        f"Another process is working on {str(path)!r}. Wait until it ends, or pass another file."
    )


def test_nothing_is_overwritten_unasked(tmp_path):
    path = tmp_path / "search"
    search(path).fit(X, Y)
    before = path.read_bytes()
    with pytest.raises(ParameterError) as error:
        search(path).fit(X, Y)
    assert str(error.value) == (
        f"The checkpoint {str(path)!r} already exists. Pass resume=True to continue it, or remove it."
    )
    assert path.read_bytes() == before


def test_a_finished_search_is_not_repeated(tmp_path, monkeypatch):
    path = tmp_path / "search"
    first = search(path).fit(X, Y)
    monkeypatch.setattr("sightline.learn.setgen._search.Search._step", None)
    assert search(path, resume=True).fit(X, Y).to_json() == first.to_json()


def test_a_checkpoint_of_an_earlier_release_is_resumed(tmp_path):
    """It lists the parameters of all searches, when each search had only those of SetGenClassifier."""
    path = tmp_path / "search"
    path.write_bytes(Path(__file__).with_name("checkpoint-1.json").read_bytes())
    resumed = search(path, resume=True).fit(X, Y)
    assert resumed.report() == search(tmp_path / "whole").fit(X, Y).report()
    assert json.loads(path.read_text())["state"] == json.loads((tmp_path / "whole").read_text())["state"]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (
            {"genetic": {"mutation_rate": 0.25}},
            "mutation_rate=0.2, but this search has mutation_rate=0.25. "
            "Use the same parameters, or another file.",
        ),
        (
            {"base": sl.C45Classifier(min_leaf=5)},
            "base__min_leaf='2', but this search has base__min_leaf='5'. "
            "Use the same parameters, or another file.",
        ),
        (
            {"preset": "paper"},
            "preset='default', but this search has preset='paper'. Use the same parameters, or another file.",
        ),
        (
            {"search": "hill"},
            "search='genetic', but this search has search='hill'. Use the same parameters, or another file.",
        ),
        (
            {"random_state": 99},
            "a different random_state. Use the same one, None to continue with its own, or another file.",
        ),
    ],
)
def test_other_parameters_are_refused(tmp_path, other, words):
    path = tmp_path / "search"
    search(path).fit(X, Y)
    with pytest.raises(ParameterError) as error:
        search(path, resume=True, **other).fit(X, Y)
    assert str(error.value) == f"The checkpoint {str(path)!r} was made with {words}"


def test_other_rows_are_refused(tmp_path):
    path = tmp_path / "search"
    search(path).fit(X, Y)
    for rows, labels in ((X[::-1], Y[::-1]), (X, sl.Labels(1 - Y.codes, Y.classes_))):
        with pytest.raises(DataError) as error:
            search(path, resume=True).fit(rows, labels)
        assert str(error.value) == (
            f"The checkpoint {str(path)!r} belongs to different rows, labels or column names. "
            "Fit with the same data, or use another file."
        )


def test_workers_and_time_are_free(tmp_path):
    path = tmp_path / "search"
    search(path, max_seconds=0.0).fit(X, Y)
    assert search(path, resume=True, n_jobs=2, checkpoint_every=0.0, progress=False).fit(X, Y).complete_


def test_a_search_without_seed_goes_on_with_its_own(tmp_path):
    path = tmp_path / "search"
    search(path, random_state=None, max_seconds=0.0).fit(X, Y)
    seed = json.loads(path.read_text())["parameters"]["seed"]
    assert search(path, random_state=None, resume=True).fit(X, Y).complete_
    assert json.loads(path.read_text())["parameters"]["seed"] == seed


DAMAGED = "The checkpoint {path!r} is damaged. Restore a copy, or delete it to start the search again."


def test_damaged_checkpoints_give_the_same_result_or_a_sentence(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "search"
    search(path, max_seconds=0.0).fit(X, Y)
    raw = path.read_bytes()
    for _ in range(60):
        damaged = bytearray(raw)
        damaged[rng.integers(len(raw))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged)
        with pytest.raises(ModelFormatError):
            search(path, resume=True).fit(X, Y)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[: len(text) // 2], DAMAGED),
        (lambda text: '{"format": "sightline"}', "{path!r} is not a checkpoint of a SET-GEN search."),
        (
            lambda text: text.replace('"version":2', '"version":3'),
            "The checkpoint {path!r} has version 3; this version of sightline reads up to version 2.",
        ),
        (
            lambda text: json.dumps({**json.loads(text), "state": None}),
            DAMAGED,
        ),
        (lambda text: text.replace('"checksum":', '"chocksum":'), DAMAGED),
        (lambda text: text.replace('"n_distinct":', '"n_distinct":1', 1), DAMAGED),
        (lambda text: text.replace('"version":2', '"version":1').replace('"archive"', '"archives"'), DAMAGED),
    ],
)
def test_broken_files_are_refused(tmp_path, change, message):
    path = tmp_path / "search"
    search(path).fit(X, Y)
    path.write_text(change(path.read_text()))
    with pytest.raises(ModelFormatError) as error:
        search(path, resume=True).fit(X, Y)
    assert str(error.value) == message.format(path=str(path))


def test_doubles_come_back_unchanged(tmp_path):
    path = tmp_path / "search"
    estimator = search(path).fit(X, Y)
    stored = {row[0]: row[5] for row in json.loads(path.read_text())["state"]["archive"]}
    assert estimator.chosen_.fitness in stored.values()
    assert np.isfinite(list(stored.values())).all()
