"""Messages advise only options that the verb has."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
import typer

import sightline.cli
from sightline.cli._app import app

COMMANDS = typer.main.get_command(app).commands
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")


UNREACHED = {
    ("certify", "_with_positive"): "it has no --positive to name a class that does not exist",
    ("demo", "Job"): "its table, its ensemble and what it asks for are its own",
    ("demo", "Request"): "the same",
    ("demo", "split"): "the same",
}
"""Functions that a verb calls only with an option which it does not have."""


def functions() -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """All functions and classes of the command by name."""
    return {
        node.name: node
        for path in sorted(Path(sightline.cli.__file__).parent.glob("*.py"))
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }


FUNCTIONS = functions()


def reached(verb: str) -> set[str]:
    """Names of what a verb uses, and what that uses."""
    seen: set[str] = set()
    waiting = [verb]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in FUNCTIONS or (verb, name) in UNREACHED:
            continue
        seen.add(name)
        used = (node for statement in FUNCTIONS[name].body for node in ast.walk(statement))
        waiting += [node.id for node in used if isinstance(node, ast.Name)]
    return seen


def said(name: str) -> set[str]:
    """Options in the texts of a function, without its documentation and its own options."""
    silent = {
        inner
        for node in ast.walk(FUNCTIONS[name])
        if isinstance(node, ast.AnnAssign)
        or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        for inner in ast.walk(node)
    }
    return {
        option
        for statement in FUNCTIONS[name].body
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in silent
        for option in OPTION.findall(node.value)
    }


def options_of(verb: str) -> set[str]:
    return {name for param in COMMANDS[verb].params for name in (*param.opts, *param.secondary_opts)}


@pytest.mark.parametrize("verb", COMMANDS)
def test_advised_options_exist(verb):
    options = options_of(verb)
    if verb == "demo":
        options |= options_of("distill")  # It ends with the command to go on with.
    advised = {(name, option) for name in reached(verb) for option in said(name)}
    assert not {(name, option) for name, option in advised if option not in options}


@pytest.mark.parametrize("verb", COMMANDS)
def test_verbs_have_the_options_that_readers_of_files_advise(verb):
    options = options_of(verb)
    if "--data" in options:
        assert options >= {"--decimal", "--thousands", "--encoding", "--sheet"}
    reads_others = {"load_any", "load_or_wrap", "read_ensemble", "read_any", "read_teacher"}
    if verb != "demo" and reads_others & reached(verb):
        assert "--allow-pickle" in options
