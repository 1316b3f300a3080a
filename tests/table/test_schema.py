import json

import pytest

from sightline.exceptions import DataError, ModelFormatError
from sightline.table import Feature, Schema


def test_numeric_and_nominal_features_count_their_values():
    schema = Schema((Feature("a"), Feature("b", ("x", "y", "z"))))
    assert schema.names == ["a", "b"]
    assert schema.n_values == [0, 3]
    assert len(schema) == 2
    assert [feature.is_nominal for feature in schema.features] == [False, True]


def test_types_of_categories_survive_json():
    schema = Schema((Feature("a", ("1", 1, 2.5, False)), Feature("b", (1.0, "true"))))
    back = Schema.from_json(json.loads(json.dumps(schema.to_json())))
    assert back == schema
    for before, after in zip(schema.features, back.features, strict=True):
        assert [type(value) for value in before.categories] == [type(value) for value in after.categories]


def test_names_of_arrays_are_not_given_names():
    assert not Schema((Feature("x0"), Feature("x1"))).has_given_names
    assert Schema((Feature("x1"), Feature("x0"))).has_given_names


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        (["a", "b"], ["b", "a"], ["a", "b"]),
        (["a_b", "c_d_e"], ["c d_e", "a b"], ["a b", "c d_e"]),
        (["a_b", "c"], ["a b", "a_b", "c"], ["a_b", "c"]),
        (["a b", "a_b"], ["a b"], ["a b", "a_b"]),
        (["a b", "c"], ["c", "a_b"], ["a_b", "c"]),
        (["a b_c", "a_b c"], ["a_b_c"], ["a b_c", "a_b c"]),
        (["a_b"], ["a\tb"], ["a_b"]),
    ],
)
def test_rows_may_write_blanks_where_the_model_has_underscores(own, given, expected):
    assert Schema(tuple(map(Feature, own))).called(given) == expected


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ([], "A schema must be an object with the entry 'features'."),
        ({"features": [], "more": 1}, "A schema must be an object with the entry 'features'."),
        ({"features": {}}, "The 'features' of a schema must be a list."),
        (
            {"features": ["a"]},
            "Feature 0 must be an object with 'name' and, if nominal, 'categories'.",
        ),
        (
            {"features": [], "ignores_extra": 1},
            "The 'ignores_extra' of a schema must be true or false. Got 1 instead.",
        ),
        (
            {"features": [{"name": "a", "rounded_types": "float32"}]},
            "The 'rounded_types' of feature 'a' must be a list of strings. Got 'float32' instead.",
        ),
        ({"features": [{"name": 3}]}, "The name of feature 0 must be a string. Got 3 instead."),
        (
            {"features": [{"name": "a", "categories": "xy"}]},
            "The categories of feature 'a' must be a list. Got 'xy' instead.",
        ),
        (
            {"features": [{"name": "a", "categories": [float("nan")]}]},
            "The categories of feature 'a' must be strings, finite numbers or booleans. Got nan instead.",
        ),
        (
            {"features": [{"name": "a", "categories": ["x", "x"]}]},
            "The schema is malformed: Column 'a' declares a value twice.",
        ),
        (
            {"features": [{"name": "a", "categories": []}]},
            "The schema is malformed: Column 'a' declares no values. "
            "Declare at least one, or make it numeric.",
        ),
        (
            {"features": [{"name": "a", "unseen": "last"}]},
            "The 'unseen' of feature 'a' must be 'missing', 'last' or 'refuse', and needs 'categories'.",
        ),
        (
            {"features": [{"name": "a", "rounding": "up"}]},
            "The 'rounding' of feature 'a' must be one of ('sklearn', 'sklearn, converted', 'xgboost', "
            "'lightgbm', 'catboost'). Got 'up' instead.",
        ),
        (
            {"features": [{"name": "a", "kind": "moon"}]},
            "The 'kind' of feature 'a' must be one of ('date', 'datetime', 'datetime UTC', 'duration'). "
            "Got 'moon' instead.",
        ),
        (
            {"features": [{"name": "a", "unit": 3}]},
            "The 'unit' of feature 'a' must be a string. Got 3 instead.",
        ),
        (
            {"features": [{"name": "a", "ignored": "no"}]},
            "The 'ignored' of feature 'a' must be true or false. Got 'no' instead.",
        ),
        (
            {"features": [{"name": "a"}, {"name": "a"}]},
            "The schema is malformed: Two columns have the name 'a'. Names must be different.",
        ),
    ],
)
def test_malformed_json_is_refused(content, sentence):
    with pytest.raises(ModelFormatError) as caught:
        Schema.from_json(content)
    assert str(caught.value) == sentence


def test_equal_names_are_refused():
    with pytest.raises(DataError, match=r"Two columns have the name 'a'\. Names must be different"):
        Schema((Feature("a"), Feature("a")))
