"""What rules and merged trees say about outcomes when they only know the ensemble's labels."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier

import sightline as sl

COUNTED = "Percentages of rows count the ensemble's labels."


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.lognormal(8, 0.5, 300).round(), "age": rng.integers(18, 80, 300)})
    return X, np.where(X["age"] + rng.normal(0, 20, 300) > 50, "repaid", "default")


@pytest.fixture(scope="module")
def forest(loans):
    return RandomForestClassifier(5, max_depth=3, random_state=0).fit(*loans)


def few_rules(model, *rows, **options):
    return sl.RuleSetClassifier(model, max_rules=5, random_state=0, **options).fit(*rows)


def test_rules_that_count_outcomes_say_how_often_they_are_right(loans, forest):
    rules = few_rules(forest, *loans)
    why = rules.explain(loans[0].iloc[0])
    assert COUNTED not in rules.to_text()
    assert why.precision is not None
    assert why.probability is not None
    assert "earlier cases like this one" in why.to_letter()


def test_rules_without_outcomes_do_not_claim_any(loans, forest):
    rules = few_rules(forest, loans[0])
    why = rules.explain(loans[0].iloc[0])
    assert COUNTED in rules.to_text()
    assert why.precision is None
    assert "earlier cases" not in why.to_letter()
    assert "The computer model is" in why.to_letter()  # the votes follow the ensemble's probabilities


@pytest.mark.parametrize(
    ("is_black_box", "options"),
    [(False, {"cost_matrix": [[0, 5], [1, 0]]}), (False, {"threshold": 0.7}), (True, {})],
)
def test_rules_that_learned_labels_claim_no_certainty(loans, forest, is_black_box, options):
    model = sl.BlackBox(KNeighborsClassifier().fit(*loans)) if is_black_box else forest
    rules = few_rules(model, *loans, **options)
    everyone = rules.explain(loans[0])
    why = everyone[everyone.agrees][0]
    assert COUNTED in rules.to_text()
    assert (why.precision, why.probability) == (None, None)
    assert "\n\n\n" not in why.to_letter()
    assert "earlier cases" not in why.to_letter()
    assert "sure of this result" not in why.to_letter()


def test_files_remember_whose_labels_rules_count(loans, forest, tmp_path):
    path = tmp_path / "rules.json"
    rules = few_rules(forest, loans[0])
    path.write_text(rules.to_json())
    again = sl.read_model(path)
    assert COUNTED in again.to_text()
    assert again.to_json() == rules.to_json()
    assert again.explain(loans[0].iloc[0]).precision is None


@pytest.mark.parametrize("to", ["tree", "graph"])
def test_merged_models_are_not_called_sure(loans, forest, to):
    why = sl.merge(forest, to=to).explain(loans[0].iloc[0])
    assert why.probability is None
    assert "sure of this result" not in why.to_letter()


@pytest.mark.parametrize("step", ["stacked", "equal", "smallest"])
def test_trees_of_stumps_are_sure_only_of_shares_of_votes(loans, step):
    stumps = sl.StumpEnsembleClassifier(max_size=3, random_state=0).fit(*loans)
    row = loans[0].iloc[0]
    assert (stumps.to_tree(step).explain(row).probability is None) == (step != "stacked")
    assert stumps.to_graph().explain(row).probability is None
