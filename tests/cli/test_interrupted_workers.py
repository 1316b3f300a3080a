"""Ctrl-C while ``compare`` runs in worker processes: one line, nothing written, nobody left running."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import psutil
import pytest
from absent import NO_POSIX
from cases import thorough_after

pytestmark = pytest.mark.usefixtures("at_a_terminal")

REPEATS = 1000
"""Enough work that no moment comes too late."""


def workers(process):
    return [
        child
        for child in psutil.Process(process.pid).children()
        if any("LokyProcess" in part for part in child.cmdline())
    ]


def has_loaded_kernels(worker):
    return any("_core" in map_.path for map_ in worker.memory_maps())


def n_stored(results):
    if not results.exists():
        return 0
    with closing(sqlite3.connect(f"file:{results}?mode=ro", uri=True)) as store:
        if not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'cells'").fetchone():
            return 0
        return store.execute("SELECT count(*) FROM cells").fetchone()[0]


MOMENTS = {
    "a worker starts": lambda process, results: workers(process),
    "a worker has loaded": lambda process, results: any(map(has_loaded_kernels, workers(process))),
    "a result is stored": lambda process, results: n_stored(results) > 0,
}


def wait_for(condition):
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


CASES = [
    ("a result is stored", 1),
    ("a worker starts", 2),
    ("a worker starts", 1),
    ("a worker has loaded", 1),
]


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
@pytest.mark.parametrize("case", thorough_after(1, CASES), ids=str)
def test_one_line_for_all_processes(case, tmp_path):
    moment, n_signals = case
    rows, page, results = tmp_path / "rows.csv", tmp_path / "page.html", tmp_path / "results.sqlite"
    rows.write_text("a,y\n" + "".join(f"{row},{'ny'[row > 20]}\n" for row in range(40)))
    command = [sys.executable, "-m", "sightline", "compare", "--data", rows, "--target", "y", "--jobs", "2"]
    command += ["--out", page, "--results", results, "--repeats", REPEATS, "--folds", "2"]
    command += ["--methods", "C4.5 tree", "--keep", "a"]
    # A terminal sends Ctrl-C to the whole process group.
    process = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_for(lambda: process.poll() is not None or MOMENTS[moment](process, results))
        family = psutil.Process(process.pid).children(recursive=True)
        for _ in range(n_signals):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.05)
        printed = process.communicate(timeout=60)
        assert (process.returncode, *printed) == (130, "", "sightline: interrupted\n")
        assert not psutil.wait_procs(family, timeout=60)[1]
        assert not page.exists()
    finally:
        process.kill()
        process.communicate()


IMPORTS_WITH_IDLE_WORKERS = """
import signal
from joblib import Parallel, delayed
from sightline.cli import _process
signal.signal(signal.SIGINT, _process._interrupted)
Parallel(n_jobs=2)(delayed(abs)(number) for number in range(4))
import presses_ctrl_c
"""


def test_an_import_is_interrupted_while_workers_are_alive(tmp_path):
    (tmp_path / "presses_ctrl_c.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    script = tmp_path / "script.py"
    script.write_text(IMPORTS_WITH_IDLE_WORKERS)
    command = [sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "sightline: interrupted\n")
