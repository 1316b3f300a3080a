"""What goes wrong midway: Ctrl-C, a full disk, a checkpoint of something else. Nothing is half-written."""

import os
import signal
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from absent import NO_POSIX
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.cli._app import BAD_INPUT, run
from sightline.cli._process import INTERRUPTED
from sightline.exceptions import DataError, SightlineError
from sightline.table.rows._files import ParquetPart


@cache
def loans():
    return sl.make_loans(600, random_state=0).to_pandas()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows").mkdir()
    for index in range(2):
        part = loans().iloc[index * 300 : (index + 1) * 300]
        part.to_parquet(tmp_path / "rows" / f"part-{index}.parquet", index=False)
    return tmp_path / "rows"


def distill(folder, *options):
    base = ["distill", "--data", str(folder), "--target", "default", "--max-leaves", "4", "--trees", "2"]
    return run([*base, *options])


@contextmanager
def interrupted_at(monkeypatch, n_reads):
    """Let Ctrl-C be pressed when the so many-th part is opened; gives the number of parts opened so far."""
    whole, opened = ParquetPart.frames, []

    def frames(self, *options):
        opened.append(self.name)
        if len(opened) == n_reads:
            signal.raise_signal(signal.SIGINT)
        yield from whole(self, *options)

    with monkeypatch.context() as patch:
        patch.setattr(ParquetPart, "frames", frames)
        yield opened


@pytest.mark.usefixtures("at_a_terminal")
def test_ctrl_c_in_every_pass_leaves_nothing_half_written(folder, monkeypatch, capsys):
    monkeypatch.setitem(sl.Rows.__init__.__kwdefaults__, "sample_size", 400)
    with interrupted_at(monkeypatch, -1) as opened:
        assert distill(folder, "--out", "whole") == 0
    # Two parts are looked at, sampled and counted.
    assert opened == ["part-0.parquet", "part-1.parquet"] * 3
    capsys.readouterr()
    # In the second part of each pass; a rerun does not open the first part of the sample again.
    for n_reads in (2, 4, 5):
        with interrupted_at(monkeypatch, n_reads):
            assert distill(folder, "--out", "out", "--checkpoint", "done") == INTERRUPTED
        assert capsys.readouterr().err.splitlines()[-1] == "sightline: interrupted"
        assert not Path("out").exists()
        assert not list(Path().glob("done/.*"))
    assert len(list(Path("done").iterdir())) == 3
    # The rerun looks at both parts again, and counts the second one.
    with interrupted_at(monkeypatch, -1) as opened:
        assert distill(folder, "--out", "out", "--checkpoint", "done") == 0
    assert opened == ["part-0.parquet", "part-1.parquet", "part-1.parquet"]
    assert Path("out/model.json").read_bytes() == Path("whole/model.json").read_bytes()


# A disk that fills


@contextmanager
def files_of_at_most(n_bytes):
    """Let the system refuse larger files, as a full disk would."""
    import resource  # not on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_a_full_disk_is_one_sentence_and_the_rerun_works(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sl.Rows.__init__.__kwdefaults__, "sample_size", 400)
    with files_of_at_most(4000):
        assert distill(folder, "--out", "out", "--checkpoint", "done") == BAD_INPUT
    message = capsys.readouterr().err.splitlines()[-1]
    assert message.startswith("sightline: done/")
    assert message.endswith(".npz: cannot be written (File too large).")
    assert not list(Path("done").iterdir())
    assert not Path("out").exists()
    assert distill(folder, "--out", "out", "--checkpoint", "done") == 0


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_frames_that_do_not_fit_on_the_disk_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    small, large = (pd.DataFrame({"x": np.random.default_rng(0).normal(size=n)}) for n in (10, 10_000))
    with (
        files_of_at_most(20_000),
        pytest.raises(DataError, match=r"^frame 1: cannot be stored in .* Free some space, or set TMPDIR"),
    ):
        sl.Rows(iter([small, large]))
    assert not list(tmp_path.glob("sightline-rows-*"))


# Checkpoints of something else


@cache
def forest(seed):
    frame = loans()
    X = frame[["income", "amount"]]
    return RandomForestClassifier(5, max_depth=4, random_state=seed).fit(X, frame["default"])


def counted(folder, kept, model, **options):
    names = {"income", "amount", "default", options.get("weights")}
    rows = sl.Rows(
        folder,
        "default",
        drop=[name for name in loans() if name not in names],
        sample_size=200,
        checkpoint=kept,
        **options,
    )
    tree = sl.DistilledTreeClassifier(model, max_leaves=4, random_state=0).fit(rows)
    return tree.to_json(), {name: counts.tolist() for name, counts in tree.tally_.counts.items()}


def test_results_of_another_model_sample_or_folder_are_not_used(folder, tmp_path):
    kept, other = tmp_path / "kept", tmp_path / "other"
    other.mkdir()
    for path in folder.iterdir():
        frame = pd.read_parquet(path)
        frame.assign(income=frame["income"] / 2).to_parquet(other / path.name, index=False)
    for source, seed, options in (
        (folder, 0, {}),
        (folder, 1, {}),
        (folder, 0, {"seed": 5}),
        (other, 0, {}),
        (folder, 0, {"weights": "age"}),
        (folder, 0, {"weights": "duration"}),
    ):
        expected = counted(source, None, forest(seed), **options)
        assert counted(source, kept, forest(seed), **options) == expected


def test_the_counts_of_a_black_box_are_not_kept(folder, tmp_path):
    kept = tmp_path / "kept"

    def asked(threshold):
        return sl.BlackBox(lambda X: np.where(np.asarray(X)[:, 0] > threshold, "yes", "no"), ["no", "yes"])

    for threshold in (2000.0, 3000.0):
        assert counted(folder, kept, asked(threshold)) == counted(folder, None, asked(threshold))


def test_a_checkpoint_needs_files(tmp_path):
    rows = sl.Rows([loans()], "default", sample_size=100, checkpoint=tmp_path / "kept")
    with pytest.raises(
        DataError, match=r"^frame 0: a checkpoint needs rows in files, because only files show"
    ):
        sl.C45Classifier(max_leaves=3).fit(rows)


def test_a_damaged_checkpoint_is_named(folder, tmp_path):
    kept = tmp_path / "kept"
    counted(folder, kept, forest(0))
    path = next(kept.iterdir())
    path.write_bytes(path.read_bytes()[:50])
    with pytest.raises(SightlineError, match=rf"{path.name}: the checkpoint is damaged \(.*\)\. Delete the"):
        counted(folder, kept, forest(0))
