"""Files of older versions with their predictions; the scripts in tests/data/versions made them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from library_versions import since

import sightline as sl

FOLDER = Path(__file__).parents[1] / "data" / "versions"
ALL_FILES = sorted(
    path.name
    for path in FOLDER.iterdir()
    if path.suffix in (".json", ".ubj", ".txt", ".dump", ".skops", ".onnx")
    and ".answers" not in path.name
    and "refused" not in path.name
)
OWN_FILES = [name for name in ALL_FILES if name.startswith("sightline-")]
FILES = [name for name in ALL_FILES if name not in OWN_FILES]


def test_there_are_files_of_every_library():
    libraries = {name.partition("-")[0] for name in FILES}
    assert libraries == {"catboost", "lightgbm", "sklearn", "sklearn_onnx", "xgboost"}
    assert len(FILES) >= 104
    assert len(OWN_FILES) >= 10


# scikit-learn itself warns that it unpacks an older version's estimator.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("name", FILES)
def test_predictions_are_those_of_the_version_that_wrote_the_file(name):
    stored = json.loads((FOLDER / f"{name.rpartition('.')[0]}.answers.json").read_text())
    rows = np.array(stored["rows"], dtype=float)
    model = sl.load(FOLDER / name)
    np.testing.assert_array_equal(model.predict(rows), stored["prediction"])
    if "probabilities" in stored:
        # XGBoost turns its scores into probabilities in single precision, we in double.
        np.testing.assert_allclose(model.predict_proba(rows), stored["probabilities"], rtol=0, atol=1e-7)


@since("scikit-learn", "1.8")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_an_estimator_that_this_scikit_learn_cannot_use_is_refused():
    # A SimpleImputer of 1.5 lacks what transform needs since 1.8; a bare forest would be read.
    with pytest.raises(sl.UnsupportedModelError) as caught:
        sl.load(FOLDER / "refused-sklearn-1.5.2-pipeline.skops")
    assert "its Pipeline was stored by scikit-learn 1.5.2, and scikit-learn" in str(caught.value)
    assert str(caught.value).endswith("Install scikit-learn==1.5.2, or fit the model again.")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_leaves_with_numbers_of_rows_are_refused():
    # scikit-learn itself predicts "probabilities" above 1 with such a forest, and wrong labels.
    with pytest.raises(
        sl.UnsupportedModelError, match="its leaves hold numbers of rows, as scikit-learn before"
    ):
        sl.load(FOLDER / "refused-sklearn-1.3.2-forest.skops")


@pytest.mark.parametrize("name", OWN_FILES)
def test_our_own_files_of_every_version_are_read(name):
    stored = json.loads((FOLDER / f"{name.removesuffix('.json')}.answers.json").read_text())
    rows = stored["rows"]
    frame = pd.DataFrame(rows["data"], index=rows["index"], columns=rows["columns"])
    assert sl.read_model(FOLDER / name).predict(frame).tolist() == stored["prediction"]
