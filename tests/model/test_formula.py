"""The steps of a formula by hand, and what is refused."""

import json
import math
import re

import numpy as np
import pytest
from scipy.special import boxcox, expit, softmax
from scipy.stats import yeojohnson
from strategies import core_tree, leaf, schema_of

import sightline as sl
from sightline import _core
from sightline.exceptions import ModelFormatError
from sightline.model import Ensemble, FormulaBuilder, Link, combined


def result_of(op, *inputs, numbers=(), columns=(), single=False):
    """Apply one operation to rows of numbers."""
    widths = [len(x) for x in inputs]
    builder = FormulaBuilder(sum(widths))
    first, steps = 0, []
    for width in widths:
        steps.append(builder.add("scores", columns=range(first, first + width)))
        first += width
    step = builder.add(op, *steps, numbers=numbers, columns=columns, single=single)
    scores = np.array([[number for x in inputs for number in x]], dtype=float)
    return builder.formula(step, step).evaluated(scores, step)[0].tolist()


def test_arithmetic():
    assert result_of("divide", [1.0, 2.0], numbers=[3]) == [1 / 3, 2 / 3]
    assert result_of("affine", [0.1], numbers=[3, 0.1]) == [3 * 0.1 + 0.1]
    assert result_of("complement", [0.3]) == [1 - 0.3, 0.3]
    assert result_of("mirror", [0.3]) == [-0.3, 0.3]
    assert result_of("difference", [0.3, 0.1]) == [0.1 - 0.3]
    assert result_of("select", [1.0, 2.0, 3.0], columns=[2, 0]) == [3.0, 1.0]
    assert result_of("place", [1.0, 2.0], numbers=[4], columns=[3, 1]) == [0.0, 2.0, 0.0, 1.0]
    assert result_of("concat", [1.0], [2.0, 3.0]) == [1.0, 2.0, 3.0]
    assert result_of("clip_one", [1 + 1e-6, 1.1, 0.5]) == [1.0, 1.1, 0.5]


def test_averages_are_added_in_order():
    found = result_of("average", [0.1, 1.0], [0.2, 2.0], [0.3, 4.0], numbers=[1, 1, 1, 3])
    assert found == [((0.1 + 0.2) + 0.3) / 3, 7 / 3]
    assert result_of("average", [0.1], [0.7], numbers=[2, 0.3, 2.3]) == [(2 * 0.1 + 0.3 * 0.7) / 2.3]
    single = np.array([[0.1], [0.7], [0.3]], dtype=np.float32)
    found = result_of("average", *single.tolist(), numbers=[1, 1, 1, 3], single=True)
    assert found == single.mean(axis=0).tolist()


def test_exponentials():
    assert result_of("sigmoid", [-3.0, 0.0, 800.0]) == expit([-3.0, 0.0, 800.0]).tolist()
    x = [0.3, -1.0, 2.0]
    assert result_of("numpy_softmax", x) == softmax(x).tolist()
    np.testing.assert_allclose(result_of("softmax", x), softmax(x), rtol=1e-15)
    np.testing.assert_allclose(result_of("softmax", x, single=True), softmax(x), rtol=1e-6)
    assert result_of("log", [0.0, 0.5], numbers=[1e-12]) == np.log(np.array([0, 0.5]) + 1e-12).tolist()


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize(
    ("op", "function"),
    [
        ("numpy_exp", np.exp),
        ("numpy_exp2", np.exp2),
        ("numpy_expm1", np.expm1),
        ("numpy_log", np.log),
        ("numpy_log2", np.log2),
        ("numpy_log10", np.log10),
        ("numpy_log1p", np.log1p),
        ("numpy_cbrt", np.cbrt),
        ("numpy_sinh", np.sinh),
        ("numpy_arcsinh", np.arcsinh),
        ("sqrt", np.sqrt),
        ("square", np.square),
        ("signed_square", lambda x: np.sign(x) * x * x),
    ],
)
def test_curves(op, function, single):
    x = np.array([1e-6, 0.3, 1.7, 12.5], dtype=np.float32 if single else np.float64)
    assert result_of(op, x.tolist(), single=single) == function(x).tolist()
    if "log" not in op and op != "sqrt":
        assert result_of(op, (-x).tolist(), single=single) == function(-x).tolist()


def test_curves_of_c_are_those_of_numpy_but_for_the_last_bits():
    x = [1e-6, 0.3, 1.7, 12.5]
    for op, function in {"exp": np.exp, "natural_log": np.log, "log1p": np.log1p, "fast_exp": np.exp}.items():
        np.testing.assert_allclose(result_of(op, x), function(x), rtol=1e-14)
    assert result_of("fast_exp", [-800.0, 0.0, 800.0]) == [0.0, 1.0, np.inf]
    assert np.isnan(result_of("sqrt", [-1.0])).all()
    assert np.isnan(result_of("numpy_log", [-1.0])).all()


def test_curves_with_numbers():
    x = [-2.0, -0.1, 0.0, 0.4, 3.0]
    for power in (0.0, 0.5, 2.0):
        found = result_of("inverse_yeo_johnson", x, numbers=[power])
        np.testing.assert_allclose(yeojohnson(found, power), x, atol=1e-12)
        small = [0.1, 0.4, 3.0]
        found = result_of("inverse_box_cox", small, numbers=[power])
        np.testing.assert_allclose(boxcox(found, power), small, atol=1e-12)
    assert result_of("snap", [-1.0, 0.1, 0.3, 0.85, 2.0], numbers=[0.2]) == [0.0, 0.0, 0.3, 1.0, 1.0]
    np.testing.assert_allclose(result_of("normal_cdf", [-1.96, 0.0, 1.0]), [0.025, 0.5, 0.8413], atol=1e-4)


@pytest.mark.parametrize("n", [3, 8, 11, 200, 300])
def test_shares_are_added_up_as_numpy_does(n):
    x = np.random.default_rng(n).random((1, n))
    assert result_of("normalize", x[0].tolist(), numbers=[0.25]) == (x / x.sum(axis=1))[0].tolist()
    one_by_one = np.cumsum(x[0])[-1]
    assert result_of("normalize", x[0].tolist(), numbers=[0]) == (x[0] / one_by_one).tolist()
    assert result_of("normalize", [0.0, 0.0], numbers=[0.5]) == [0.5, 0.5]


def test_interpolation():
    xs, ys = [0.1, 0.3, 0.9], [0.0, 0.2, 0.7]
    asked = [-1.0, 0.1, 0.2, 0.3, math.nextafter(0.3, 1), 0.55, 0.9, 2.0]
    assert result_of("interpolate", asked, numbers=xs + ys) == np.interp(asked, xs, ys).tolist()
    assert result_of("interpolate", [0.5], numbers=[0.3, 0.8]) == [0.8]


def test_choices():
    assert result_of("argmax", [0.2, 0.5, 0.5]) == [0.0, 1.0, 0.0]
    assert result_of("argmax", [0.4, 0.5, 0.5], numbers=[0.2]) == [1.0, 0.0, 0.0]
    assert result_of("argmax", [0.4, 0.5, 0.7], numbers=[0.2]) == [0.0, 0.0, 1.0]
    for column, label in [(0, 0), (0, 1), (1, 1)]:
        for x in ([0.3, 0.6], [0.5, 0.2]):
            found = result_of("above", x, numbers=[0.5], columns=[column, label])
            assert np.argmax(found) == (label if x[column] > 0.5 else 1 - label)
    # Classes 0 and 1 have a vote each of three; confidence breaks the tie.
    found = result_of("one_vs_one", [1, 0], [-0.1], [0, 1], [0.7], [1, 0], [-2.0], numbers=[3])
    sums = [0.1 - 0.7, -0.1 + 2.0, 0.7 - 2.0]
    votes = [1, 1, 1]
    np.testing.assert_allclose(found, [v + s / (3 * (abs(s) + 1)) for v, s in zip(votes, sums, strict=True)])


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (("divide", [0], [0.0], [], False), "step 1 of the formula: divides by 0"),
        (("divide", [1], [2.0], [], False), "step 1 of the formula: an input is not an earlier step"),
        (("divide", [], [2.0], [], False), "step 1 of the formula: has a wrong number of inputs"),
        (("divide", [0], [], [], False), "step 1 of the formula: has a wrong number of numbers"),
        (("divide", [0], [math.nan], [], False), "step 1 of the formula: a number is not finite"),
        (("select", [0], [], [], False), "step 1 of the formula: has a wrong number of columns"),
        (("select", [0], [], [2], False), "step 1 of the formula: a column does not exist"),
        (("scores", [], [], [-1], False), "step 1 of the formula: a column does not exist"),
        (("complement", [0], [], [], False), "step 1 of the formula: needs one number"),
        (
            ("average", [0, 0], [1.0, 1.0], [], False),
            "step 1 of the formula: needs one number per input",
        ),
        (("average", [0], [1.0, 0.0], [], False), "step 1 of the formula: divides by 0"),
        (("argmax", [0], [-0.5], [], False), "step 1 of the formula: needs one tolerance or none"),
        (("argmax", [0], [0.5, 0.5], [], False), "step 1 of the formula: needs one tolerance or none"),
        (("place", [0], [1.5], [0, 1], False), "step 1 of the formula: has a wrong number of columns"),
        (("log", [0], [0.0], [], False), "step 1 of the formula: needs a positive number"),
        (("interpolate", [0], [1.0], [], False), "step 1 of the formula: needs pairs of numbers"),
        (
            ("interpolate", [0], [1.0, 1.0, 0.0, 1.0], [], False),
            "step 1 of the formula: its points must ascend",
        ),
        (
            ("interpolate", [0], [0.0, 1.0, 1.0, 0.0], [], False),
            "step 1 of the formula: its values must not desc",
        ),
        (("above", [0], [0.5], [2, 1], False), "step 1 of the formula: a column does not exist"),
        (
            ("one_vs_one", [0, 0], [2.0], [], False),
            "step 1 of the formula: its inputs must be labels",
        ),
        (("scores", [], [], [2], False), "step 1 of the formula: a column does not exist"),
        (("divide", [-1], [2.0], [], False), "step 1 of the formula: an input is not an earlier step"),
        (("average", [], [1.0], [], False), "step 1 of the formula: has a wrong number of inputs"),
        (("above", [0], [0.5], [-1, 1], False), "step 1 of the formula: a column does not exist"),
        (("above", [0], [0.5], [0, -1], False), "step 1 of the formula: a column does not exist"),
        (("above", [0], [0.5], [0, 2], False), "step 1 of the formula: a column does not exist"),
        (("interpolate", [0], [], [], False), "step 1 of the formula: needs pairs of numbers"),
        (("place", [0], [0.0], [0, 1], False), "step 1 of the formula: has a wrong number of columns"),
        (("place", [0], [65536.0], [0, 1], False), "step 1 of the formula: has a wrong number of columns"),
        (("place", [0], [3.0], [0], False), "step 1 of the formula: has a wrong number of columns"),
        (("place", [0], [3.0], [0, 3], False), "step 1 of the formula: a column does not exist"),
        (("mix", [0], [], [], False), "step 1 of the formula: needs as many rows as its input has numbers"),
        (
            ("mix", [0], [1.0] * 3, [], False),
            "step 1 of the formula: needs as many rows as its input has num",
        ),
        (("mix", [0], [1.0, -1.0], [], False), "step 1 of the formula: a number is negative"),
        (("one_vs_one", [0, 0], [], [], False), "step 1 of the formula: needs the number of classes"),
        (("one_vs_one", [0, 0], [2.5], [], False), "step 1 of the formula: needs the number of classes"),
        (("one_vs_one", [0, 0], [3.0], [], False), "step 1 of the formula: has a wrong number of inputs"),
        (("cube", [0], [], [], False), "a formula has no operation 'cube'"),
    ],
)
def test_steps_that_do_not_fit(step, sentence):
    scores = ("scores", [], [], [0, 1], False)
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        _core.Formula([scores, step], 2, 0, 0)


def test_inputs_that_do_not_fit():
    scores = ("scores", [], [], [0, 1, 0], False)
    first = ("select", [0], [], [0], False)
    for op, numbers, sentence in [
        ("difference", [], "needs two numbers"),
        ("average", [1.0, 1.0, 2.0], "its inputs differ in length"),
        ("mirror", [], "needs one number"),
    ]:
        inputs = [0, 1] if op == "average" else [0]
        with pytest.raises(ValueError, match=f"^step 2 of the formula: {sentence}$"):
            _core.Formula([scores, first, (op, inputs, numbers, [], False)], 2, 0, 0)


def test_results_that_do_not_fit():
    scores = ("scores", [], [], [0, 1], False)
    first = ("select", [0], [], [0], False)
    with pytest.raises(ValueError, match="the formula has no such step for its result"):
        _core.Formula([scores], 2, 0, 1)
    with pytest.raises(ValueError, match="the formula has no such step for its result"):
        _core.Formula([scores], 2, 1, 0)
    with pytest.raises(ValueError, match="label and probabilities differ in their number of classes"):
        _core.Formula([scores, first], 2, 0, 1)


def stored():
    builder = FormulaBuilder(2)
    scores = builder.add("scores", columns=[0, 1])
    label = builder.add("above", scores, numbers=[0.3], columns=[1, 1])
    core = combined([core_tree(leaf(0.6, 0.4), schema_of([0]))])
    link = Link("mean", formula=builder.formula(scores, label))
    model = Ensemble(core, schema_of([0]), np.array(["no", "yes"]), link, "yes")
    assert model.predict([[0.0]]).tolist() == ["yes"]
    return json.loads(model.to_json())


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (["link", "formula", "steps", 1], 3, "step 1 of the formula: must be an object."),
        (["link", "formula", "steps", 1, "op"], 3, "step 1 of the formula: 'op' must be str, not int."),
        (["link", "formula", "steps", 1, "op"], "cube", "a formula has no operation 'cube'."),
        (
            ["link", "formula", "steps", 1, "of"],
            [5],
            "step 1 of the formula: an input is not an earlier step.",
        ),
        (
            ["link", "formula", "steps", 1, "numbers"],
            ["a"],
            "step 1 of the formula: 'numbers' must hold only n",
        ),
        (
            ["link", "formula", "steps", 1, "single"],
            1,
            "step 1 of the formula: 'single' must be bool, not int.",
        ),
        (["link", "formula", "label"], 9, "the formula has no such step for its result."),
        (["link", "formula", "probabilities"], -1, "the formula has no such step for its result."),
        (["link", "formula", "steps"], {}, "'steps' must be list, not dict."),
        (["link", "formula", "steps", 0, "columns"], [0], "step 1 of the formula: a column does not exist."),
        (["link", "divide_by"], [2.0], "'divide_by' must be empty if there is a formula."),
        (["classes", "values"], ["no", "yes", "so"], "the formula does not match 3 classes."),
        (["positive"], 2, "'positive' is 2, which is not the number of a class."),
        (["single_precision"], [True, 1], "'single_precision' must hold only true and false."),
        (["single_precision"], [True], "the ensemble's 'single_precision' has length 1; expected 2."),
    ],
)
def test_damaged_files(tmp_path, path, value, sentence):
    document = stored()
    target = document
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    file = tmp_path / "model.json"
    file.write_text(json.dumps(document))
    with pytest.raises(ModelFormatError) as caught:
        sl.read_model(file)
    assert str(caught.value).startswith(f"{file}: {sentence}")


def test_a_mixture_needs_a_formula(tmp_path):
    document = stored()
    document["link"] = {"kind": "mixture", "divide_by": [], "label_above": 0.0, "probability_divisor": 1.0}
    (tmp_path / "model.json").write_text(json.dumps(document))
    with pytest.raises(ModelFormatError, match="the link 'mixture' needs a formula"):
        sl.read_model(tmp_path / "model.json")
