from __future__ import annotations

import json
import subprocess
import sys

from sightline.show._example import credit_tree


def run(*arguments):
    command = [sys.executable, "-c", "from sightline.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_export_writes_what_the_method_returns(tmp_path):
    tree = credit_tree()
    tree.to_json(tmp_path / "tree.json")
    options = ["--option", "dialect=duckdb", "--option", "probabilities=true"]
    done = run("export", tmp_path / "tree.json", "sql", *options)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == tree.export("sql", dialect="duckdb", probabilities=True)
    done = run("export", tmp_path / "tree.json", "python", "--out", tmp_path / "tree.py")
    printed = f"Wrote {tmp_path / 'tree.py'} (python).\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, printed, "")
    assert (tmp_path / "tree.py").read_text() == tree.export("python")
    assert run("export", tmp_path / "tree.json", "c", "--out", tmp_path / "tree.c", "--quiet").stdout == ""
    done = run("export", tmp_path / "tree.json", "c", "--out", tmp_path / "tree.c", "--json")
    assert json.loads(done.stdout) == {"kind": "c", "file": str(tmp_path / "tree.c")}


def test_table_none_gives_the_expression_alone(tmp_path):
    tree = credit_tree()
    tree.to_json(tmp_path / "tree.json")
    for text in ("None", "none"):
        done = run("export", tmp_path / "tree.json", "sql", "--option", f"table={text}")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == tree.export("sql", table=None)
        assert "FROM" not in done.stdout.splitlines()[-1]


def test_bad_input_is_one_line(tmp_path):
    credit_tree().to_json(tmp_path / "tree.json")
    for arguments, message in (
        (
            ["onnx", "--option", "missing=largest"],
            "The onnx export is not text. Name a file with --out.",
        ),
        (
            ["sql", "--out", tmp_path / "none" / "tree.sql"],
            f"{tmp_path}/none/tree.sql: the folder {tmp_path}/none does not exist. Create it first.",
        ),
        (["sql", "--option", "dialect"], "Give options as name=value. Got 'dialect' instead."),
    ):
        done = run("export", tmp_path / "tree.json", *arguments)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"sightline: {message}\n")
