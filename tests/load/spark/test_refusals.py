"""The sentences of Spark folders that cannot be followed."""

import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sightline.exceptions import ModelFormatError, SightlineError, UnsupportedModelError
from sightline.load import load

FOLDER = Path(__file__).parents[2] / "data" / "spark"


@pytest.fixture
def copied(tmp_path):
    """Return a function that copies a folder, and finds one of its stages."""

    def copy(name, stage=""):
        folder = tmp_path / "model"
        shutil.copytree(FOLDER / name, folder)
        return folder, next((folder / "stages").glob(f"{stage}_*")) if stage else folder

    return copy


def refusal(folder):
    with pytest.raises(SightlineError) as caught:
        load(folder)
    return type(caught.value), str(caught.value).removeprefix(str(folder))


def change_metadata(folder, **changes):
    path = next((folder / "metadata").glob("part-*"))
    content = json.loads(path.read_text())
    for name, value in changes.items():
        content[name] = content[name] | value if isinstance(value, dict) else value
    path.write_text(json.dumps(content))


FEATURE = "org.apache.spark.ml.feature."


@pytest.mark.parametrize(
    ("name", "stage", "changes", "message"),
    [
        ("forest", "2", {"paramMap": {"thresholds": [0.5]}}, "the parameter 'thresholds' is not supported."),
        (
            "forest",
            "0",
            {"class": f"{FEATURE}PCAModel"},
            "(PCAModel): the stage is not supported. "
            "Supported: ImputerModel, OneHotEncoderModel, StringIndexerModel, VectorAssembler.",
        ),
        ("forest", "2", {"class": f"{FEATURE}VectorAssembler"}, ": has 0 tree models. Supported: 1."),
        ("forest", "2", {"paramMap": {"featuresCol": "odd"}}, "no stage makes the column 'odd'."),
        ("forest", "2", {"numFeatures": 4}, "it expects 4 features, but 'features' has 3."),
        ("forest", "", {"paramMap": {"stageUids": "all"}}, "its stages are not listed."),
        ("forest", "", {"paramMap": {"stageUids": ["odd_1"]}}, "the stage 'odd_1' is missing."),
        ("forest", "", {"paramMap": []}, "its parameters are not an object."),
        ("forest", "0", {"paramMap": {"inputCol": 1}}, "the parameter 'inputCol' must be a string."),
        (
            "forest",
            "0",
            {"paramMap": {"inputCols": 1}},
            "the parameter 'inputCols' must be a list of strings.",
        ),
        ("forest", "0", {"paramMap": {"inputCols": ["a", "b"]}}, "its labels do not match its columns."),
        ("forest", "0", {"paramMap": {"handleInvalid": "guess"}}, "handleInvalid 'guess' is not supported."),
        ("forest", "0", {"paramMap": {"inputCol": "a"}}, "the column 'a' is a number and a category."),
        ("forest", "0", {"paramMap": {"outputCol": "features"}}, "the column 'features' is made twice."),
        ("forest", "1", {"paramMap": {"inputCols": "a"}}, "its input columns are not listed."),
        ("boosted", "1", {"paramMap": {"missingValue": -1.0}}, "it replaces -1.0. Supported: NaN."),
        ("boosted", "1", {"paramMap": {"inputCols": ["b"]}}, "its replacements do not match its columns."),
        ("boosted", "2", {"paramMap": {"inputCol": "a_full"}}, "'a_full' is not a column of the caller."),
        (
            "boosted",
            "3",
            {"paramMap": {"inputCol": "b"}},
            "the column 'b' does not come from a StringIndexer.",
        ),
        ("boosted", "3", {"paramMap": {"inputCols": ["a", "b"]}}, "its sizes do not match its columns."),
        ("boosted", "6", {"paramMap": {"inputCol": "odd"}}, "the stage is not supported after the trees."),
        ("boosted", "6", {"paramMap": {"labels": [1, 2]}}, "its labels are not stored."),
        ("boosted", "6", {"paramMap": {"labels": ["a"]}}, "1 labels are given for 2 classes."),
        (
            "bare_tree",
            "",
            {"class": "org.apache.spark.ml.classification.LinearSVCModel"},
            "the class org.apache.spark.ml.classification.LinearSVCModel is not supported.",
        ),
        (
            "bare_tree",
            "",
            {"numFeatures": 0},
            " (DecisionTreeClassificationModel): 'numFeatures' must be a whole number from 1 to 16777216.",
        ),
    ],
    ids=range(25),
)
def test_metadata(copied, name, stage, changes, message):
    folder, part = copied(name, stage)
    change_metadata(part, **changes)
    assert message in refusal(folder)[1]


def test_a_vector_where_a_column_is_needed(copied):
    folder, encoder = copied("boosted", "3")
    order = ["StringIndexer_9bffd3d94b26", "Imputer_c34f111782ad", "StringIndexer_326ff5251d20"]
    order += ["VectorAssembler_d1a5102deec2", "OneHotEncoder_080faed21da3", "GBTClassifier_624ecf93fe04"]
    change_metadata(folder, paramMap={"stageUids": order})
    change_metadata(encoder, paramMap={"inputCol": "features"})
    assert "the column 'features' is a vector." in refusal(folder)[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "its metadata cannot be read (Expecting property name"),
        (b"[]", "its metadata is not an object."),
        (b" " * (2**24 + 1), ": its metadata is too large."),
        (None, ": has no metadata."),
    ],
    ids=["damaged", "list", "large", "none"],
)
def test_files_of_metadata(copied, content, message):
    folder, _ = copied("bare_tree")
    path = next((folder / "metadata").glob("part-*"))
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    kind, found = refusal(folder)
    assert kind is ModelFormatError
    assert message in found


@pytest.mark.parametrize(
    ("stage", "rows", "message"),
    [
        ("1", [{"a": None}], "the column 'a' is not a number, or its replacement is not."),
        ("2", [{"labelsArray": [["a", None]]}], "its labels do not match its columns."),
        ("2", [{"labelsArray": [["a", "a"]]}], "the column 'c' is not a column of the caller."),
    ],
)
def test_tables_of_stages(copied, stage, rows, message):
    folder, part = copied("boosted", stage)
    path = next((part / "data").glob("*.parquet"))
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert message in refusal(folder)[1]


def test_labels_of_spark_2(copied):
    """One list of strings instead of a list of lists."""
    folder, part = copied("boosted", "2")
    expected = load(folder).schema
    path = next((part / "data").glob("*.parquet"))
    labels = pq.read_table(path).to_pylist()[0]["labelsArray"][0]
    pq.write_table(pa.Table.from_pylist([{"labels": labels}]), path)
    assert load(folder).schema == expected


def test_labels_of_the_target(copied):
    """An IndexToString without labels of its own takes those of the indexer of the target."""
    folder, part = copied("boosted", "6")
    change_metadata(part, paramMap={"labels": []})
    assert load(folder).classes_.tolist() == ["no", "yes"]


def test_the_best_model_of_a_search(tmp_path):
    shutil.copytree(FOLDER / "bare_tree", tmp_path / "search" / "bestModel")
    shutil.copytree(FOLDER / "bare_tree" / "metadata", tmp_path / "search" / "metadata")
    change_metadata(tmp_path / "search", **{"class": "org.apache.spark.ml.tuning.CrossValidatorModel"})
    rows = np.random.default_rng(0).normal(size=(20, 3)).round()
    found, expected = load(tmp_path / "search"), load(FOLDER / "bare_tree")
    np.testing.assert_array_equal(found.predict_proba(rows), expected.predict_proba(rows))


def test_damaged_nodes(tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(FOLDER / "bare_tree", folder)
    path = next((folder / "data").glob("*.parquet"))
    rows = pq.read_table(path).to_pylist()
    for change, text in [
        ({"leftChild": 99}, "tree 0: node 0"),
        ({"id": 7}, "its trees or nodes are not numbered from 0."),
        ({"split": rows[0]["split"] | {"featureIndex": 9}}, "column 9 of its input does not exist."),
        (
            {"split": rows[0]["split"] | {"numCategories": -1, "leftCategoriesOrThreshold": []}},
            "a split has no threshold, or too many",
        ),
        (
            {"split": rows[0]["split"] | {"numCategories": 3, "leftCategoriesOrThreshold": []}},
            "or none takes one of the branches.",
        ),
        (
            {"split": rows[0]["split"] | {"numCategories": 2, "leftCategoriesOrThreshold": [5.0]}},
            "node 0: a category does not exist, or none",
        ),
        ({"impurityStats": [1.0]}, "a node does not count "),
    ]:
        damaged = [rows[0] | change, *rows[1:]]
        pq.write_table(pa.Table.from_pylist(damaged, schema=pq.read_schema(path)), path)
        kind, found = refusal(folder)
        assert kind is ModelFormatError
        assert text in found
    pq.write_table(pq.read_schema(path).empty_table(), path)
    assert refusal(folder)[1] == " (DecisionTreeClassificationModel): contains no tree."
    for content in (b"", b"PAR1", path.read_bytes()[:-20]):
        path.write_bytes(content)
        kind, found = refusal(folder)
        assert kind is ModelFormatError
        assert found.startswith(" (DecisionTreeClassificationModel): 'data' cannot be read (")
    path.unlink()
    assert refusal(folder)[1] == " (DecisionTreeClassificationModel): has no Parquet file in 'data'."


def test_a_parquet_file_that_would_fill_the_memory(copied):
    """Four million equal values take a few kilobytes."""
    folder, _ = copied("bare_tree")
    path = next((folder / "data").glob("*.parquet"))
    pq.write_table(pa.table({"id": pa.nulls(2**22, pa.float64())}), path)
    assert path.stat().st_size < 2**14
    sentence = f"{path.name} expands to 33,554,432 bytes or more, which is too large."
    assert refusal(folder)[1] == f" (DecisionTreeClassificationModel): {sentence}"


def test_a_bare_model_that_claims_many_columns(copied):
    folder, _ = copied("bare_tree")
    change_metadata(folder, numFeatures=2**24)
    kind, found = refusal(folder)
    assert kind is UnsupportedModelError
    assert found == ": has 16,777,216 columns without names. Supported: up to 1,048,576."


def test_damaged_trees_of_a_forest(copied):
    folder, part = copied("forest", "2")
    for name, rows, message in [
        ("treesMetadata", [{"_1": 1, "_3": 1.0}], "'treesMetadata' does not list the trees."),
        ("treesMetadata", [{"_1": 0}], "the column '_3' is missing."),
        (
            "treesMetadata",
            [{"_1": 0, "_3": None}],
            "a column holds null or missing values instead of numbers.",
        ),
        ("data", [{"treeID": 0}], "the column 'nodeData' is missing."),
    ]:
        path = next((part / name).glob("*.parquet"))
        pq.write_table(pa.Table.from_pylist(rows), path)
        kind, found = refusal(folder)
        assert kind is ModelFormatError
        assert message in found
