"""Damaged files of every format: one of our errors or a valid model, never anything else."""

import numpy as np
import pandas as pd
import pytest

from fuzz.readers import CORPUS, files, try_model
from sightline.exceptions import ModelFormatError, SightlineError
from sightline.load import load
from sightline.load._file import _FILE_IMPORTERS, ModelFile, load_file
from sightline.load._options import Options

FILES = files()
MODELS = [path for path in FILES if not path.name.startswith("hostile")]
N_MUTANTS = 400
FAST = [path for path in MODELS if path.suffix != ".skops"]


def further_are_thorough(paths):
    """Return values to parametrize with: of several files of a reader, ``make test`` takes the first."""
    first = {path.parent: path for path in reversed(paths)}
    thorough = pytest.mark.thorough
    return [
        pytest.param(path, id=path.name, marks=[] if path == first[path.parent] else thorough)
        for path in paths
    ]


def rows_of(ensemble, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            feature.name: rng.normal(size=60)
            if feature.categories is None
            else rng.choice(list(feature.categories), 60)
            for feature in ensemble.schema.features
        }
    )


def answers(ensemble):
    return ensemble.scores(rows_of(ensemble))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_one_importer_recognizes_a_file(path):
    file = ModelFile.read(path, Options())
    assert sum(importer.recognizes(file) for importer in _FILE_IMPORTERS) == 1


# The corpus has a file of the newest scikit-learn, of which older ones warn.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_corpus_is_replayed(path):
    assert try_model(path.read_bytes()) == (not path.name.startswith("hostile"))


@pytest.mark.parametrize("path", further_are_thorough(FAST))
def test_every_prefix_is_refused_or_the_same_model(path):
    content = path.read_bytes()
    whole = answers(load(path))
    prefixes = set()
    for length in range(len(content)):
        try:
            part = load_file(ModelFile("part", content[:length]))
        except SightlineError as error:
            prefixes.add(str(error)[:6])
        else:
            np.testing.assert_array_equal(answers(part), whole)
    assert prefixes == {"part: "}


@pytest.mark.parametrize("path", further_are_thorough(FAST))
def test_mutations(path):
    rng = np.random.default_rng(0)
    content = np.frombuffer(path.read_bytes(), dtype=np.uint8)
    n_loaded = 0
    for _ in range(N_MUTANTS):
        mutant = content.copy()
        indices = rng.integers(len(mutant), size=rng.integers(1, 4))
        kind = rng.integers(3)
        mutant[indices] = (
            mutant[indices] ^ (1 << rng.integers(8, size=len(indices)))
            if kind == 0
            else (
                rng.integers(256, size=len(indices))
                if kind == 1
                else np.frombuffer(b"0123456789-{}[],", np.uint8)[indices % 16]
            )
        )
        n_loaded += try_model(mutant.tobytes())
    assert 0 < n_loaded < N_MUTANTS


@pytest.mark.parametrize("path", further_are_thorough(MODELS))
def test_pieces_that_are_cut_out_or_repeated(path):
    rng = np.random.default_rng(1)
    content = path.read_bytes()
    for _ in range(60 if path.suffix == ".skops" else 300):
        begin, end = sorted(rng.integers(len(content), size=2))
        piece = content[begin : min(end, begin + 200)]
        try_model(content[:begin] + content[begin + len(piece) :])
        try_model(content[:begin] + piece + content[begin:])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a":' * 100_000, "f: is not valid JSON (byte 500000: expected a value)."),
        (
            b'{"learner":' + b"[" * 100_000 + b"]" * 100_000 + b',"version":1}',
            "f: is malformed (it is nested too",
        ),
        (
            b'{"learner":1,"learner":2,"version":3}',
            "f: is not valid JSON (byte 37: the key 'learner' occurs twice",
        ),
        (b'{"learner":{"x":NaN},"version":3}', "f: is not valid JSON (byte 16: expected a value)."),
        (b'{"learner":1e999,"version":3}', "f: is not valid JSON (byte 16: a number is too large)."),
        (b'{"learner":' + b"9" * 5000 + b"e0}", "f: is not valid JSON (byte 5013: a number is too large)."),
        (b'{"learner":"\xff","version":3}', "f: is malformed ('utf-8' codec can't decode"),
        (b'{"\xff":1,"version":3}', "f: contains a name that is not UTF-8."),
        (
            b"{L\xff\xff\xff\xff\xff\xff\xff\xff",
            "f: is not valid UBJSON (byte 10: a length is out of range).",
        ),
        (
            b"{L\x00\x00\x00\x00\x00\x00\x00\x01a[$d#L\x00\x00\xff\xff\xff\xff\xff\xff",
            "a length is out of range).",
        ),
        (b"{i\x01a[$d#i\x02\x00\x00", "the file ends in the middle of an array)."),
        (b"{i\x01ad\x7f\xc0\x00\x00}", "f: is not valid UBJSON (byte 9: a number is not finite)."),
        (b"{i\x01aZi\x01aZ}", "the key 'a' occurs twice in one object)."),
        (b"{i\x01aQ}", "a value of an unknown type)."),
        (b"{i\x01aZ}Z", "unexpected data after the end)."),
        (b"tree\n", "f: the line 'end of trees' is missing. The file is truncated."),
        (b"PK\x03\x04", "f: is a damaged zip archive (File is not a zip file)."),
    ],
    ids=range(17),
)
def test_texts_of_errors(content, message):
    with pytest.raises(ModelFormatError) as caught:
        load_file(ModelFile("f", content))
    assert message in str(caught.value)


def test_a_deep_chain_is_no_problem():
    """A dump of a tree of 50,000 levels, which recursion would not survive."""
    depth = 50_000
    split = (
        b'{"split_feature":0,"threshold":%d,"decision_type":"<=","default_left":true,"missing_type":"None",'
    )
    split += (
        b'"internal_value":0,"internal_count":1,"left_child":{"leaf_value":%d,"leaf_count":1},"right_child":'
    )
    chain = (
        b"".join(split % (k, k) for k in range(depth)) + b'{"leaf_value":-1,"leaf_count":1}' + b"}" * depth
    )
    content = (
        b'{"name":"tree","num_tree_per_iteration":1,"max_feature_idx":0,"objective":"regression",'
        b'"average_output":false,"feature_names":["a"],"feature_infos":{},"pandas_categorical":null,'
        b'"tree_info":[{"num_leaves":%d,"tree_structure":%b}]}' % (depth + 1, chain)
    )
    ensemble = load_file(ModelFile("deep", content))
    assert ensemble.size_["depth"] == depth
    assert ensemble.predict([[77.5], [1e9]]).tolist() == [78.0, -1.0]


def test_the_corpus_is_small():
    assert sum(path.stat().st_size for path in CORPUS.glob("*/*")) < 200_000
