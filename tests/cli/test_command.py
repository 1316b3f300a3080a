"""The command as a whole: help, refusals of bad input, pipes and interrupts."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from absent import NO_POSIX
from library_versions import has

import sightline as sl
from sightline.cli._app import BAD_INPUT, app, run
from sightline.cli._output import Output


def test_missing_file(refused, tmp_path):
    arguments = ["distill", "--data", "absent.csv", "--target", "y", "--out", tmp_path / "out"]
    refused(arguments, "absent.csv: there is no such file.")
    assert not (tmp_path / "out").exists()


def test_wrong_target(refused, loans, tmp_path):
    refused(
        ["distill", "--data", loans, "--target", "nothing", "--out", tmp_path / "out"],
        f"{loans}: there is no column 'nothing'. The columns are 'age', 'income', 'years employed', "
        "'amount', 'duration', 'other loans', 'purpose', 'housing', 'checking account', 'guarantor' and 1 "
        "more.",
    )
    assert not (tmp_path / "out").exists()


def test_target_of_one_label_and_too_few_rows(refused, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "".join(f"{row},a\n" for row in range(30)))
    refused(
        ["distill", "--data", path, "--target", "y"],
        f"{path}: every row has the label 'a'. There is nothing to learn.",
    )
    path.write_text("x,y\n1,a\n2,b\n3,a\n")
    refused(
        ["distill", "--data", path, "--target", "y"],
        f"{path}: 3 rows are too few. At least 20 are needed.",
    )


def test_unknown_options_and_values(refused, capsys, loans):
    assert run(["distill", "--data", str(loans), "--target", "default", "--method", "magic"]) == BAD_INPUT
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("sightline: Invalid value for '--method': ")
    assert "'magic' is not one of 'distilled', 'ism'" in line
    assert line.endswith(" See sightline distill --help.")
    refused(
        ["distill", "--data", loans, "--target", "default", "--to", "graph", "--method", "ism"],
        "--method ism does not work with --to graph. Choose from: merged.",
    )
    refused(["distill", "--target", "y"], "Missing option '--data' / '-d'. See sightline distill --help.")
    refused(["fly"], "No such command 'fly'. See sightline --help.")
    found = (
        "Input should be a valid integer, unable to parse string as an integer."
        if has("typer", "0.29")
        else "'A7' is not a valid integer range."
    )
    refused(
        ["explain", "model.json", "--row", "A7"],
        f"Invalid value for '--row' / '-r': {found} See sightline explain --help.",
    )
    refused(
        ["distill", "--data", loans, "--target", "default", "--test-share", "2"],
        "--test-share must lie between 0 and 1. Got 2.0 instead.",
    )


def test_rows_to_explain_are_checked(refused, folder, loans):
    model = folder / "model.json"
    refused(["explain", model], "Give the row either as name=value arguments or with --data and --row.")
    refused(["explain", model, "age"], "'age' does not have the form name=value.")
    advice = "Column 'age' is numeric. Write a number such as 1234.5. Got '1.500,50' instead."
    refused(["explain", model, "age=1.500,50"], advice)
    refused(
        ["explain", model, "wealth=1"],
        "The model has no column 'wealth'. Its columns are 'age', 'income', 'years employed', 'amount', "
        "'duration', 'other loans', 'purpose', 'housing', 'checking account' and 'guarantor'.",
    )
    refused(
        ["explain", model, "--data", loans, "--row", "240"],
        f"{loans}: there is no row 240. The last row is 239.",
    )


def test_every_verb_has_help_with_examples(capsys):
    verbs = [command.callback.__name__ for command in app.registered_commands]
    assert len(verbs) == 10
    assert verbs[:7] == ["demo", "distill", "report", "explain", "certify", "merge", "show"]
    for verb in verbs:
        assert run([verb, "--help"]) == 0
        printed = capsys.readouterr().out
        assert "For example:" in printed
        assert f"sightline {verb}" in printed


def test_names_cannot_control_the_terminal(capsys, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("\x1b[31mred,y\n" + "".join(f"{row},{'ab'[row > 20]}\n" for row in range(40)))
    assert run(["distill", "-d", str(path), "-t", "y", "--out", str(tmp_path / "out"), "--trees", "2"]) == 0
    assert run(["show", str(tmp_path / "out" / "model.json")]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"sightline {sl.__version__}\n"


def test_steps_are_shown_on_a_terminal(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with Output().steps(2) as step:
        step("reading rows")
        step("growing trees")
    assert "growing trees" in capsys.readouterr().err


def test_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "sightline", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"sightline {sl.__version__}\n"


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_a_closed_pipe_exits_with_its_own_code(tmp_path):
    random = np.random.RandomState(0)
    path = tmp_path / "tree.json"
    path.write_text(
        sl.C45Classifier(prune=False).fit(random.rand(200, 3), random.randint(2, size=200)).to_json()
    )
    command = [sys.executable, "-m", "sightline", "show", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(timeout=30) == 141


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
@pytest.mark.usefixtures("at_a_terminal")
def test_interrupted_within_a_second_and_nothing_is_written(tmp_path):
    """While the ensemble of a long job is learnt."""
    path = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    cells = np.column_stack([rng.normal(size=(20_000, 10)).round(6), rng.integers(0, 4, 20_000)])
    header = ",".join([*(f"x{index}" for index in range(10)), "y"])
    np.savetxt(path, cells, delimiter=",", header=header, comments="", fmt=["%.6f"] * 10 + ["%d"])
    program = "from sightline.cli import main; print('ready', flush=True); main()"
    command = [sys.executable, "-c", program, "distill", "-d", str(path), "-t", "y", "--trees", "2000"]
    command += ["--out", str(tmp_path / "out")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    sent = time.perf_counter()
    _, printed = process.communicate(timeout=30)
    assert process.returncode == 130
    # A second; twice that where other work keeps the machine busy.
    assert time.perf_counter() - sent < 2.0
    assert printed == "sightline: interrupted\n"
    assert not (tmp_path / "out").exists()
