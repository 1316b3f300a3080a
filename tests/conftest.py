import gc
import os
import signal
from pathlib import Path

import pytest
from absent import NO_DATA_SETS, skipped_tests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

collect_ignore = ["data"]
"""Frozen files, and scripts that make them with libraries that the tests do not need."""

# Workers of the tests and their child processes share the cores: threads for a few rows would only wait.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# LightGBM asks for all cores all the same, and its threads do not sleep while they wait: beside another
# worker, fitting a few rows takes 60 times the CPU time.
os.environ.setdefault("OMP_THREAD_LIMIT", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# The same examples in every run; timing of single ones says more about the machine than about the code.
settings.register_profile(
    "sightline",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("sightline")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without looking for garbage: modules and tests stay until the end, millions of objects.

    Nor is it looked for among them later, when the tests make garbage of their own.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        register_generator()
        gc.freeze()
        gc.enable()


@given(st.none())
def register_generator(_):
    """Let Hypothesis register its generator, as it does for its first test: a frozen one seems lost to it."""


N_LEFT_OUT = pytest.StashKey[int]()
"""How many thorough tests were collected, but are left to another run. Every worker leaves out the same."""


def pytest_deselected(items):
    for item in items:
        if item.get_closest_marker("thorough"):
            item.config.stash[N_LEFT_OUT] = item.config.stash.get(N_LEFT_OUT, 0) + 1


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["n_left_out"] = session.config.stash.get(N_LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    # A worker that crashed has no output.
    node.config.stash[N_LEFT_OUT] = getattr(node, "workeroutput", {}).get("n_left_out", 0)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter, config):
    """Say at the end what was not tried, and how to get it tried."""
    yield
    for line in skipped_tests(terminalreporter.stats.get("skipped", [])):
        terminalreporter.write_line(line)
    n_left_out = config.stash.get(N_LEFT_OUT, 0)
    if n_left_out:
        terminalreporter.write_line(
            f"Left out: {n_left_out:,} thorough tests, further or larger cases: run `make test-thorough`."
        )


@pytest.fixture(scope="session")
def shared():
    """Folder with the papers' data sets, beside the checkout."""
    folder = Path(__file__).resolve().parents[1].parent / "shared"
    if not folder.is_dir():
        pytest.skip(NO_DATA_SETS)
    return folder


@pytest.fixture
def at_a_terminal():
    """Ctrl-C as at a terminal: a process in the background ignores it, a Java machine takes it for itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
