"""Rows that arrive in parts: one schema, one sample, and sentences about bad parts."""

import itertools
import shutil

import dask.dataframe as dd
import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.feather as pf
import pytest

import sightline as sl
from sightline.exceptions import DataError, DataWarning, ParameterError
from sightline.table.rows._draw import Keys, draw, n_known, uniform_of
from sightline.wording import wilson_interval


def some_frame(n_rows=600, seed=0):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": random.integers(18, 90, n_rows), "income": random.normal(3, 1, n_rows)})
    frame["job"] = random.choice(["cook", "baker", "none"], n_rows)
    frame.loc[::7, "income"] = np.nan
    frame.loc[::11, "job"] = None
    frame["day"] = pd.Timestamp(2020, 1, 1) + pd.to_timedelta(frame["age"], unit="D")
    frame["paid"] = np.where(frame["age"] > 40, "yes", "no")
    return frame


def cut(frame, n_parts):
    edges = np.linspace(0, len(frame), n_parts + 1).astype(int)
    return [frame.iloc[low:high] for low, high in itertools.pairwise(edges)]


@pytest.fixture
def folder(tmp_path):
    for index, part in enumerate(cut(some_frame(), 4)):
        part.to_parquet(tmp_path / f"part-{index}.parquet", index=False)
    (tmp_path / "_SUCCESS").touch()
    return tmp_path


def cells(table):
    return [column.to_list() for column in table.columns], np.asarray(table.y).tolist()


def test_every_source_gives_the_same_rows_as_the_frame(folder):
    frame = some_frame()
    pattern = str(folder / "*.parquet")
    for index, part in enumerate(cut(frame, 3)):
        pf.write_feather(part.reset_index(drop=True), folder / f"{index}.feather")
    sources = {
        "folder": str(folder / "part-*.parquet"),
        "pattern": pattern,
        "paths": sorted(folder.glob("*.parquet")),
        "feather": str(folder / "*.feather"),
        "dataset": ds.dataset(sorted(map(str, folder.glob("*.parquet")))),
        "lazy": pl.scan_parquet(pattern),
        "relation": duckdb.sql(f"SELECT * FROM '{pattern}'"),
        "dask": dd.from_pandas(frame, npartitions=5),
        "list": cut(frame, 2),
        "iterator": iter(cut(frame, 6)),
    }
    whole = sl.Rows(frame, "paid")
    for size in (100, 1000):
        expected = cells(whole.taken(whole.drawn(size)))
        for name, source in sources.items():
            if name == "iterator" and size == 1000:
                continue
            rows = sl.Rows(source, "paid")
            assert rows.schema == whole.schema, name
            assert cells(rows.taken(rows.drawn(size))) == expected, name


def test_the_whole_sample_is_the_table_in_memory():
    frame = some_frame()
    table = sl.Table.from_any(frame.drop(columns="paid"))
    rows = sl.Rows(cut(frame, 5), "paid")
    taken = rows.taken(rows.drawn())
    assert taken.schema == table.schema
    assert [column.to_list() for column in taken.columns] == [column.to_list() for column in table.columns]
    assert taken.weights is None
    assert np.asarray(taken.y).tolist() == frame["paid"].tolist()


def test_categories_of_all_parts_are_united():
    first = pd.DataFrame({"job": ["cook"], "size": pd.Categorical(["low"], ["low", "high"])})
    second = pd.DataFrame({"job": ["baker"], "size": pd.Categorical(["huge"], ["low", "huge"])})
    job, size = sl.Rows([first, second]).schema.features
    assert job.categories == ("baker", "cook")
    assert size.categories == ("low", "high", "huge")


def test_a_column_without_values_in_a_part_fits_every_kind():
    parts = [pd.DataFrame({"x": [None, None], "z": [1, 2]}), pd.DataFrame({"x": ["a", None], "z": [3, 4]})]
    rows = sl.Rows(parts)
    assert rows.schema.features[0].categories == ("a",)
    assert [table.columns[0].to_list() for table in rows.batches()] == [[None, None], ["a", None]]


def test_csv_parts_are_read_as_one_table(tmp_path):
    (tmp_path / "a.csv").write_text("age;job;paid\n25;cook;1\n31,5;baker;0\n")
    (tmp_path / "b.csv").write_text("job;age;paid\nnone;4,25;1\n")
    table = sl.read_table(str(tmp_path / "*.csv"), "paid")
    assert table["age"].to_list() == [25.0, 31.5, 4.25]
    assert table["job"].to_list() == ["cook", "baker", "none"]
    assert table.y.classes_.tolist() == [0, 1]


def test_read_table_gives_rows_for_many_and_a_table_for_few(folder, monkeypatch):
    shutil.copy(folder / "part-0.parquet", folder / "again.parquet")
    table = sl.read_table(folder, "paid")
    assert isinstance(table, sl.Table)
    assert table.n_rows == 750
    monkeypatch.setattr("sightline.table.rows._rows.SAMPLE_SIZE", 10)
    monkeypatch.setitem(sl.Rows.__init__.__kwdefaults__, "sample_size", 10)
    assert repr(sl.read_table(folder, "paid")) == (
        "<Rows: 750 rows in 5 parts; 3 numeric, 1 nominal; target 'paid' of 2 classes>"
    )


def test_a_target_of_fractions_is_numbers_and_whole_numbers_are_classes():
    parts = [pd.DataFrame({"x": [1, 2], "y": [3.0, 4.0]}), pd.DataFrame({"x": [1, 2], "y": [4.0, 9.0]})]
    assert sl.Rows(parts, "y").classes_.tolist() == [3, 4, 9]
    parts[1]["y"] = [4.5, 1.0]
    rows = sl.Rows(parts, "y")
    assert rows.classes_ is None
    assert rows.taken(rows.drawn()).y.tolist() == [3.0, 4.0, 4.5, 1.0]


# The sample


def test_the_sample_does_not_depend_on_the_parts():
    frame = some_frame(5000)
    whole = sl.Rows(frame, "paid", sample_size=700, seed=3)
    chosen = whole.drawn()
    assert len(chosen.positions) == 700
    assert not chosen.is_complete
    for n_parts in (2, 37):
        rows = sl.Rows(cut(frame, n_parts), "paid", sample_size=700, seed=3)
        assert (rows.drawn().positions == chosen.positions).all()
    assert (sl.Rows(frame, sample_size=700, seed=4).drawn().positions != chosen.positions).any()


def test_the_hash_is_uniform_over_rows_and_seeds():
    numbers = uniform_of(1, 0, 200_000)
    assert abs(numbers.mean() - 0.5) < 0.002
    assert np.histogram(numbers, 20, (0, 1))[0].std() < 200
    assert abs(np.corrcoef(numbers, uniform_of(2, 0, 200_000))[0, 1]) < 0.01


def test_weights_decide_how_often_rows_are_drawn_without_bias():
    weights = np.where(np.arange(2000) % 4 == 0, 9.0, 1.0)
    weights[5] = 400.0
    sums = []
    for seed in range(200):
        chosen = draw([Keys.of(seed, 0, weights)], 200)
        assert 5 in chosen.positions
        sums.append(chosen.weights[chosen.positions % 4 == 0].sum() / chosen.weights.sum())
    assert np.mean(sums) == pytest.approx(4500 / (4500 + 1499 + 400), abs=0.01)


def test_weighted_rows_do_not_depend_on_the_parts_and_zeros_are_never_drawn():
    frame = some_frame(900)
    frame["w"] = np.arange(900) % 5 / 2
    frame.loc[[13, 14], "w"] = 500.0
    drawn = [sl.Rows(cut(frame, n), "paid", "w", sample_size=100).drawn() for n in (1, 8)]
    assert (drawn[0].positions == drawn[1].positions).all()
    assert (drawn[0].weights == drawn[1].weights).all()
    assert (drawn[0].positions % 5 > 0).all()
    everything = sl.Rows(frame, "paid", "w")
    table = everything.taken(everything.drawn())
    assert table.n_rows == 720
    assert drawn[0].weights.max() > 2
    assert (table.weights == frame["w"][frame["w"] > 0]).all()


def weighted(weights, **options):
    return sl.Rows(cut(pd.DataFrame({"x": np.arange(len(weights)), "w": weights}), 2), weights="w", **options)


@pytest.mark.parametrize(
    ("n_rows", "options", "n_judging"),
    [
        (100, {}, 0),
        (101, {}, 1),
        (150, {}, 50),
        (300, {}, 150),
        (300, {"refine_passes": 1}, 100),
        (101, {"refine_passes": 1}, 1),
    ],
)
def test_of_few_weighted_rows_all_that_the_sample_leaves_judge_but_at_most_half(n_rows, options, n_judging):
    weights = np.random.default_rng(1).uniform(0.1, 30, n_rows + 40)
    weights[:40] = 0.0
    rows = weighted(weights, sample_size=100, **options)
    drawn = rows.drawn()
    judging = rows.judges.among(0, n_rows + 40, drawn, weights)
    assert len(drawn.positions) == 100
    assert drawn.is_complete == (n_rows == 100)
    assert judging.sum() == n_judging
    assert not judging[drawn.positions].any()
    assert not judging[:40].any()
    if n_judging:
        page = rows.drawn_judges(drawn, 1000)
        assert page.positions.tolist() == np.flatnonzero(judging).tolist()
        assert (page.weights == weights[judging]).all()
        some = rows.drawn_judges(drawn, 40).positions
        assert judging[some].all()
        assert len(some) == min(40, n_judging)


def test_rows_that_judge_are_a_random_part_whatever_their_weights():
    n_rows, size = 4000, 150
    assert n_rows > n_known(size)
    random = np.random.default_rng(0)
    weights = np.where(random.random(n_rows) < 0.1, 20.0, 0.3)
    weights[::50], weights[7] = 0.0, 300.0
    # The model is good at heavy rows: neither the rows that are left, nor each counted once, show how good.
    is_right = random.random(n_rows) < np.where(weights > 1, 0.9, 0.5)
    truth = np.average(is_right, weights=weights)
    frame = pd.DataFrame({"x": np.arange(n_rows), "w": weights})
    shares, n_covered, n_heaviest = [], 0, 0
    for seed in range(200):
        rows = sl.Rows(frame, weights="w", sample_size=size, seed=seed)
        drawn = rows.drawn()
        judging = rows.judges.among(0, n_rows, drawn, weights)
        assert len(drawn.positions) == size
        assert not judging[drawn.positions].any()
        counted = weights[judging]
        share = np.average(is_right[judging], weights=counted)
        low, high = wilson_interval(share, counted.sum() ** 2 / (counted**2).sum(), 0.95)
        shares.append(share)
        n_covered += low <= truth <= high
        n_heaviest += judging[7]
    assert np.mean(shares) == pytest.approx(truth, abs=0.005)
    # Half of the rows are known exactly, so the interval for rows of the same kind covers it more often.
    assert n_covered > 190
    assert 75 < n_heaviest < 125


# Bad parts: one sentence that names the part


@pytest.mark.parametrize(
    ("second", "sentence"),
    [
        ({"age": [1], "job": ["x"]}, "frame 1: has no column 'paid', which frame 0 has."),
        (
            {"age": [1], "job": ["x"], "paid": ["no"], "more": [1]},
            "frame 1: has the column 'more', which frame 0 does not have.",
        ),
        (
            {"age": ["old"], "job": ["x"], "paid": ["no"]},
            "frame 1: column 'age' holds categories, but numbers in earlier parts. Convert it to one type "
            "in all parts.",
        ),
        (
            {"age": [1], "job": ["x"], "paid": [None]},
            "frame 1: the target 'paid' is missing in 1 of 1 rows. Remove these rows first.",
        ),
        (
            {"age": [[1]], "job": ["x"], "paid": ["no"]},
            "frame 1: Column 'age' holds a list at row 0. Every cell must be a string or a number.",
        ),
    ],
)
def test_a_part_that_does_not_fit_is_named(second, sentence):
    first = pd.DataFrame({"age": [25, 31], "job": ["a", "b"], "paid": ["no", "yes"]})
    target = "paid" if "paid" in second else None
    with pytest.raises(DataError) as error:
        _ = sl.Rows([first, pd.DataFrame(second)], target).schema
    assert str(error.value) == sentence


def test_parquet_parts_of_other_types_are_named_by_their_file(folder):
    frame = some_frame(10)
    frame["income"] = "much"
    frame.to_parquet(folder / "part-2.parquet", index=False)
    with pytest.raises(DataError, match=r"^part-2\.parquet: column 'income' holds categories, but numbers"):
        _ = sl.Rows(folder, "paid").schema


def test_a_truncated_parquet_file_is_named(folder):
    path = folder / "part-3.parquet"
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(DataError, match=r"^part-3\.parquet: pyarrow cannot read the file \(.*\)\.$"):
        _ = sl.Rows(folder, "paid").schema
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"part-3\.parquet: the file is empty\.$"):
        sl.Rows(folder, "paid")


def test_damaged_pages_are_named(folder):
    path = folder / "part-1.parquet"
    content = bytearray(path.read_bytes())
    content[20:1200] = bytes(1180)
    path.write_bytes(bytes(content))
    rows = sl.Rows(folder, "paid")
    with pytest.raises(DataError, match=r"^part-1\.parquet: "):
        rows.taken(rows.drawn())


def test_an_empty_part_is_a_warning(folder):
    some_frame(10).iloc[:0].to_parquet(folder / "part-9.parquet", index=False)
    with pytest.warns(DataWarning, match=r"^part-9\.parquet has no rows\.$"):
        assert sl.Rows(folder, "paid").n_rows == 600


def test_no_rows_at_all_and_no_such_files(tmp_path):
    with pytest.raises(DataError, match=r"no file matches this pattern\.$"):
        sl.Rows(str(tmp_path / "*.parquet"))
    with pytest.raises(DataError, match=r"there is no file in this folder\.$"):
        sl.Rows(tmp_path)
    with pytest.warns(DataWarning), pytest.raises(DataError, match=r"^The parts have no rows\.$"):
        _ = sl.Rows([pd.DataFrame({"a": []})]).schema


def test_rows_that_change_between_the_passes_are_refused(folder):
    rows = sl.Rows(folder, "paid")
    assert rows.n_rows == 600
    some_frame(10).to_parquet(folder / "part-1.parquet", index=False)
    with pytest.raises(DataError, match=r"^part-1\.parquet: has a different number of rows than before"):
        rows.taken(rows.drawn())


def test_queries_that_fail_are_named():
    lazy = pl.LazyFrame({"a": ["x", "y"]}).with_columns(pl.col("a").cast(pl.Int64, strict=True))
    with pytest.raises(DataError, match=r"^the LazyFrame: polars cannot compute it \("):
        _ = sl.Rows(lazy).schema
    relation = duckdb.sql("SELECT CAST(x AS INTEGER) AS a FROM (VALUES ('1'), ('two')) AS t(x)")
    with pytest.raises(DataError, match=r"^the DuckDB relation: DuckDB cannot compute it \("):
        _ = sl.Rows(relation).schema


@pytest.mark.parametrize("n_good", [0, 10, 100_000])
def test_lazy_frames_that_fail_late_are_not_cut(n_good):
    lazy = pl.LazyFrame({"a": ["1"] * n_good + ["x", "y"]})
    lazy = lazy.with_columns(pl.col("a").cast(pl.Int64, strict=True))
    with pytest.raises(DataError, match=r"^the LazyFrame: polars cannot compute it \("):
        _ = sl.Rows(lazy).n_rows


@pytest.mark.parametrize("version", ["1.33.1", "1.36.1"])
def test_versions_of_polars_that_lose_rows_are_refused(monkeypatch, version):
    monkeypatch.setattr(pl, "__version__", version)
    with pytest.raises(
        DataError, match=rf"^the LazyFrame: polars {version} can leave out rows without an error\. Install"
    ):
        _ = sl.Rows(pl.LazyFrame({"a": [1, 2]})).schema


def test_other_mistakes_are_explained():
    with pytest.raises(ParameterError, match=r"^The 'sample_size' parameter of Rows must be an int"):
        sl.Rows([], sample_size=0)
    with pytest.raises(DataError, match=r"Got int instead\.$"):
        sl.Rows(3)
    with pytest.raises(DataError, match=r"^frame 0: there is no column 'paid'\. The columns are 'a'\.$"):
        _ = sl.Rows([pd.DataFrame({"a": [1]})], "paid").schema
    with pytest.raises(DataError, match=r"^frame 0: must be a frame of pandas, polars or pyarrow\."):
        sl.Rows(iter([3]))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"target": "w", "weights": "w"}, r"^Column 'w' cannot be both the target and the weights\.$"),
        ({"target": "y", "drop": ["y"]}, r"^Column 'y' is needed, so it cannot be dropped\.$"),
        ({"drop": ["z"]}, r"^drop names 'z', but the columns are 'a', 'w' and 'y'\.$"),
        ({"weights": "y"}, r"^The weights must be numbers, but column 'y' holds categories\.$"),
        ({"weights": "w"}, r"^No row has a positive weight in column 'w'\.$"),
        ({"seed": -1}, r"^The 'seed' parameter of Rows must be an int of at least 0\. Got -1 instead\.$"),
    ],
)
def test_options_that_do_not_fit_the_columns_are_refused(tmp_path, options, sentence):
    frame = pd.DataFrame({"a": [1.0, 2.0], "w": [0.0, 0.0], "y": ["no", "yes"]})
    frame.to_parquet(tmp_path / "a.parquet", index=False)
    for source in ([frame], tmp_path):
        with pytest.raises((DataError, ParameterError), match=sentence):
            sl.Rows(source, **options).drawn()


def test_nothing_and_arrays_are_no_frames():
    with pytest.raises(DataError, match=r"^There are no rows: the list of frames or files is empty\.$"):
        sl.Rows([])
    with pytest.raises(
        DataError, match=r"^frame 0: must be a frame of pandas, polars or pyarrow\. Got <class"
    ):
        sl.Rows([np.zeros((2, 2))])


def test_a_full_disk_is_named(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pyarrow.parquet.write_table", full)
    with pytest.raises(DataError, match=r"^frame 0: cannot be stored in .* \(No space left on device\)\."):
        sl.Rows(iter([pa.table({"a": [1]})]))


def test_arrow_text_is_encoded_as_before():
    values = pa.chunked_array([["b", None, "a"], ["c", "a"]])
    frame = pa.table({"text": values, "code": values.dictionary_encode(), "none": pa.nulls(5, pa.string())})
    text, code, none = sl.Table.from_any(frame).columns
    assert text.feature.categories == ("a", "b", "c")
    assert code.feature.categories == ("b", "a", "c")
    assert text.to_list() == code.to_list() == values.to_pylist()
    assert not none.feature.is_nominal


def test_what_needs_rows_in_memory_says_so():
    """sl.measure and predict gave numpy's advice to reshape a scalar."""
    rows = sl.Rows([pd.DataFrame({"x": [1.0, 2.0], "y": ["no", "yes"]})], target="y")
    tree = sl.C45Classifier().fit([[1.0], [2.0]] * 2, ["no", "yes"] * 2)
    for call in (lambda: tree.predict(rows), lambda: sl.measure(tree, rows)):
        with pytest.raises(
            DataError, match=r"X is an sl\.Rows\. Only fit and sl\.report read it part by part;"
        ):
            call()
    assert [tree.predict(batch.X).tolist() for batch in rows.batches()] == [["no", "yes"]]
