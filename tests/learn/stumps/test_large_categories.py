"""Categories with hundreds of values: left out if they do not help, tested with a warning if they do."""

import warnings

import numpy as np
import pandas as pd
import pytest

import sightline as sl


def customers(n_values, effect):
    """Return people with a postal code, which changes the label with some probability, and a score."""
    drawn = np.random.default_rng(0)
    code = drawn.integers(n_values, size=1600)
    frame = pd.DataFrame({"code": [f"{one:05d}" for one in code], "score": drawn.normal(500, 60, 1600)})
    is_bad = frame["score"] + drawn.normal(0, 60, 1600) < 430
    return frame, np.where(np.where(drawn.random(1600) < effect, code % 2 == 0, is_bad), "yes", "no")


def columns_of(stumps):
    return {int(feature) for stump in stumps.stumps_ for feature in stump.core.used_features}


def test_a_large_category_that_does_not_help_is_not_tested():
    X, y = customers(900, effect=0)
    stumps = sl.StumpEnsembleClassifier(max_size=3, random_state=0).fit(X[:1200], y[:1200])
    assert columns_of(stumps) == {1}
    assert stumps.remarks_ == [
        "The stumps do not test 'code': it does not help to predict held-out training rows. To allow it, "
        "pass screen=False to StumpEnsembleClassifier."
    ]
    alone = sl.StumpEnsembleClassifier(max_size=3, random_state=0).fit(X[["score"]][:1200], y[:1200])
    assert (stumps.predict(X[1200:]) == alone.predict(X[["score"]][1200:])).all()
    assert len(stumps.to_text().splitlines()) == len(alone.to_text().splitlines())
    # The column is still one of the model's.
    assert stumps.feature_names_in_.tolist() == stumps.ensemble_.schema.names == ["code", "score"]
    assert len(stumps.ensemble_.schema.features[0].categories) > 100
    assert sl.certify(stumps.to_tree(), stumps).equivalent


@pytest.mark.parametrize("options", [{"screen": False}, {"preset": "paper"}])
def test_without_screening_a_large_category_is_tested_with_a_warning(options):
    X, y = customers(900, effect=0)
    sentence = (
        "The stumps test 'code', with a branch for each of more than 100 values. Such stumps are long, and a "
        "value of a few rows fits its label by chance. Drop the column, join its rare values, or pass "
        "nominal='binary' to StumpEnsembleClassifier."
    )
    with pytest.warns(sl.DataWarning) as caught:
        stumps = sl.StumpEnsembleClassifier(max_size=3, **options).fit(X, y)
    assert [str(one.message) for one in caught] == stumps.remarks_ == [sentence]
    assert caught[0].filename == __file__
    assert 0 in columns_of(stumps)


def test_a_large_category_that_helps_is_tested():
    X, y = customers(120, effect=0.8)
    with pytest.warns(sl.DataWarning, match="^The stumps test 'code', with a branch"):
        stumps = sl.StumpEnsembleClassifier(max_size=3, random_state=0).fit(X, y)
    assert 0 in columns_of(stumps)
    binary = sl.StumpEnsembleClassifier(max_size=3, nominal="binary", random_state=0).fit(X, y)
    assert binary.remarks_ == []


def test_smaller_categories_are_neither_screened_nor_mentioned():
    X, y = customers(90, effect=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        screened, all_columns = (
            sl.StumpEnsembleClassifier(screen=screen, max_size="cv", random_state=0).fit(X, y)
            for screen in (True, False)
        )
    assert screened.remarks_ == []
    assert screened.to_text() == all_columns.to_text()


def test_a_report_names_the_columns_that_stumps_leave_out():
    X, y = customers(900, effect=0)
    stumps = sl.StumpEnsembleClassifier(max_size=3, random_state=0).fit(X, y)
    assert "The stumps do not test 'code'" in sl.report(stumps, X, y, sizes=()).to_html()
