"""The public surface: names, documentation, what an import costs, the contract of parameters."""

import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import thorough_after
from library_versions import since
from sklearn.base import BaseEstimator, clone, is_regressor

import sightline

PUBLIC = {name: getattr(sightline, name) for name in sightline.__all__}
ESTIMATORS = [noun for noun in PUBLIC.values() if inspect.isclass(noun) and issubclass(noun, BaseEstimator)]
STAGES = ("table", "model", "learn", "judge", "lab")

X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [5.0, 0.0]])
Y = np.array(["no", "no", "no", "yes", "yes", "yes"])
NUMBERS = np.array([1.0, 1.5, 1.25, 7.0, 8.0, 7.5])


def test_public_names_are_different_and_exist():
    assert len(set(sightline.__all__)) == len(sightline.__all__)
    assert all(hasattr(sightline, name) for name in sightline.__all__)


@pytest.mark.parametrize("stage", STAGES)
def test_names_of_stages_exist(stage):
    module = __import__(f"sightline.{stage}", fromlist=["__all__"])
    assert module.__doc__
    for name in module.__all__:
        assert inspect.getdoc(getattr(module, name))


@pytest.mark.parametrize("name", sightline.__all__)
def test_public_names_are_documented(name):
    """First line: one sentence. Sections as numpydoc has them, every parameter among them."""
    noun = PUBLIC[name]
    doc = inspect.getdoc(noun)
    first, *rest = doc.splitlines()
    assert first.endswith(".")
    assert len(first) <= 110
    assert not rest or rest[0] == ""
    if inspect.isclass(noun) and issubclass(noun, Exception):
        return
    for parameter in inspect.signature(noun).parameters.values():
        if parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            assert re.search(rf"^[\w, *]*\b{parameter.name}\b[\w, ]* :", doc, re.MULTILINE), parameter.name
    assert "Examples\n--------\n>>> " in doc


@pytest.mark.parametrize("name", sightline.__all__)
def test_public_methods_are_documented(name):
    noun = PUBLIC[name]
    if not inspect.isclass(noun):
        return
    for attribute in dir(noun):
        member = inspect.getattr_static(noun, attribute)
        if attribute.startswith("_") or not (callable(member) or isinstance(member, property)):
            continue
        owner = next(base for base in noun.__mro__ if attribute in vars(base))
        if owner.__module__.startswith("sightline"):
            assert inspect.getdoc(getattr(noun, attribute)), attribute


def test_errors_are_value_errors():
    errors = [noun for noun in PUBLIC.values() if inspect.isclass(noun) and issubclass(noun, Exception)]
    assert len(errors) >= 6
    errors = [error for error in errors if not issubclass(error, Warning)]
    assert all(issubclass(error, sightline.SightlineError) for error in errors)
    assert issubclass(sightline.SightlineError, ValueError)


def test_init_is_short():
    assert len(Path(sightline.__file__).read_text().splitlines()) < 80


OPTIONAL = ["pandas", "polars", "pyarrow", "xgboost", "lightgbm", "catboost", "onnx", "onnxruntime", "dask"]


def output_of(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def test_import_loads_no_optional_library():
    """Nothing beyond what scikit-learn loads by itself (it imports pandas where there is one)."""
    libraries = [*OPTIONAL, "matplotlib.pyplot"]
    code = (
        "import sys, sklearn.base; before = set(sys.modules); import sightline; "
        f"print([name for name in {libraries} if name in sys.modules and name not in before])"
    )
    assert output_of(code) == "[]\n"


def test_names_are_loaded_when_they_are_asked_for():
    """Also those that share their name with the folder that they live in, whichever is loaded first."""
    code = (
        "import sys, sightline as sl; print('numpy' in sys.modules); "
        "import sightline.report._words; from sightline.load import load; "
        "print(callable(sl.report), sl.load.load is load, sl.show.__name__)"
    )
    assert output_of(code) == "False\nTrue True sightline.show\n"
    assert {*sightline.__all__, "__version__", "table", "show"} <= set(dir(sightline))
    with pytest.raises(AttributeError, match=r"^module 'sightline' has no attribute 'forest'$"):
        _ = sightline.forest


@pytest.mark.parametrize("first", thorough_after(1, ["sl.{name}", "import sightline.{name}", "pass"]))
def test_a_function_and_its_package_share_a_name(first):
    """``import sightline.report as r`` gives the package, ``sl.report(…)`` calls the function."""
    # One process for both: most of its time goes into importing.
    assert output_of("; ".join(sharing(name, first) for name in ("load", "report"))) == SHARED * 2


SHARED = "True True True True True True\n"


def sharing(name, first):
    return (
        f"import inspect, pickle, types, sightline as sl; {first.format(name=name)}; "
        f"import sightline.{name} as package; "
        f"from sightline.{name} import {name} as function; from sightline import {name} as imported; "
        f"print(isinstance(package, types.ModuleType), package is sl.{name} is imported, callable(package), "
        f"inspect.signature(package) == inspect.signature(function), package.__doc__ == function.__doc__, "
        f"pickle.loads(pickle.dumps(package)) is package)"
    )


def test_a_callable_package_calls_its_function():
    tree = sightline.C45Classifier().fit(X, Y).tree_
    assert sightline.load(tree).n_trees == 1
    import sightline.report as package
    from sightline.report import Report

    assert package.Report is Report


def test_type_checkers_see_the_same_names():
    source = Path(sightline.__file__).read_text()
    seen = re.findall(r"^    from sightline\.(\w+) import (\w+) as (\w+)$", source, re.MULTILINE)
    assert {name: home for home, name, again in seen if name == again} == sightline.__homes__


def test_import_and_learning_need_no_optional_library():
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({OPTIONAL})); import sightline as sl; "
        "print(sl.BaggedTreesClassifier(random_state=0).fit([[1.0], [2.0]] * 3, [0, 1] * 3).predict([[1.0]]))"
    )
    assert output_of(code) == "[0]\n"


@since("nanobind", "3.1")
def test_stub_is_that_of_the_native_module(tmp_path):
    """Made again by ``make stubs``."""
    stub = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "sightline._core", "-o", str(stub)]
    subprocess.run(command, check=True)
    assert stub.read_text() == (Path(sightline.__file__).parent / "_core.pyi").read_text()


def test_version_is_that_of_the_distribution():
    from importlib.metadata import version

    assert sightline.__version__ == version("sightline")


# ---------------------------------------------------------------- every estimator


@pytest.fixture(params=ESTIMATORS, ids=lambda estimator: estimator.__name__)
def estimator(request):
    return request.param()


def target(estimator):
    return NUMBERS if is_regressor(estimator) else Y


def fitted(estimator):
    parameters = estimator.get_params()
    small = {"n_trees": 3} if "n_trees" in parameters else {}
    return estimator.set_params(**small).fit(X, target(estimator))


def test_parameters_are_stored_untouched(estimator):
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        assert getattr(estimator, name) is parameter.default
        marker = object()
        assert getattr(type(estimator)(**{name: marker}), name) is marker


def test_fit_does_not_touch_parameters(estimator):
    before = estimator.set_params(**({"n_trees": 3} if hasattr(estimator, "n_trees") else {})).get_params()
    estimator.fit(X, target(estimator))
    assert estimator.get_params() == before


def test_parameters_are_checked_in_fit_not_before(estimator):
    checked = [name for name in estimator.get_params(deep=False) if name in estimator._parameter_constraints]
    assert checked == list(estimator.get_params(deep=False))
    for name in checked:
        if estimator._parameter_constraints[name] == "no_validation":
            continue  # refused by whoever loads it
        marker = object()
        wrong = type(estimator)(**{name: marker})
        with pytest.raises(sightline.ParameterError) as error:
            wrong.fit(X, target(estimator))
        start = f"The {name!r} parameter of {type(estimator).__name__} must be "
        assert str(error.value).startswith(start)
        assert str(error.value).endswith(f"Got {marker!r} instead.")


def test_fitted_attributes_end_in_an_underscore(estimator):
    before = set(vars(estimator))
    fitted(estimator)
    new = set(vars(estimator)) - before
    assert ({"n_features_in_"} if is_regressor(estimator) else {"classes_", "n_features_in_"}) <= new
    assert all(name.endswith("_") and not name.startswith("_") for name in new)
    documented = set(re.findall(r"^(\w+_) : ", inspect.getdoc(type(estimator)), re.MULTILINE))
    assert new <= documented


def test_answers_have_the_types_of_the_labels(estimator):
    model = fitted(estimator)
    assert model.predict(X).dtype == target(estimator).dtype
    if is_regressor(estimator):
        assert not hasattr(model, "predict_proba")
    else:
        assert model.predict_proba(X).shape == (6, 2)
        assert set(model.predict(X)) <= set(model.classes_)
    assert 0 <= model.score(X, target(estimator)) <= 1
    assert set(model.size_) == {"nodes", "leaves", "depth", "rules", "conditions", "features"}


def test_names_of_columns_are_remembered(estimator):
    import pandas as pd

    frame = pd.DataFrame(X, columns=["a", "b"])
    model = fitted(clone(estimator)).fit(frame, target(estimator))
    assert model.feature_names_in_.tolist() == ["a", "b"]
    np.testing.assert_array_equal(model.predict(frame[["b", "a"]]), model.predict(frame))
    with pytest.warns(UserWarning, match="^X does not have valid feature names, but "):
        model.predict(X)
    model.fit(X, target(estimator))
    assert not hasattr(model, "feature_names_in_")


def test_pickle_and_clone_keep_the_answers(estimator):
    model = fitted(estimator)
    again = pickle.loads(pickle.dumps(model))
    for method in ("predict",) if is_regressor(model) else ("predict", "predict_proba"):
        np.testing.assert_array_equal(getattr(again, method)(X), getattr(model, method)(X))
    fresh = clone(model)
    assert not hasattr(fresh, "n_features_in_")
    assert str(fresh) == str(model)


def test_model_is_stored_and_read(estimator, tmp_path):
    model = fitted(estimator)
    text = model.to_json(tmp_path / "model.json")
    assert (tmp_path / "model.json").read_text() == text
    again = sightline.read_model(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_same_seed_same_bytes(estimator):
    if "random_state" not in estimator.get_params():
        return
    texts = {
        fitted(clone(estimator).set_params(random_state=0, **jobs)).to_json()
        for jobs in ({}, {"n_jobs": 1}, {"n_jobs": 2})
    }
    assert len(texts) == 1
