import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from show.hand_trees import leaf, plant

import sightline as sl
from sightline.exceptions import ParameterError
from sightline.model import ANY_NUMBER, RuleSet, Voting
from sightline.model._format import parse_model
from sightline.show import display, plot, to_frame, to_html, to_text
from sightline.show._example import credit_rules, credit_tree
from sightline.table import Feature


def stored_rules():
    """Return stored rules as a person edits them: without the checksum."""
    stored = json.loads(credit_rules().to_json())
    del stored["checksum"]
    return stored


def changed(**parts):
    return parse_model(json.dumps(stored_rules() | parts), "a test")


def conflicting():
    stored = stored_rules()
    stored["condition"] = [0, 1, 0, 1, 3, 4, 3, 5]
    return parse_model(json.dumps(stored), "a test")


def of_missing_incomes(**more):
    """Rules about applicants with an income, and about those without."""
    stored = stored_rules()
    low, high, accepts = (list(stored[name]) for name in ("low", "high", "accepts_missing"))
    high[stored["low"].index(2000)] = None
    high[stored["high"].index(2000)] = ANY_NUMBER
    low[stored["low"].index(2000)] = ANY_NUMBER
    accepts[stored["low"].index(2000)] = 1
    return changed(low=low, high=high, accepts_missing=accepts, **more)


def test_values_that_must_be_missing():
    rules = of_missing_incomes()
    assert "bad:\n  age <= 30 and income has a value  (" in to_text(rules)
    assert "  age <= 30 and income has no value  (" in to_text(rules)
    assert "also hold for missing values" not in to_text(rules)
    assert rules.to_text(show_missing=True) == to_text(rules)
    why = rules.explain({"age": 25, "income": 1800, "purpose": "car"})
    assert [(r.condition, r.low, r.high) for r in why.reasons if r.column == "income"] == [
        ("income has a value", None, None)
    ]
    equal = stored_rules()["low"].copy()
    equal[stored_rules()["high"].index(2000)] = 2000
    both = [int(high == 2000) for high in stored_rules()["high"]]
    assert "age <= 30 and income has no value  (" in to_text(changed(low=equal, accepts_missing=both))


def test_text():
    assert to_text(credit_rules()) == (
        "4 rules from 1 tree; predicts bad or good\n"
        "A rule votes with its full weight when all its conditions hold. "
        "When at least 50% of them hold, it votes with 0.2 times that share.\n"
        "\n"
        "bad:\n"
        "  age <= 30 and income <= 2000  (80% of 25 rows; weight 1)\n"
        "\n"
        "good:\n"
        "  age > 30 and purpose = house  (95% of 40 rows; weight 1)\n"
        "  age > 30 and purpose is one of car, holiday  (75% of 20 rows; weight 1)\n"
        "  age <= 30 and income > 2000  (60% of 15 rows; weight 1)\n"
    )


def test_precision_on_unseen_rows_is_told_where_it_is_known():
    rules = changed(oob_coverage=[8.0, 1.0, 0.0, None], oob_precision=[0.75, 1.0, None, None])
    text = to_text(rules)
    assert "age <= 30 and income <= 2000  (80% of 25 rows, 75% of 8 unseen; weight 1)" in text
    assert "age <= 30 and income > 2000  (60% of 15 rows, 100% of 1 unseen; weight 1)" in text
    assert text.count("unseen") == 2


def test_text_of_full_matches_only():
    text = to_text(credit_rules().with_voting(pc=1.0))
    assert text.splitlines()[1] == "A rule votes with its full weight when all its conditions hold."


def test_weaker_rules_are_counted():
    assert credit_rules().to_text(max_rules=1).endswith("\n… and 3 weaker rules\n")
    assert "… and 3 weaker rules" in display(credit_rules()).html(max_rules=1)


def test_missing_values_are_told_on_demand():
    rules = changed(accepts_missing=[0, 1, 0, 0, 0, 0])
    assert "Some conditions also hold for missing values; show_missing=True marks them.\n" in to_text(rules)
    text = rules.to_text(show_missing=True)
    assert "age <= 30 and (income <= 2000 or missing)" in text
    assert "Some conditions" not in text


def test_conflicts_side_by_side():
    assert to_text(conflicting()).endswith(
        "\nSame conditions, different classes:\n"
        "  age <= 30 and income <= 2000: bad (weight 1) | good (weight 1)\n"
    )


def test_votes_against():
    text = to_text(changed(weight=[1.0, -0.5, 1.0, 1.0]))
    assert "  against: age <= 30 and income > 2000  (60% of 15 rows; weight 0.5)\n" in text


def test_multiplicity_is_told():
    X, y = [[1.0], [2.0], [3.0], [4.0]] * 5, ["no", "no", "yes", "yes"] * 5
    text = sl.RuleSetClassifier(random_state=0).fit(X, y).to_text()
    assert "x0 <= 2  (100% of 10 rows; in 25 of 25 trees; weight 25)" in text


def test_rule_without_conditions():
    rules = sl.RuleSetClassifier(random_state=0, pc=1.0, wr=0.5).fit([[1.0], [1.0], [1.0]], ["a", "a", "b"])
    assert "  always  (" in rules.to_text()


def test_frames():
    frame = to_frame(conflicting())
    assert isinstance(frame, pd.DataFrame)
    assert frame["rule"].tolist()[:2] == ["age <= 30 and income <= 2000"] * 2
    assert frame["label"].tolist() == ["bad", "good", "good", "good"]
    assert frame["n_trees"].tolist() == [1, 1, 1, 1]
    assert frame["coverage"].tolist() == [25.0, 15.0, 20.0, 40.0]
    assert frame["trees"].tolist() == [[0]] * 4
    assert frame["conflicts_with"].tolist() == [[1], [0], [], []]
    other = conflicting().to_frame("polars")
    assert isinstance(other, pl.DataFrame)
    assert other["rule"].to_list() == frame["rule"].tolist()
    assert other.columns == frame.columns.tolist()


def test_unknown_library():
    with pytest.raises(ParameterError) as caught:
        credit_rules().to_frame("arrow")
    assert str(caught.value) == "The 'library' parameter must be 'pandas' or 'polars'. Got 'arrow' instead."


def test_a_tree_has_a_row_per_leaf():
    frame = credit_tree().to_frame()
    assert frame.columns.tolist() == ["leaf", "rule", "label", "n_conditions", "coverage", "precision"]
    assert frame.values.tolist() == [
        [2, "age <= 30 and income <= 2000", "bad", 2, 25.0, 0.8],
        [3, "age <= 30 and income > 2000", "good", 2, 15.0, 0.6],
        [5, "age > 30 and purpose is one of car, holiday", "good", 2, 20.0, 0.75],
        [6, "age > 30 and purpose = house", "good", 2, 40.0, 0.95],
    ]
    assert credit_tree().to_frame("polars")["leaf"].to_list() == frame["leaf"].tolist()
    lone = plant(leaf(3, 1), [Feature("x")], ["a", "b"]).to_frame()
    assert lone.values.tolist() == [[0, "always", "a", 0, 4.0, 0.75]]


def test_frames_of_trees_leave_open_what_is_unknown():
    merged = sl.merge(sl.load(credit_tree())).to_frame()
    assert merged["coverage"].isna().all()
    assert merged["precision"].isna().all()


def test_an_ensemble_has_no_frame():
    with pytest.raises(TypeError, match="sightline has no data frame for a Ensemble"):
        to_frame(sl.load(credit_tree()))


def test_html_escapes():
    stored = stored_rules()
    stored["features"]["features"][0]["name"] = "<script>\x1b"
    stored["classes"]["values"] = ["<b>", "good"]
    hostile = parse_model(json.dumps(stored), "a test")
    html = hostile._repr_html_()
    assert "<script>" not in html
    assert "<b></td>" not in html
    assert "\x1b" not in to_text(hostile)
    plot(hostile).figure.draw_without_rendering()


def test_plot():
    ax = plot(credit_rules())
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "age > 30 and purpose = house",
        "age <= 30 and income <= 2000",
        "age > 30 and purpose is one of car, holiday",
        "age <= 30 and income > 2000",
    ]
    assert [bar.get_width() for bar in ax.patches] == [40, 25, 20, 15]
    assert ax.get_xlabel() == "training rows that satisfy the rule"
    unknown = RuleSet(
        credit_rules().core, credit_rules().schema, np.array(["bad", "good"]), credit_rules().voting
    )
    assert plot(unknown).get_xlabel() == "weight of the rule"


def test_no_rules_at_all():
    none = credit_rules().selected([])
    assert to_text(none).startswith("0 rules from 1 tree; predicts bad or good\n")
    plot(none).figure.draw_without_rendering()
    assert len(to_frame(none)) == 0
    assert "<table>" in to_html(none)


@pytest.mark.parametrize("form", ["text", "html", "plot"])
def test_limits(form):
    with pytest.raises(ParameterError) as caught:
        getattr(display(credit_rules()), form)(max_rules=0)
    assert str(caught.value) == "The 'max_rules' parameter must be None or at least 1. Got 0 instead."


def test_numbers_that_look_alike_get_more_digits():
    rules = changed(low=[None, None, 2000.0000001, 30, None, None])
    text = to_text(rules)
    assert "income > 2000.0000001" in text
    assert "income <= 2000 " in text


def test_any_value():
    rules = changed(high=[None, 2000, None, None, None, None], accepts_missing=[0, 0, 0, 1, 0, 0])
    assert "age has a value and income <= 2000" in to_text(rules)
    assert Voting((1.0,), (0.0,)).has_partial is False


def test_votes_before_the_first_rule_are_named():
    base = credit_rules().with_voting(base=(0.25, 0.75))
    assert "Votes before the first rule: good 0.75, bad 0.25." in base.to_text()
