"""Every test of the command runs in a folder of its own."""

import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, run
from sightline.cli._demo import _csv
from sightline.distill import _size_path


@pytest.fixture(autouse=True)
def _own_folder(tmp_path_factory, monkeypatch):
    """Without ``--out`` the command writes into the current folder, also where a test expects a refusal."""
    monkeypatch.chdir(tmp_path_factory.mktemp("current"))


ALL_SIZES = _size_path._SIZES


@pytest.fixture(autouse=True)
def _few_sizes(monkeypatch):
    """Show two other sizes in a page, not eleven: distilling them takes half the time of a command.

    What is made once for all tests, as ``folder``, shows all of them.
    """
    monkeypatch.setattr(_size_path, "_SIZES", (2, 8))


@pytest.fixture
def all_sizes(_few_sizes, monkeypatch):
    """Show the sizes in a page that users see."""
    monkeypatch.setattr(_size_path, "_SIZES", ALL_SIZES)


@pytest.fixture(scope="session")
def loans(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "loans.csv"
    path.write_text(_csv(sl.make_loans(240)))
    return path


@pytest.fixture(scope="session")
def folder(loans, tmp_path_factory):
    """What distill writes."""
    out = tmp_path_factory.mktemp("made") / "deep" / "out"
    arguments = ["--data", str(loans), "--target", "default", "--trees", "5", "--max-leaves", "5"]
    assert run(["distill", *arguments, "--out", str(out), "--quiet"]) == 0
    return out


@pytest.fixture
def refused(capsys):
    """Check that a command ends with exit code 2 and exactly one line, and leaves nothing behind."""

    def check(arguments, text):
        assert run([str(argument) for argument in arguments]) == BAD_INPUT
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.splitlines() == [f"sightline: {text}"]

    return check
