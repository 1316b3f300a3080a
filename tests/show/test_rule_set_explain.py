import json

import sightline as sl
from sightline.model._format import parse_model
from sightline.show import explain
from sightline.show._example import credit_rules

ROW = {"age": 25, "income": 2500, "purpose": "car"}


def test_explanation():
    assert str(explain(credit_rules(), ROW)) == (
        "Predicted good. Votes: good 1.1, bad 0.1.\n"
        "Of 4 rules, 1 matches fully and 2 match partially (at least 50% of the conditions; "
        "these count 0.2 times the share that holds).\n"
        "Strongest rules that hold:\n"
        "- good (weight 1; 60% of 15 rows): age <= 30 and income > 2000\n"
        "Rules that nearly hold:\n"
        "- bad (weight 1): 1 of 2 conditions; fails: income <= 2000 (yours: 2500)\n"
        "- good (weight 1): 1 of 2 conditions; fails: age > 30 (yours: 25)"
    )


def test_category_missing_and_unknown_values():
    text = str(explain(credit_rules(), ROW | {"age": 50, "purpose": "house"}))
    assert "fails: purpose is one of car, holiday (yours: house)" in text
    assert "fails: age <= 30 (yours is missing)" in str(explain(credit_rules(), ROW | {"age": None}))
    unknown = explain(credit_rules(), {"age": 50, "income": 1, "purpose": "boat"})
    assert "fails: purpose = house (yours is unknown: boat)" in str(unknown)


def test_conditions_that_hold_for_a_missing_value_say_so():
    """An income that nobody knows was said to be at most 2000."""
    stored = json.loads(credit_rules().to_json()) | {"accepts_missing": [0, 1, 0, 0, 0, 0]}
    del stored["checksum"]
    rules = parse_model(json.dumps(stored), "a test")
    found = explain(rules, ROW | {"income": None})
    assert "- bad (weight 1; 80% of 25 rows): age <= 30 and (income <= 2000 or missing)\n" in str(found)
    assert found.rules[0].condition == "age <= 30 and (income <= 2000 or missing)"
    known = explain(rules, ROW | {"income": 1000})
    assert known.rules[0].condition == "age <= 30 and income <= 2000"
    rows = [ROW | {"income": None}, ROW | {"income": 1000}]
    paths = ["age <= 30 and (income <= 2000 or missing)", "age <= 30 and income <= 2000"]
    assert explain(rules, rows).to_frame()["path"].tolist() == paths


def test_nothing_votes():
    full = credit_rules().with_voting(pc=1.0)
    text = str(explain(full, {"age": None, "income": 1000, "purpose": None}))
    assert (
        "Of 4 rules, 0 match.\nNo rule votes, so rules with at least 50% of their conditions met decide."
        in text
    )
    nothing = dict.fromkeys(ROW)
    assert str(explain(credit_rules(), nothing)) == (
        "Predicted good. Votes: good 0.67, bad 0.33.\n"
        "Of 4 rules, 0 match fully and 0 match partially (at least 50% of the conditions; these count "
        "0.2 times the share that holds).\n"
        "No rule votes, so the class shares of the training rows decide."
    )


def test_votes_against_are_told():
    stored = json.loads(credit_rules().to_json()) | {"weight": [1.0, -0.5, 1.0, 1.0]}
    del stored["checksum"]
    text = str(explain(parse_model(json.dumps(stored), "a test"), ROW))
    assert "- not good (weight 0.5; 60% of 15 rows): age <= 30 and income > 2000" in text


def test_many_rules_are_counted():
    X, y = [[float(i), float(i % 7)] for i in range(60)], [str(i % 3) for i in range(60)]
    model = sl.RuleSetClassifier(sl.BaggedTreesClassifier(sl.C45Classifier(prune=False), random_state=0)).fit(
        X, y
    )
    assert "Strongest rules that hold (5 of " in str(model.explain(X[10]))
