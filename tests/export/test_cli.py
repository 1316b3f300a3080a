from __future__ import annotations

import json

import pytest

from sightline.cli._app import run
from sightline.show._example import credit_tree


@pytest.fixture
def exported(capsys, tmp_path):
    """Run the command on a stored tree; return its exit code and what it printed."""
    credit_tree().to_json(tmp_path / "tree.json")

    def run_command(*arguments):
        code = run(["export", str(tmp_path / "tree.json"), *map(str, arguments)])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run_command


def test_export_writes_what_the_method_returns(exported, tmp_path):
    tree = credit_tree()
    options = ["--option", "dialect=duckdb", "--option", "probabilities=true"]
    expected = tree.export("sql", dialect="duckdb", probabilities=True)
    assert exported("sql", *options) == (0, expected, "")
    written = f"Wrote {tmp_path / 'tree.py'} (python).\n"
    assert exported("python", "--out", tmp_path / "tree.py") == (0, written, "")
    assert (tmp_path / "tree.py").read_text() == tree.export("python")
    assert exported("c", "--out", tmp_path / "tree.c", "--quiet") == (0, "", "")
    code, printed, _ = exported("c", "--out", tmp_path / "tree.c", "--json")
    assert (code, json.loads(printed)) == (0, {"kind": "c", "file": str(tmp_path / "tree.c")})


def test_table_none_gives_the_expression_alone(exported):
    expected = credit_tree().export("sql", table=None)
    assert "FROM" not in expected.splitlines()[-1]
    for text in ("None", "none"):
        assert exported("sql", "--option", f"table={text}") == (0, expected, "")


def test_bad_input_is_one_line(exported, tmp_path):
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
        assert exported(*arguments) == (2, "", f"sightline: {message}\n")
