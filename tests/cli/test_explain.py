"""``sightline explain`` for whole files: as data, as sentences, as letters."""

import csv
import json
import re

import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import run

LOANS = sl.make_loans(60)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A model and a file whose first column names the rows."""
    folder = tmp_path_factory.mktemp("explain")
    sl.C45Classifier().fit(LOANS.X, LOANS.y).to_json(folder / "tree.json")
    sl.RuleSetClassifier(random_state=0).fit(LOANS.X, LOANS.y).to_json(folder / "rules.json")
    sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(LOANS.X, LOANS.y).to_json(folder / "bag.json")
    with (folder / "loans.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["customer", *LOANS.names, "default"])
        for row in range(LOANS.n_rows):
            cells = ["" if value is None else value for value in LOANS[row].values()]
            writer.writerow([f"C{row:03d}", *cells, LOANS.y[row]])
    return folder


def explain(files, *arguments, model="tree.json"):
    return run(["explain", str(files / model), *map(str, arguments)])


def test_json_lines_hold_every_row(files, tmp_path, capsys):
    out = tmp_path / "why.jsonl"
    assert explain(files, "--data", files / "loans.csv", "--out", out) == 0
    printed = capsys.readouterr().out
    assert re.search(r"Explained 60 rows \(\d+ no and \d+ yes\) in ", printed.replace("\n", " "))
    entries = [json.loads(line) for line in out.read_text().splitlines()]
    expected = sl.read_model(files / "tree.json").explain(LOANS.X, ids=[f"C{i:03d}" for i in range(60)])
    assert entries == expected.to_dict()


def test_true_and_false_are_numbers_of_one_row_too(files, capsys):
    for number, word in ((1, "True"), (0, "false")):
        assert explain(files, f"income={number}") == explain(files, f"income={word}") == 0
        with_number, with_word = capsys.readouterr().out.split("Predicted ")[1:]
        assert with_number == with_word


def test_csv_files_have_one_line_per_row(files, tmp_path):
    out = tmp_path / "why.csv"
    model = "rules.json"
    assert explain(files, "--data", files / "loans.csv", "--out", out, "--ensemble", files / "bag.json",
                   "--quiet", model=model) == 0  # fmt: skip
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows[:2]] == ["C000", "C001"]
    rules, bag = (sl.read_model(files / name) for name in (model, "bag.json"))
    assert [row["prediction"] for row in rows] == rules.predict(LOANS.X).tolist()
    assert [row["ensemble"] for row in rows] == bag.predict(LOANS.X).tolist()
    assert rows[0]["reason_1"]


def test_sentences_of_every_row(files, tmp_path):
    out = tmp_path / "why.txt"
    assert explain(files, "--data", files / "loans.csv", "--out", out, "--quiet") == 0
    why = sl.read_model(files / "tree.json").explain(LOANS.X)
    assert out.read_text().startswith(f"Row C000:\n{why[0]}\n\nRow C001:\n")


def test_letters_for_one_label(files, tmp_path):
    out = tmp_path / "letters.txt"
    arguments = ["--data", files / "loans.csv", "--out", out, "--letter", "--only", "yes", "--quiet"]
    assert explain(files, *arguments, "--call", "yes=declined") == 0
    letters = out.read_text().split("\f")
    predicted = sl.read_model(files / "tree.json").predict(LOANS.X)
    assert len(letters) == (predicted == "yes").sum()
    assert all("\nResult: declined\n" in text for text in letters)
    assert letters[0].startswith("Reference: C0")


def test_rows_on_which_the_ensemble_disagrees_get_no_letter(files, tmp_path, capsys):
    """Letters gave reasons for decisions that the ensemble had not made."""
    out = tmp_path / "letters.txt"
    own = sl.read_model(files / "tree.json").predict(LOANS.X)
    theirs = sl.read_model(files / "bag.json").predict(LOANS.X)
    left_out = np.flatnonzero((own == "yes") & (theirs != "yes"))
    unexplained = np.flatnonzero((own != "yes") & (theirs == "yes"))
    assert len(left_out) > 1
    assert len(unexplained) == 1
    data = ["--data", files / "loans.csv"]
    letters = [*data, "--letter", "--ensemble", files / "bag.json"]
    assert explain(files, *letters, "--only", "yes", "--out", out) == 0
    printed = capsys.readouterr()
    names = [f"C{row:03}" for row in left_out]
    assert printed.err == (
        f"Left out {len(left_out)} letters, because the ensemble gives another label: "
        f"rows {', '.join(names[:-1])} and {names[-1]}. Pass --allow-disagreement to write such letters "
        "anyway.\nNo letter for 1 row, because only the ensemble predicts yes, and this model has no reasons "
        f"for it: row C{unexplained[0]:03}.\n"
    )
    written = [text.split()[1] for text in out.read_text().split("\f")]
    assert written == [f"C{row:03}" for row in np.flatnonzero((own == "yes") & (theirs == "yes"))]
    assert explain(files, *letters, "--only", "yes", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["left_out"], found["unexplained"]) == (names, [f"C{unexplained[0]:03}"])
    assert explain(files, *letters, "--only", "yes", "--allow-disagreement", "--out", out) == 0
    assert "Left out" not in capsys.readouterr().err
    assert out.read_text().count("Reference") == (own == "yes").sum()
    assert explain(files, *letters, "--row", str(left_out[0])) == 2
    assert capsys.readouterr().err == (
        "sightline: No letter: The ensemble predicts default = no, but the letter gives the reasons for "
        "default = yes. Pass --allow-disagreement to write it anyway.\n"
    )
    assert explain(files, *letters, "--row", str(left_out[0]), "--allow-disagreement") == 0
    assert "Result: default = yes" in capsys.readouterr().out
    assert explain(files, *letters, "--out", out) == 0
    assert f"Left out {(own != theirs).sum()} letters" in capsys.readouterr().err


def test_a_template_of_ones_own(files, tmp_path, capsys):
    template, out = tmp_path / "letter.txt", tmp_path / "why.csv"
    template.write_text("$row: $prediction because $reason_1")
    assert (
        explain(files, "--data", files / "loans.csv", "--row", "2", "--letter", "--template", template) == 0
    )
    assert capsys.readouterr().out.startswith("C002: ")
    assert explain(
        files, "--data", files / "loans.csv", "--out", out, "--letter", "--template", template, "--quiet"
    ) == 0  # fmt: skip
    with out.open(newline="") as file:
        assert next(csv.DictReader(file))["letter"].startswith("C000: ")


def test_a_row_is_printed_with_its_details(files, capsys):
    assert explain(files, "--data", files / "loans.csv", "--row", "3", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["details"]["row"] == "C003"
    assert found["row"] == LOANS.X[3]
    assert explain(files, "--data", files / "loans.csv", "--only", "yes", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {entry["prediction"] for entry in rows} == {"yes"}
    other = {"no": "yes", "yes": "no"}[found["details"]["prediction"]]
    assert explain(files, "--data", files / "loans.csv", "--row", "3", "--only", other) == 0
    assert "No row gets the label of --only." in capsys.readouterr().out


def test_refusals(files, tmp_path, capsys):
    data = ["--data", str(files / "loans.csv")]
    bad = tmp_path / "bad.txt"
    bad.write_text("Dear $name")
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Grüße".encode("latin-1"))
    known = (
        "$row, $prediction, $target, $result, $probability, $reasons, $reason_1, $reason_2, $reason_3, "
        "$reason_4, $evidence and $changes"
    )
    needs_letter = "--template, --call, --target and --allow-disagreement work only with --letter."
    for arguments, message in (
        ([*data, "--allow-disagreement"], needs_letter),
        ([*data, "--letter", "--allow-disagreement"], "--allow-disagreement works only with --ensemble."),
        ([*data, "--out", "why.parquet"], "why.parquet: --out must end in .jsonl, .csv or .txt."),
        ([*data, "--template", str(bad)], needs_letter),
        (
            [*data, "--letter", "--template", str(bad)],
            f"{bad}: Line 1 of the template has an unknown placeholder, $name. Choose from: {known}.",
        ),
        ([*data, "--letter", "--template", str(latin)], f"{latin}: the template must be text in UTF-8."),
        ([*data, "--only", "maybe"], "--only must be one of the labels 'no' and 'yes'. Got 'maybe' instead."),
        (["age=1", "--only", "yes"], "Give the row either as name=value arguments or with --data and --row."),
        ([*data, "--letter", "--call", "x"], "'x' does not have the form name=value."),
        # Letters kept the label, without a word.
        (
            [*data, "--letter", "--call", "no=granted", "--call", "Yes=declined", "--target", "my loan"],
            "--call names 'Yes'. Choose from: 'no', 'yes', 'my loan', 'default', 'age', 'income', "
            "'years employed', 'amount', 'duration', 'other loans' and 4 more.",
        ),
    ):
        assert explain(files, *arguments) == 2
        assert capsys.readouterr().err == f"sightline: {message}\n"
    assert explain(files, *data, "--letter", "--template", tmp_path / "none.txt") == 2
    assert "none.txt" in capsys.readouterr().err
    assert explain(files, *data, "--ensemble", files / "bag.json", model="bag.json") == 2
    assert "--ensemble works only for trees, graphs and rules." in capsys.readouterr().err


def test_a_failed_letter_leaves_the_old_file(files, tmp_path, capsys):
    cases = sl.MetaKNNClassifier(sl.read_model(files / "bag.json"), random_state=0).fit(LOANS.X, LOANS.y)
    cases.to_json(tmp_path / "cases.json")
    out = tmp_path / "letters.txt"
    out.write_text("old")
    arguments = ["--data", str(files / "loans.csv"), "--letter", "--out", str(out)]
    assert run(["explain", str(tmp_path / "cases.json"), *arguments]) == 2
    assert "gives no reasons" in capsys.readouterr().err
    assert out.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cases.json", "letters.txt"]


def test_letters_name_the_target_that_the_folder_knows(files, tmp_path, capsys):
    model = tmp_path / "model.json"
    sl.read_model(files / "tree.json").about("").to_json(model)
    letter = ["explain", str(model), "--data", str(files / "loans.csv"), "--letter"]
    label = sl.read_model(model).predict(LOANS.X)[0]
    expected = {
        "": f"Result: {label}\n",
        "[]": f"Result: {label}\n",
        '{"target": "default"}': f"Result: default = {label}\n",
    }
    for content, result in expected.items():
        (tmp_path / "metrics.json").write_text(content)
        assert run(letter) == 0
        assert result in capsys.readouterr().out
    assert run([*letter, "--target", "payment"]) == 0
    assert f"Result: payment = {label}\n" in capsys.readouterr().out
    (tmp_path / "metrics.json").unlink()
    sl.read_model(model).about("default").to_json(model)
    assert run(letter) == 0
    assert f"Result: default = {label}\n" in capsys.readouterr().out
