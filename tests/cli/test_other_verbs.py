"""``sightline report``, ``explain``, ``certify``, ``merge``, ``show`` and ``demo``."""

import hashlib
import json
import re

import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import run


def test_report_of_a_stored_model(folder, loans, tmp_path, capsys):
    out = tmp_path / "page.html"
    arguments = [str(folder / "model.json"), "--data", str(loans), "--target", "default", "--out", str(out)]
    assert run(["report", *arguments, "--ensemble", str(folder / "ensemble.json")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("This tree of ")
    assert printed.endswith(f"Wrote {out}.\n")
    assert out.read_text().startswith("<!doctype html>")


def test_explain_by_values_and_by_row(folder, loans, capsys):
    model = str(folder / "model.json")
    assert run(["explain", model, "amount=1500", "checking account=overdrawn"]) == 0
    assert capsys.readouterr().out.startswith("Predicted ")
    arguments = ["--data", str(loans), "--row", "3", "--ensemble", str(folder / "ensemble.json"), "--json"]
    assert run(["explain", model, *arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["row"] == sl.read_table(loans, "default").X[3]
    assert any("the ensemble" in line.lower() for line in found["explanation"])


def test_certify_answers_by_its_exit_code(folder, capsys):
    model, ensemble = str(folder / "model.json"), str(folder / "ensemble.json")
    assert run(["certify", model, model]) == 0
    assert capsys.readouterr().out.startswith("Equivalent: proved for every row, missing values included.\n")
    assert run(["certify", model, ensemble, "--no-missing"]) == 1
    assert capsys.readouterr().out.startswith("Not equivalent: the labels differ.\n")
    assert run(["certify", model, ensemble, "--no-missing", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["equivalent"] is False


def test_certify_counts_rows(folder, loans, capsys):
    model, ensemble = str(folder / "model.json"), str(folder / "ensemble.json")
    assert run(["certify", model, ensemble, "--data", str(loans)]) == 1
    assert "% of the given rows reach proved leaves." in capsys.readouterr().out


def test_merge_and_show(folder, tmp_path, capsys):
    small = tmp_path / "small.json"
    X = np.random.default_rng(0).normal(size=(80, 3))
    sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, X[:, 0] > 0).to_json(small)
    out = tmp_path / "merged.json"
    assert run(["merge", str(small), "--no-missing", "--to", "graph", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    lines = [
        r"Merged 3 trees into one graph of \d+ nodes\.",
        r"Proved: it gives the ensemble's label for every row without missing values\.",
        re.escape(f"Wrote {out}."),
    ]
    assert re.fullmatch("\n".join(lines) + "\n", printed)
    assert run(["certify", str(out), str(small), "--no-missing", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    drawing = tmp_path / "merged.svg"
    assert run(["show", str(out), "--svg", str(drawing)]) == 0
    assert capsys.readouterr().out == sl.read_model(out).to_text()
    assert drawing.read_text().startswith("<svg ")


def test_merge_searches_for_the_smallest_tree(tmp_path, capsys):
    small, out, rows = (str(tmp_path / name) for name in ("small.json", "merged.json", "rows.csv"))
    X = np.random.default_rng(0).normal(size=(80, 3))
    sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, X[:, 0] > 0).to_json(small)
    np.savetxt(rows, X, delimiter=",", header="x0,x1,x2", comments="")
    smallest = ["merge", small, "--no-missing", "--out", out, "--effort", "smallest"]
    assert run(smallest) == 0
    assert "Proved: no equal tree with these tests has fewer leaves.\n" in capsys.readouterr().out
    assert run([*smallest, "--data", rows, "--weigh", "rows", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["complete"], told["optimal"]) == (True, True)
    assert told["lower_bound"] == told["cost"]
    assert run(["certify", out, small, "--no-missing", "--quiet"]) == 0
    assert run([*smallest, "--weigh", "rows"]) == 2


@pytest.mark.usefixtures("all_sizes")
def test_demo_writes_its_data_too(folder, tmp_path, capsys):
    assert run(["demo", "--out", str(tmp_path / "demo")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("loans (synthetic): 1,500 training rows, 500 held out; ")
    assert "One loan: age " in printed
    usual = {path.name for path in folder.iterdir()}
    assert {path.name for path in (tmp_path / "demo").iterdir()} == usual | {"loans.csv"}
    again = sl.read_table(tmp_path / "demo" / "loans.csv", "default")
    assert again.X[5] == sl.make_loans().X[5]


def test_pages_replace_only_pages(folder, loans, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("<!doctype html><p>mine")
    data = ["--data", str(loans), "--target", "default", "--out", str(page), "--quiet"]
    report = ["report", str(folder / "model.json"), *data]
    for arguments in (report, ["compare", *data]):
        assert run(arguments) == 2
        assert capsys.readouterr().err == (
            f"sightline: {page}: this file exists already, and sightline did not write it. "
            "Choose another --out, or replace it with --force.\n"
        )
    assert run([*report, "--force"]) == run(report) == 0
    assert "mine" not in page.read_text()


def test_page_of_the_command_names_its_files_and_carries_rows_only_when_asked(folder, loans, tmp_path):
    page = (folder / "report.html").read_text()
    assert '"cells":null' in page
    assert hashlib.sha256(loans.read_bytes()).hexdigest() in page
    assert hashlib.sha256((folder / "model.json").read_bytes()).hexdigest() in page
    out = tmp_path / "with.html"
    arguments = ["--data", str(loans), "--target", "default", "--out", str(out), "--quiet"]
    assert run(["report", str(folder / "model.json"), *arguments, "--rows", "7"]) == 0
    assert "This page contains 7 rows of the data" in out.read_text()


def test_unknown_rows_are_refused(folder, loans, tmp_path, capsys):
    arguments = ["--data", str(loans), "--target", "default", "--out", str(tmp_path / "page.html")]
    assert run(["report", str(folder / "model.json"), *arguments, "--rows", "some"]) == 2
    assert "--rows must be none, sample, ids or a number of rows. Got 'some'." in capsys.readouterr().err
