"""Every verb with every fault: exit code 2, one line that names the culprit, and nothing is written."""

import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, app, run

VERBS = {
    "demo": "--out {out}",
    "distill": "--data {data} --target y --model {model} --out {out}",
    "report": "{model} --data {data} --target y --out {page}",
    "explain": "{model} --data {data} --row 1",
    "certify": "{model} {model} --data {data}",
    "merge": "{model} --out {page}",
    "show": "{model} --svg {page}",
    "export": "{model} sql --out {page}",
    "compare": "--data {data} --target y --out {page}",
    "reproduce": "ism --data-dir {folder} --sets iris --quick --out {out}",
}

FAULTS = {
    "missing data": {"data": "{folder}/absent.csv"},
    "data is a folder": {"data": "{folder}"},
    "empty data": {"data": "{folder}/empty.csv"},
    "a header alone": {"data": "{folder}/header.csv"},
    "binary data": {"data": "{folder}/binary.csv"},
    "missing model": {"model": "{folder}/absent.json"},
    "model is a folder": {"model": "{folder}"},
    "empty model": {"model": "{folder}/empty.csv"},
    "malformed model": {"model": "{folder}/broken.json"},
    "model of unknown kind": {"model": "{folder}/other.json"},
    "binary model": {"model": "{folder}/binary.csv"},
    "a page in no folder": {"page": "{folder}/absent/page.html"},
    "a page that is a folder": {"page": "{folder}"},
    "a page below a file": {"page": "{folder}/empty.csv/page.html"},
    "a folder below a file": {"out": "{folder}/empty.csv/out"},
    "a folder that is a file": {"out": "{folder}/empty.csv"},
}

CASES = [
    (verb, fault)
    for verb, arguments in VERBS.items()
    for fault, changed in FAULTS.items()
    if any(f"{{{name}}}" in arguments for name in changed)
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    lines = [f"{row},{'abc'[row % 3]},{'no' if row < 20 else 'yes'}" for row in range(40)]
    (folder / "rows.csv").write_text("\n".join(["x,z,y", *lines]) + "\n")
    (folder / "header.csv").write_text("x,z,y\n")
    (folder / "empty.csv").write_text("")
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 4)
    (folder / "broken.json").write_text("{]")
    (folder / "other.json").write_text('{"format": "sightline", "version": 1, "kind": "poem"}')
    arff = "@relation r\n@attribute x numeric\n@attribute y {a, b}\n@data\n"
    (folder / "iris.arff").write_text(arff + "".join(f"{row},{'ab'[row > 20]}\n" for row in range(40)))
    table = sl.read_table(folder / "rows.csv", "y")
    sl.C45Classifier().fit(table.X, table.y).to_json(folder / "model.json")
    return folder


def words(verb, folder, **changed):
    """Return the words of a command, all of them right but those that are changed."""
    paths = {"data": "{folder}/rows.csv", "model": "{folder}/model.json"}
    paths |= {"page": "{folder}/page.out", "out": "{folder}/out"} | changed
    filled = {name: path.format(folder=folder) for name, path in paths.items()}
    return [verb, *(word.format(folder=folder, **filled) for word in VERBS[verb].split())]


def content(folder):
    return {path: path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


def refused(capsys, arguments, folder):
    """Run a command that is refused, and return the line that it says."""
    before = content(folder)
    assert run(arguments) == BAD_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert line.startswith("sightline: ")
    assert line.endswith(".")
    assert content(folder) == before
    return line


def test_all_verbs_are_tried():
    assert list(VERBS) == [command.callback.__name__ for command in app.registered_commands]


@pytest.mark.parametrize(("verb", "fault"), CASES, ids=[f"{verb}-{fault}" for verb, fault in CASES])
def test_what_is_not_as_it_should_be_is_named(capsys, folder, verb, fault):
    line = refused(capsys, words(verb, folder, **FAULTS[fault]), folder)
    (culprit,) = FAULTS[fault].values()
    assert culprit.format(folder=folder) in line


@pytest.mark.parametrize("verb", [verb for verb, text in VERBS.items() if "--target" in text])
def test_a_target_that_is_not_there(capsys, folder, verb):
    arguments = [word if word != "y" else "nothing" for word in words(verb, folder)]
    line = refused(capsys, arguments, folder)
    assert (
        line
        == f"sightline: {folder}/rows.csv: there is no column 'nothing'. The columns are 'x', 'z' and 'y'."
    )


WRONG_VALUES = {
    "demo": ["--seed", "-1"],
    "distill": ["--to", "poem"],
    "report": ["--max-seconds", "soon"],
    "explain": ["--row", "-1"],
    "certify": ["--max-seconds", "soon"],
    "merge": ["--to", "poem"],
    "show": ["--colour", "red"],
    "export": ["--option", "dialect"],
    "compare": ["--folds", "1"],
    "reproduce": ["--repeats", "0"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_values_that_an_option_does_not_take(capsys, folder, verb):
    line = refused(capsys, [*words(verb, folder), *WRONG_VALUES[verb]], folder)
    assert WRONG_VALUES[verb][1] in line or WRONG_VALUES[verb][0] in line


@pytest.mark.parametrize("verb", VERBS)
def test_options_that_are_not_there(capsys, folder, verb):
    line = refused(capsys, [*words(verb, folder), "--fly"], folder)
    assert line.startswith("sightline: No such option: --fly")
    assert line.endswith(f" See sightline {verb} --help.")
