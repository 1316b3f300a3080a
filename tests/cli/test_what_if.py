"""``sightline explain --what-if``: what would have to change."""

import json

import pytest

import sightline as sl
from sightline.cli._app import run
from sightline.show._example import credit_tree

ROW = ["age=25", "income=1800", "purpose=car"]


@pytest.fixture
def model(tmp_path):
    credit_tree().to_json(tmp_path / "tree.json")
    return str(tmp_path / "tree.json")


def test_the_nearest_changes_follow_the_explanation(model, capsys):
    assert run(["explain", model, *ROW, "--what-if"]) == 0
    printed = capsys.readouterr().out
    assert "Predicted bad" in printed
    assert "1. Change income from 1800 to 2001: the prediction becomes good." in " ".join(printed.split())
    assert run(["explain", model, *ROW, "--what-if", "--fixed", "income", "--to", "good", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [c["row"]["age"] for c in document["what_if"]["counterfactuals"]] == [31]


def test_rows_of_the_table_show_which_values_occur(model, tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("age,income,purpose\n25,1800,car\n52,1900,house\n28,1500,car\n")
    arguments = ["--data", str(tmp_path / "rows.csv"), "--what-if", "--max-changes", "1"]
    assert run(["explain", model, *arguments]) == 0
    assert "1. Change age from 25 to 31" in " ".join(capsys.readouterr().out.split())


def test_numbers_are_wanted_within_a_range(tmp_path, capsys):
    X = [[float(x)] for x in range(20)]
    tree = sl.DistilledTreeRegressor(random_state=0, max_leaves=2).fit(X, [0.0] * 10 + [100.0] * 10)
    tree.model_.to_json(tmp_path / "tree.json")
    path = str(tmp_path / "tree.json")
    assert run(["explain", path, "x0=2", "--what-if", "--to", "90.."]) == 0
    assert "the goal is 90 or more" in capsys.readouterr().out
    assert run(["explain", path, "x0=2", "--what-if", "--to", "much"]) == 2
    assert "--to must be a range such as 500..1000" in capsys.readouterr().err
    assert run(["explain", path, "x0=2", "--what-if"]) == 2
    assert "--what-if needs --to: a range such as 500..1000" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--to", "good"], "--to works only with --what-if."),
        (["--fixed", "age"], "--fixed works only with --what-if."),
        (["--what-if", "--fixed", "agee"], "fixed names 'agee', but the columns are"),
        (
            ["--what-if", "--to", "Good"],
            "--to must be one of the labels 'bad' and 'good'. Got 'Good' instead.",
        ),
    ],
)
def test_wrong_options_are_named(model, capsys, arguments, message):
    assert run(["explain", model, *ROW, *arguments]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_many_rows_are_refused(model, tmp_path, capsys):
    (tmp_path / "rows.csv").write_text("age,income,purpose\n25,1800,car\n")
    arguments = ["--data", str(tmp_path / "rows.csv"), "--out", str(tmp_path / "why.jsonl"), "--what-if"]
    assert run(["explain", model, *arguments]) == 2
    assert "--what-if of many rows needs --letter." in " ".join(capsys.readouterr().err.split())


def test_letters_of_many_rows_tell_what_would_have_to_change(model, tmp_path, capsys):
    rows, out, template = tmp_path / "rows.csv", tmp_path / "letters.txt", tmp_path / "template.txt"
    rows.write_text("age,income,purpose\n25,1800,car\n52,1900,house\n28,1500,car\n")
    arguments = ["explain", model, "--data", str(rows), "--only", "bad", "--what-if", "--fixed", "income"]
    assert run([*arguments, "--letter", "--out", str(out)]) == 0
    letters = out.read_text().split("\f")
    assert ["1. age: 31 instead of 25" in letter for letter in letters] == [True, False]
    assert ["1. age: 31 instead of 28" in letter for letter in letters] == [False, True]
    capsys.readouterr()
    template.write_text("$prediction")
    assert run([*arguments, "--letter", "--template", str(template)]) == 2
    assert "a template with $changes and --what-if need each other" in " ".join(
        capsys.readouterr().err.split()
    )
