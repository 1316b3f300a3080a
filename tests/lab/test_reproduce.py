import csv
import errno
import re
import shutil

import numpy as np
import pytest
from dask_cluster import joblib_on_dask

from sightline.exceptions import DataError, ParameterError, SightlineError
from sightline.lab import EXPERIMENTS, experiment, reproduce
from sightline.lab._catalog import PAPERS


def write_set(path, seed):
    """Write a small data set under the name of a large one."""
    random = np.random.RandomState(seed)
    X, noise = random.normal(size=(45, 3)).round(2), random.uniform(size=45) < 0.15
    labels = np.where((X[:, 0] + X[:, 1] > 0) ^ noise, "b", "a")
    attributes = "".join(f"@attribute x{place} numeric\n" for place in range(3))
    rows = "".join(
        f"{', '.join(map(str, row))}, {label}\n" for row, label in zip(X.tolist(), labels, strict=True)
    )
    path.write_text(f"@relation r\n{attributes}@attribute class {{a, b}}\n@data\n{rows}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("data")
    for seed, name in enumerate(("iris", "glass", "hepatitis", "lymph", "wine", "labor", "heart-c")):
        write_set(found / f"{name}.arff", seed)
    return found


def read_tsv(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@pytest.fixture(scope="module")
def ism_of_iris(folder, tmp_path_factory):
    """One experiment on one data set, run on Dask, for all tests that begin with its results."""
    out = tmp_path_factory.mktemp("ism")
    with joblib_on_dask():
        reproduce("ism", folder, out, sets=["iris"], quick=True, n_jobs=-1)
    return out


@pytest.fixture
def after_iris(ism_of_iris, tmp_path):
    return shutil.copytree(ism_of_iris, tmp_path / "out")


def test_tables_figures_and_page(folder, tmp_path):
    files = reproduce("ism", folder, tmp_path / "out", sets=["iris", "glass"], quick=True)
    assert sorted(path.name for path in files) == [
        "ism.html",
        "ism.md",
        "ism_later.tsv",
        "ism_ranks.svg",
        "ism_readings.tsv",
        "ism_size.svg",
        "ism_table1.tsv",
        "ism_table2.tsv",
        "ism_table3_4.tsv",
        "ism_tests.tsv",
    ]
    accuracy = {row["set"]: row for row in read_tsv(tmp_path / "out" / "ism_table2.tsv")}
    assert accuracy["iris"]["J48 (paper)"] == "94.67"
    ours, theirs = float(accuracy["mean"]["J48"]), float(accuracy["mean"]["J48 (paper)"])
    assert theirs == pytest.approx((94.67 + 70.97) / 2, abs=0.01)
    assert float(accuracy["mean"]["J48 (difference)"]) == pytest.approx(ours - theirs, abs=0.011)
    summary = {row["learner"]: row for row in read_tsv(tmp_path / "out" / "ism_table3_4.tsv")}
    assert summary["J48"]["nodes / J48's"] == "1.00"
    assert summary["Bagging"]["stability (paper)"] == "80.73"
    # Transductive trees agree with bagging on the rows that they were given.
    assert summary["ISM_tdu"]["fidelity to bagging"] == "100.00"
    page = (tmp_path / "out" / "ism.html").read_text()
    assert page.count("<svg") == 2
    assert "<script" not in page


@pytest.mark.thorough
def test_second_run_writes_the_same_files_without_running(folder, after_iris, monkeypatch):
    before = {path.name: path.read_bytes() for path in after_iris.iterdir() if path.suffix != ".sqlite"}
    monkeypatch.setattr("sightline.lab._runner.run_trial", None)
    files = reproduce("ism", folder, after_iris, sets=["iris"], quick=True)
    assert {path.name: path.read_bytes() for path in files} == before


def test_incomplete_data_sets_are_left_out(folder, after_iris):
    reproduce("ism", folder, after_iris, sets=["iris", "glass"], quick=True, run_missing=False)
    text = (after_iris / "ism.md").read_text()
    assert "1 of 2 data sets" in text
    assert "Incomplete and left out: glass." in text


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("rules", "wine", "(8.98, "),
        ("setgen", "hepatitis", "| hepatitis |"),
        ("stumps", "LA", "| LA (labor) |"),
        ("metaknn", "heart-c", " (95.0, "),
    ],
)
def test_other_papers(folder, tmp_path, name, data, expected):
    files = reproduce(name, folder, tmp_path, sets=[data], quick=True)
    assert {"md", "html", "tsv", "svg"} == {path.suffix[1:] for path in files}
    assert expected in (tmp_path / f"{name}.md").read_text()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("distilled-tree", "| bagging, 25 | 8 |", marks=pytest.mark.thorough),
        ("setgen_presets", "| hepatitis | 3 |"),
        ("setgen_searches", "| random sets |"),
    ],
)
def test_our_own_claims(folder, tmp_path, name, expected):
    files = reproduce(name, folder, tmp_path, sets=["hepatitis"], quick=True)
    page = (tmp_path / f"{name.replace('-', '_')}.md").read_text()
    assert {"md", "html", "tsv"} <= {path.suffix[1:] for path in files}
    assert f"Written by `sightline reproduce {name.replace('-', '_')}`." in page
    assert expected in page


@pytest.mark.thorough
def test_the_claim_about_numbers(tmp_path):
    files = reproduce("regression", tmp_path, tmp_path, sets=["planes"], quick=True)
    page = (tmp_path / "regression.md").read_text()
    # The finding comes first, then its picture, then the tables, and how it was measured.
    assert re.match(
        r"# .+\n\n\*\*In the median over 1 data set, .+\*\*\n\n!\[.+\]\(regression_curve.svg\)\n", page
    )
    assert page.index("\n| ") < page.index("## How this was measured") < page.index("Written by")
    assert {"md", "html", "svg", "tsv"} == {path.suffix[1:] for path in files}
    assert "| LightGBM, 100 | 64 |" in page
    assert "| planes | random forest, 100 | " in page
    with pytest.raises(DataError, match="There is no data set 'cpu'"):
        reproduce("regression", tmp_path, tmp_path, sets=["cpu"], quick=True)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_descriptions_are_sound(name):
    described = experiment(name)
    known = {data.name for data in described.data_sets}
    assert described.name == name
    assert set(described.quick_sets) <= known


def test_unknown_names(folder, tmp_path):
    with pytest.raises(ParameterError) as error:
        reproduce("nothing", folder, tmp_path)
    assert (
        str(error.value) == "There is no experiment 'nothing'. Choose from: " + ", ".join(EXPERIMENTS) + "."
    )
    with pytest.raises(ParameterError) as error:
        reproduce("setgen", folder, tmp_path, sets=["adult"])
    assert str(error.value) == (
        "The experiment 'setgen' has no data set 'adult'. Choose from: autos, credit-a, heart-c, "
        "hepatitis, lung-cancer, lymph, promoters, splice."
    )
    with pytest.raises(ParameterError) as error:
        reproduce("setgen", folder / "none", tmp_path)
    assert str(error.value) == f"There is no folder {str(folder / 'none')!r} with data sets."
    assert list(tmp_path.iterdir()) == []


def test_damaged_data_set_is_reported_before_anything_runs(folder, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(folder, data)
    with (data / "glass.arff").open("a") as file:
        file.write("1, 2, three, a\n")
    with pytest.raises(SightlineError) as error:
        reproduce("ism", data, tmp_path / "out", sets=["iris", "glass"], quick=True)
    assert str(error.value).startswith(f"{data / 'glass.arff'}: ")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_keeps_the_results(folder, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    options = {"sets": ["LA"], "quick": True}
    with monkeypatch.context() as change:
        change.setattr("os.fsync", full)
        with pytest.raises(SightlineError) as error:
            reproduce("stumps", folder, tmp_path, **options)
    assert str(error.value) == (
        f"{tmp_path / 'stumps.md'}: cannot be written (No space left on device). "
        f"{tmp_path / 'stumps.sqlite'} keeps every result. Free some space and run the command again."
    )
    monkeypatch.setattr("sightline.lab._runner.run_trial", None)
    assert reproduce("stumps", folder, tmp_path, **options)


def test_a_folder_that_is_a_file(folder, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(SightlineError) as error:
        reproduce("stumps", folder, tmp_path / "file", sets=["LA"], quick=True)
    assert str(error.value) == f"{tmp_path / 'file'}: cannot create this folder (File exists)."
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.thorough
def test_no_complete_data_set(folder, after_iris):
    with pytest.raises(SightlineError) as error:
        reproduce("ism", folder, after_iris, sets=["glass"], quick=True, run_missing=False)
    assert str(error.value) == (
        "The results file has no complete data set of the experiment 'ism'. Run it first."
    )


@pytest.mark.thorough
@pytest.mark.parametrize("name", PAPERS)
def test_quick_run_of_the_real_data(shared, tmp_path, name):
    files = reproduce(name, shared / "datasets", tmp_path, quick=True)
    assert len(files) >= 4
    if name == "ism":
        means = {row["set"]: row for row in read_tsv(tmp_path / "ism_table2.tsv")}["mean"]
        # Five small sets, threefold instead of tenfold: near the paper, not equal.
        assert abs(float(means["J48 (difference)"])) < 5
        assert float(means["Bagging"]) > float(means["J48"])
    if name == "stumps":
        glass = {row["domain"]: row for row in read_tsv(tmp_path / "stumps_error.tsv")}[
            "G4 (glass: tableware)"
        ]
        # The one number that the paper prints, within two of 214 rows.
        assert abs(float(glass["C4.5, error (difference)"])) < 1
