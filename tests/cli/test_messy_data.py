"""What the command prints about data as people have them, and the options that all its verbs share."""

import numpy as np
import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, run
from sightline.cli._data import read_split
from sightline.cli._options import ColumnOptions, FileOptions
from sightline.cli._request import Request

RNG = np.random.default_rng(0)
N_ROWS = 120
PRICE = RNG.integers(100, 9_999, N_ROWS)
RATE = RNG.integers(1, 400, N_ROWS) / 10
KIND = np.where(PRICE / 250 + RATE > 40, "yes", "no")


def german(value):
    return f"{value:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".")


def write(path, header, rows):
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


@pytest.fixture
def excel(tmp_path):
    """Both decisive columns have decimal commas, thousands and units."""
    rows = [
        f"{row + 1};{german(price)} €;{german(rate)} %;{kind}"
        for row, (price, rate, kind) in enumerate(zip(PRICE, RATE, KIND, strict=True))
    ]
    return write(tmp_path / "excel.csv", "Nr;Preis;Rate;Art", rows)


def read(path, target, file=None, **columns):
    """What distill prints about its rows, without the work that follows."""
    split = read_split(path, target, 0.25, 0, None, file or FileOptions(), ColumnOptions(**columns))
    return [split.text(), *split.notes]


def test_decisive_columns_are_not_lost(excel, tmp_path, capsys):
    arguments = ["distill", "-d", excel, "-t", "Art", "-o", tmp_path / "out", "--trees", 3, "--max-leaves", 4]
    assert run([*map(str, arguments)]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        "excel: 90 training rows, 30 held out; 2 numeric and 0 nominal columns, 2 classes.",
        "Dropped column 'Nr': it only numbers the rows.",
        "Numbers with units: 'Preis' in € and 'Rate' in %.",
        "To use a dropped column anyway, name it with --keep.",
    ]
    assert sl.read_model(tmp_path / "out" / "model.json").feature_names == ["Preis", "Rate"]
    assert "3 numeric" in read(excel, "Art", keep=["Nr"])[0]
    assert read(excel, "Art", drop=["Rate"])[2] == "Dropped column 'Rate': --drop names it."


@pytest.mark.parametrize("verb", ["distill", "compare", "report", "explain", "certify"])
def test_all_verbs_that_read_data_have_the_options(verb, excel, tmp_path, capsys):
    model = tmp_path / "model.json"
    table = sl.read_table(excel, "Art")
    sl.C45Classifier().fit(table.X, table.y).to_json(model)
    arguments = {
        "distill": ["-t", "Art", "--trees", 3, "-o", tmp_path / "out"],
        "compare": ["-t", "Art", "--methods", "C4.5 tree", "--folds", 2],
        "report": [model, "-t", "Art", "-o", tmp_path / "page.html"],
        "explain": [model],
        "certify": [model, model],
    }[verb]
    call = [verb, *map(str, arguments), "-d", str(excel)]
    assert run([*call, "--decimal", ",", "--thousands", ".", "--encoding", "utf-8"]) == 0
    assert "Numbers with units: 'Preis' in € and 'Rate' in %." in capsys.readouterr().out
    assert run([*call, "--decimal", "x"]) == BAD_INPUT
    assert capsys.readouterr().err == (
        "sightline: The 'decimal' parameter must be one of '.', ','. Got 'x' instead.\n"
    )


def test_a_doubt_is_told_and_settled(tmp_path, capsys):
    rows = [f"{price:,};{kind}".replace(",", ".") for price, kind in zip(PRICE, KIND, strict=True)]
    path = write(tmp_path / "rows.csv", "price;kind", rows)
    note = (
        "Column 'price' is read with points between thousands. If they have decimal points instead, "
        "pass decimal='.' (--decimal .)."
    )
    assert note in read(path, "kind")
    assert note not in read(path, "kind", FileOptions(decimal=","))


def test_notes_go_to_stderr_with_json(excel, tmp_path, capsys):
    arguments = ["compare", "-d", excel, "-t", "Art", "--folds", 2, "--methods", "C4.5 tree", "--json"]
    assert run([*map(str, arguments)]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("[")
    assert "Dropped column 'Nr': it only numbers the rows." in printed.err.splitlines()
    assert run([*map(str, arguments), "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_labels_that_differ_in_case_are_joined(tmp_path, capsys):
    spelled = ["Yes", "yes", '"YES "']
    rows = [f"{price},{spelled[price % 3] if price > 5000 else 'no'}" for price in PRICE]
    path = write(tmp_path / "rows.csv", "price,kind", rows)
    header, *notes = read(path, "kind")
    assert header.endswith("2 classes.")
    assert any(note.startswith("Joined the labels ") and "'YES '" in note for note in notes)
    assert read(path, "kind", exact_labels=True)[0].endswith("4 classes.")


def test_not_available_as_a_label_is_told(tmp_path, capsys):
    rows = [f"{price},{['DE', 'NA', 'FR'][price % 3]}" for price in PRICE]
    path = write(tmp_path / "rows.csv", "price,country", rows)
    n_rows = sum(price % 3 == 1 for price in PRICE)
    assert read(path, "country")[1:3] == [
        f"Dropped {n_rows} rows without a label.",
        f"{n_rows} rows with NA in the target 'country' count as unlabeled. "
        "If NA is a class, put it in quotes.",
    ]


def test_many_classes_work_unless_they_are_numbers(tmp_path):
    rows = [f"{x},{x % 7},{x % 110}" for x in range(1100)]
    path = write(tmp_path / "codes.csv", "a,b,code", [row + "," + "k" + row.split(",")[2] for row in rows])
    path.write_text(path.read_text().replace("a,b,code", "a,b,code,kind", 1))
    assert read(path, "kind", drop=["code"])[0].endswith("110 classes.")
    assert read(path, "code", drop=["kind"], keep=["code"])[0].endswith("110 classes.")
    text, note, *_ = read(path, "code", drop=["kind"])
    assert text.endswith("numbers from 0 to 109.")
    assert note == (
        "'code' holds 110 different whole numbers in 1,100 rows, so this is a regression. Pass --task "
        "classes to treat them as classes."
    )


def test_a_label_of_one_row_may_be_a_typo(tmp_path):
    kinds = ["yess", *KIND[1:]]
    rows = [f"{price},{kind}" for price, kind in zip(PRICE, kinds, strict=True)]
    path = write(tmp_path / "rows.csv", "price,kind", rows)
    assert "Only one row has the label 'yess'. It may be a typo." in read(path, "kind")


def test_a_tree_too_small_for_its_classes_is_told():
    train = sl.Table.from_any([[float(row)] for row in range(30)])
    labeled = sl.Table(train.columns, sl.Labels.from_any([f"k{row % 6}" for row in range(30)]))
    assert Request(max_leaves=6).notes(labeled) == []
    assert Request(max_leaves=5).notes(labeled) == [
        "A tree of 5 leaves can predict at most that many of the 6 classes. Allow more leaves with "
        "--max-leaves."
    ]


def test_names_as_target_are_refused(tmp_path, capsys):
    path = write(
        tmp_path / "rows.csv", "a,name", [f"{price},person {row}" for row, price in enumerate(PRICE)]
    )
    assert run(["distill", "-d", str(path), "-t", "name"]) == BAD_INPUT
    assert capsys.readouterr().err == (
        f"sightline: {path}: the target 'name' has 120 different labels in 120 rows. Choose a column with "
        "classes, or pass --task classes.\n"
    )


def test_columns_that_give_the_target_away(tmp_path, capsys):
    rows = [
        f"{price},{rate},{int(kind == 'yes')},{'late' if kind == 'yes' else f'early {row % 2}'},{kind}"
        for row, (price, rate, kind) in enumerate(zip(PRICE, RATE, KIND, strict=True))
    ]
    path = write(tmp_path / "rows.csv", "price,rate,coded,reason,kind", rows)
    assert read(path, "kind")[1:] == [
        "Dropped column 'coded': it repeats the target, with one value for each class.",
        "Column 'reason' alone determines the target in every row. If it is known only after the outcome, "
        "drop it with --drop reason.",
        "To use a dropped column anyway, name it with --keep.",
    ]
    assert run(["distill", "-d", str(path), "-t", "kind", "--drop", "raeson"]) == BAD_INPUT
    assert "--drop names 'raeson', which is not a column. The columns are 'price'" in capsys.readouterr().err


def test_columns_that_nearly_or_together_give_the_target_away(tmp_path):
    rows = [
        f"{price},{'late' if (kind == 'yes') ^ (row == 0) else 'due'},{int(kind == 'yes' and row % 2)},"
        f"{int(kind == 'yes' and not row % 2)},{kind}"
        for row, (price, kind) in enumerate(zip(PRICE, KIND, strict=True))
    ]
    path = write(tmp_path / "rows.csv", "price,state,odd,even,kind", rows)
    assert read(path, "kind")[1:] == [
        "Column 'state' alone predicts the target in 99.2% of 120 rows. If it is known only after the "
        "outcome, drop it with --drop state.",
        "Columns 'odd' and 'even' together determine the target in every row. If they are known only after "
        "the outcome, drop them with --drop odd --drop even.",
    ]


def test_text_columns_of_a_model_keep_their_text(tmp_path, capsys):
    """A model that learned '36 months' as a category meets a file where that could be a number."""
    rows = [[f"{12 * (row % 3 + 1)} months", float(row % 7)] for row in range(60)]
    labels = ["yes" if row % 3 == 1 else "no" for row in range(60)]
    table = sl.Table.from_any(rows, feature_names=["term", "x"])
    sl.C45Classifier().fit(table, labels).to_json(tmp_path / "model.json")
    path = write(
        tmp_path / "rows.csv",
        "term,x,y",
        [f"{term},{x},{label}" for (term, x), label in zip(rows, labels, strict=True)],
    )
    assert run(["explain", str(tmp_path / "model.json"), "-d", str(path), "--row", "1"]) == 0
    assert capsys.readouterr().out.startswith("Predicted yes")


def test_dates_as_target_are_refused(tmp_path, capsys):
    rows = [f"{price},2024-03-{row % 28 + 1:02}" for row, price in enumerate(PRICE)]
    path = write(tmp_path / "rows.csv", "price,paid", rows)
    assert run(["distill", "-d", str(path), "-t", "paid", "-o", str(tmp_path / "out")]) == BAD_INPUT
    assert "the target 'paid' holds dates such as '2024-03-01'. Convert them" in capsys.readouterr().err


def test_numbers_that_may_be_keys_are_kept_with_a_warning(tmp_path):
    rows = [f"{10_000 + 7 * row},{row * 37 % 120},{kind}" for row, kind in enumerate(KIND)]
    path = write(tmp_path / "rows.csv", "buyer,age,y", rows)
    assert read(path, "y")[1:] == [
        "Column 'buyer' may identify the rows: every row has a different number, which rises from row to row."
        " If so, drop it with --drop buyer."
    ]
    assert read(path, "y", keep=["buyer"])[1:] == []


def test_a_word_in_a_target_of_whole_numbers(tmp_path):
    def rows(word):
        numbers = [word if row == 4 else 3 * row for row in range(N_ROWS)]
        return write(
            tmp_path / "rows.csv", "age,y", [f"{row * 7 % 90},{number}" for row, number in enumerate(numbers)]
        )

    assert read(rows("unknown"), "y")[1:] == [
        "'y' holds 119 different whole numbers in 120 rows, so this is a regression. Pass --task classes to "
        "treat them as classes.",
        "Dropped 1 row without a number in the target.",
        "Column 'y' holds numbers, but also 'unknown' (line 6). This cell is read as missing.",
    ]
    with pytest.raises(sl.exceptions.DataError, match=r"To predict numbers, empty the cells with 'high'\.$"):
        read(rows("high"), "y")


def test_options_are_quoted_for_the_shell(tmp_path):
    lines = [f"{row},{row},{'yes' if row > 50 else 'no'}" for row in range(N_ROWS)]
    path = write(tmp_path / "rows.csv", "the outcome,-x,y", lines)
    notes = read(path, "y", keep=["the outcome"])
    assert notes[-1].endswith("drop it with --drop=-x.")
    notes = read(path, "y", keep=["-x"])
    assert any("Dropped column 'the outcome'" in note for note in notes)
