"""``sightline distill`` with a folder or pattern of files."""

import json
from pathlib import Path

import pytest

import sightline as sl
from sightline.cli._app import BAD_INPUT, run


@pytest.fixture
def folder(tmp_path):
    frame = sl.make_loans(900, random_state=0).to_pandas()
    for index in range(3):
        frame.iloc[index * 300 : (index + 1) * 300].to_parquet(
            tmp_path / f"part-{index}.parquet", index=False
        )
    return tmp_path


@pytest.fixture
def small_sample(monkeypatch):
    monkeypatch.setitem(sl.Rows.__init__.__kwdefaults__, "sample_size", 400)


def distill(folder, *options):
    base = ["distill", "--data", str(folder / "*.parquet"), "--target", "default", "--max-leaves", "6"]
    return run([*base, "--trees", "5", *options])


def test_few_rows_of_a_pattern_are_as_one_file(folder, capsys):
    assert distill(folder, "--out", "all") == 0
    printed = capsys.readouterr().out
    assert f"{folder.name}: 675 training rows, 225 held out" in printed
    assert "all rows" not in printed


def test_a_sample_chooses_and_all_rows_judge(folder, small_sample, tmp_path, capsys):
    assert distill(folder, "--out", "out", "--checkpoint", str(tmp_path / "done")) == 0
    expected = "all rows  model chosen on 300 rows, judged on 600 others: fidelity"
    assert expected in capsys.readouterr().out
    metrics = json.loads(Path("out/metrics.json").read_text())
    assert metrics["all_rows"]["judged_it"] == metrics["all_rows"]["fidelity"]["rows"] == 600
    assert sl.read_model("out/model.json").core.weight[0] == 900
    assert "Rows used to judge it" in Path("out/report.html").read_text()
    assert len(list((tmp_path / "done").glob("*.npz"))) == 6
    assert distill(folder, "--out", "again", "--checkpoint", str(tmp_path / "done")) == 0
    assert Path("again/model.json").read_bytes() == Path("out/model.json").read_bytes()


def test_a_bad_part_is_named_and_nothing_is_written(folder, capsys):
    path = folder / "part-1.parquet"
    path.write_bytes(path.read_bytes()[:-9])
    assert distill(folder, "--out", "out") == BAD_INPUT
    assert "part-1.parquet: pyarrow cannot read the file" in capsys.readouterr().err
    assert not Path("out").exists()


def test_a_page_of_rows_in_parts_says_what_all_rows_say(folder):
    rows = sl.Rows(folder, "default", sample_size=300)
    tree = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(rows)
    page = sl.report(tree, rows, sizes=())
    assert page.metrics["rows"] == 600
    assert page.evidence.fidelity.value == tree.tally_.fidelity.value
    assert "Rows used to choose the model" in page.to_html()
