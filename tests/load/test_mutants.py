"""Damaged files that we accept: where their library accepts them too, it gives the same scores."""

import io
import os
import shutil
import subprocess
import sys
import zipfile
from itertools import count
from pathlib import Path

import library_answers
import numpy as np
import pandas as pd
import pytest
from absent import NO_JAVA, NO_POSIX
from library_answers import complete, frame, letters, matrix
from library_versions import XGBOOST, has

from fuzz.readers import seed as corpus_file
from sightline.exceptions import SightlineError
from sightline.load._file import ModelFile, load_file

FILES = [
    "catboost_Lossguide.json",
    "catboost_SymmetricTree.json",
    "lightgbm.txt",
    "lightgbm_zero.txt",
    "xgboost.json",
    "xgboost.ubj",
    "xgboost_dart.ubj",
]
TOLERANCES = {
    # CatBoost reads numbers of its own JSON with errors in the last bits.
    "catboost_Lossguide.json": 1e-12,
    "catboost_SymmetricTree.json": 1e-12,
    # XGBoost 3.4 multiplies weights and leaves in another order than the version that wrote the file.
    "xgboost_dart.ubj": 3e-7 if has(XGBOOST, "3.4") else 0.0,
}
pytestmark = [
    pytest.mark.thorough,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning"),
]
NPY_HEADER = 128
MIN_MUTANTS = 30
MIN_ACCEPTED = 16


def mutants(content, rng):
    """Yield files with other digits or flipped bits, without an end."""
    digits = np.flatnonzero((content >= ord("0")) & (content <= ord("9")))
    for number in count():
        mutant = content.copy()
        if len(digits) < len(content) // 10 or number % 4 == 0:
            index = rng.integers(len(mutant), size=rng.integers(1, 3))
            mutant[index] ^= (1 << rng.integers(8, size=len(index))).astype(np.uint8)
        else:
            index = rng.choice(digits, size=rng.integers(1, 3))
            mutant[index] = rng.integers(ord("0"), ord("9") + 1, size=len(index))
        yield mutant.tobytes()


def repacked(content, rng):
    """Yield skops files with a flipped bit in one of their arrays, without an end.

    Their checksums are right: an archive that does not fit them is refused at once.
    """
    with zipfile.ZipFile(io.BytesIO(content.tobytes())) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = sorted(name for name in members if name.endswith(".npy"))
    while True:
        name = rng.choice(arrays)
        changed = bytearray(members[name])
        changed[rng.integers(NPY_HEADER, len(changed))] ^= 1 << rng.integers(8)
        mutant = io.BytesIO()
        with zipfile.ZipFile(mutant, "w") as archive:
            for member, data in {**members, name: changed}.items():
                archive.writestr(member, data)
        yield mutant.getvalue()


def accepted(path, rng, folder):
    """Return the models of the mutants that we accept, by the paths that they are written to.

    Few bits of a binary file can be flipped with impunity, so the number of mutants is not given but
    that of accepted ones.
    """
    models = {}
    content = np.frombuffer(path.read_bytes(), np.uint8)
    changed = repacked if path.suffix == ".skops" else mutants
    for number, mutant in enumerate(changed(content, rng)):
        if number >= MIN_MUTANTS and len(models) >= MIN_ACCEPTED:
            break
        try:
            model = load_file(ModelFile("mutant", mutant))
        except SightlineError:
            continue
        name = folder / f"{number}-{path.name}"
        name.write_bytes(mutant)
        models[name] = model
    return models


def scores(model):
    has_categories = any(feature.is_nominal and not feature.coded for feature in model.schema.features)
    rows = frame().to_numpy() if has_categories else matrix()
    return model.scores(pd.DataFrame(rows, columns=model.schema.names).infer_objects())


SEED = int(os.environ.get("MUTANT_SEED", "0"))
LABELED = ["catboost.onnx", "sightline.onnx", "sightline.pmml"]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Return the accepted mutants of every file, beside which its library wrote its answers.

    One process answers for all of them: it takes longer to import the libraries than to ask them.
    """
    if not hasattr(os, "fork"):
        pytest.skip(NO_POSIX)
    folder = tmp_path_factory.mktemp("mutants")
    names = [name for name in [*FILES, *LABELED, "forest.treelite", "tree.skops"] if has_engine(name)]
    found = {name: accepted(corpus_file(name), np.random.default_rng(SEED), folder) for name in names}
    subprocess.run(
        [sys.executable, "-W", "ignore", Path(library_answers.__file__), folder],
        check=True,
        capture_output=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return found


def has_engine(name):
    return not name.endswith(".pmml") or shutil.which("java")


def compared(models):
    """Yield each accepted mutant that its library accepts too, with the library's answer."""
    for path, model in models.items():
        answers = path.with_name(path.name + ".npy")
        if answers.exists():
            yield path.name, model, np.load(answers).ravel()


@pytest.mark.parametrize("name", FILES)
def test_accepted_mutants_score_as_in_their_library(name, models):
    n_compared = 0
    for mutant, model, expected in compared(models[name]):
        n_compared += 1
        tolerance = TOLERANCES.get(name, 0.0)
        np.testing.assert_allclose(
            np.ravel(scores(model)), expected, rtol=tolerance, atol=tolerance, err_msg=mutant
        )
    assert n_compared >= (3 if name.endswith(".ubj") else 12)


@pytest.mark.parametrize("name", LABELED)
def test_accepted_mutants_label_as_in_their_engine(name, models):
    if not has_engine(name):
        pytest.skip(NO_JAVA)
    n_compared = 0
    for mutant, model, expected in compared(models[name]):
        rows = letters() if name.startswith("sightline") else matrix()
        if name.startswith("sightline"):
            # Our own description of the columns may give one another name, which engines do not read.
            if not set(model.feature_names) <= set(rows):
                continue
            rows = rows[model.feature_names]
        n_compared += 1
        # JPMML has no answer for some rows; docs/limits.md says what we predict for them.
        answers = ~np.isin(expected, ["nan", "None"])
        found = model.predict(rows).astype(str)
        np.testing.assert_array_equal(found[answers], expected[answers], err_msg=mutant)
    assert n_compared >= 3


def test_accepted_mutants_of_treelite_answer_as_treelite_does(models):
    n_compared = 0
    for mutant, model, expected in compared(models["forest.treelite"]):
        n_compared += 1
        np.testing.assert_allclose(
            np.ravel(model.predict_proba(matrix())), expected, rtol=1e-15, err_msg=mutant
        )
    assert n_compared >= 3


def test_accepted_mutants_of_skops_answer_as_scikit_learn_does(models):
    n_compared = 0
    for mutant, model, expected in compared(models["tree.skops"]):
        n_compared += 1
        probabilities = expected.reshape(-1, len(model.classes_))
        found = np.asarray(model.classes_).tolist().index
        labels = [found(label) for label in model.predict(complete())]
        assert labels == probabilities.argmax(axis=1).tolist(), mutant
        np.testing.assert_array_equal(model.predict_proba(complete()), probabilities, err_msg=mutant)
    assert n_compared >= 12
