"""What is told about rows that are written otherwise than the training rows of a model."""

import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, run
from sightline.exceptions import DataWarning

RNG = np.random.default_rng(0)
AMOUNT = RNG.integers(500, 9_000, 60)
RATE = RNG.integers(10, 300, 60) / 10
CITY = RNG.choice(["Berlin", "Hamburg", "York"], 60)
BAD = np.where((AMOUNT > 4000) & (RATE > 15), "yes", "no")


def lines(header="amount,rate,city", amount=str, rate=str, city=str):
    rows = [f"{amount(a)},{rate(r)},{city(c)}" for a, r, c in zip(AMOUNT, RATE, CITY, strict=True)]
    return "\n".join([header, *rows]) + "\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    (folder / "rows.csv").write_text(lines())
    table = sl.read_table(folder / "rows.csv")
    sl.C45Classifier(min_leaf=1).fit(table, BAD).to_json(folder / "tree.json")
    return folder / "tree.json"


def explain(model, tmp_path, capsys, text):
    path = tmp_path / "new.csv"
    path.write_text(text)
    code = run(["explain", str(model), "--data", str(path), "--out", str(tmp_path / "why.csv")])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


UNIT = "They are read as written. If they have different units, convert them first."
TOLD = {
    "case": (
        lines(city=str.upper),
        "is 'BERLIN', 'HAMBURG' and 'YORK' in 60 rows, which the model does not know. They count as missing. "
        "The model knows 'Berlin', 'Hamburg' and 'York'.",
    ),
    "blanks": (lines(city=lambda city: f'"{city} "'), "is 'Berlin ', 'Hamburg ' and 'York ' in 60 rows"),
    "another city": (
        lines(city=lambda city: city.replace("York", "Oslo")),
        f"Column 'city' is 'Oslo' in {np.count_nonzero(CITY == 'York')} rows, which the model does not know. "
        "It counts as missing.",
    ),
    "percent": (
        lines(rate="{}%".format),
        f"holds numbers with '%', but held numbers without a unit before. {UNIT}",
    ),
    "empty": (
        lines(rate=lambda _: ""),
        "Column 'rate' is empty in every row. The model predicts as for missing values.",
    ),
    "fractions": (lines(rate=lambda rate: f"{rate / 100:.4f}"), "Is it in the same unit as in training?"),
    "thousands": (lines(amount=lambda amount: amount / 1000), "but the model compares it with"),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_differs_from_training_is_told(case, model, tmp_path, capsys):
    text, note = TOLD[case]
    code, printed = explain(model, tmp_path, capsys, text)
    assert code == 0
    assert note in " ".join(printed.split())


def test_the_same_rows_are_not_told(model, tmp_path, capsys):
    code, printed = explain(model, tmp_path, capsys, lines())
    assert code == 0
    assert printed.startswith("Explained 60 rows")


def test_a_similar_name_is_shown(model, tmp_path, capsys):
    code, printed = explain(model, tmp_path, capsys, lines("amount,Rate,city"))
    assert code == BAD_INPUT
    assert "needs the column 'rate', which is missing. Similar: 'Rate'. Rename it." in " ".join(
        printed.split()
    )


def test_a_value_that_is_joined_with_others_is_told_if_it_is_a_variant(tmp_path):
    feature = sl.table.Feature("city", ("Bern", "York", "other"), unseen="last")
    schema = sl.table.Schema((feature, sl.table.Feature("a")))
    path = tmp_path / "rows.csv"
    path.write_text("city,a\nBERN,1\nZug,2\nYork,3\n")
    with pytest.warns(
        DataWarning, match=r"is 'BERN' in 1 row, which the model does not know. It counts as other"
    ):
        sl.read_table(path, like=schema)


def test_labels_are_read_as_the_model_spells_them(tmp_path, capsys):
    rows = [[float(row)] for row in range(60)]
    model, path = tmp_path / "model.json", tmp_path / "rows.csv"
    sl.C45Classifier().fit(rows, ["ill" if row > 30 else "well" for row in range(60)]).to_json(model)
    labels = ["ILL" if row > 30 else "well " if row < 9 else "well" for row in range(60)]
    path.write_text("x0,y\n" + "".join(f'{row},"{label}"\n' for row, label in enumerate(labels)))
    arguments = ["report", model, "-d", path, "-t", "y", "-o", tmp_path / "page.html"]
    assert run([*map(str, arguments)]) == 0
    printed = capsys.readouterr().out
    assert "Read the labels as the model spells them: 'ILL' as 'ill' and 'well ' as 'well'." in printed
    assert "differ only in case" not in printed
    assert "Accuracy on 60 rows: this tree of 2 leaves 100.0%" in printed


@pytest.mark.parametrize("verb", ["report", "certify", "explain"])
def test_a_unit_that_only_the_ensemble_notices(verb, tmp_path, capsys):
    """The tree tests another column, so the ensemble was asked about wrong numbers without a word."""
    rows = np.column_stack([np.arange(60) % 12, np.arange(60)]).astype(float)
    label = np.where(rows[:, 0] > 5, "ill", "well")
    other = np.where(rows[:, 1] > 30, "ill", "well")
    table = sl.Table.from_any(rows, feature_names=["size", "age"])
    tree, second = (sl.C45Classifier().fit(table, y).tree_ for y in (label, other))
    paths = tmp_path / "tree.json", tmp_path / "ensemble.json", tmp_path / "rows.csv"
    tree.to_json(paths[0])
    sl.Ensemble.average([tree, second]).to_json(paths[1])
    model, ensemble, data = map(str, paths)
    arguments = {
        "report": [model, "-e", ensemble, "-t", "y", "-o", str(tmp_path / "page.html")],
        "certify": [model, ensemble],
        "explain": [model, "-e", ensemble],
    }[verb]
    for factor, n_notes in ((1, 0), (1000, 1)):
        cells = zip(rows[:, 0], (rows[:, 1] + 5) * factor, label, strict=True)
        paths[2].write_text("size,age,y\n" + "".join(f"{a},{b},{y}\n" for a, b, y in cells))
        run([verb, *arguments, "-d", data])
        printed = " ".join(capsys.readouterr().out.split())
        assert printed.count("Is it in the same unit as in training?") == n_notes
    assert "Column 'age' lies between 5000 and 64000 in all rows, but the ensemble compares it" in printed
