"""What the user asks of a distilled tree: decisions, columns and limits."""

import json
from html import escape

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import sightline as sl
from sightline.cli._app import app
from sightline.cli._data import split
from sightline.cli._job import Job
from sightline.cli._request import MethodName, Request, Shape
from sightline.cli._tree_options import ObjectiveName, TreeOptions
from sightline.exceptions import ParameterError


@pytest.fixture(scope="module")
def loans():
    return sl.make_loans(500, random_state=1)


@pytest.fixture(scope="module")
def ensemble(loans):
    return sl.BaggedTreesClassifier(n_trees=5, random_state=0).fit(loans.X, loans.y)


@pytest.fixture(scope="module")
def found(loans, tmp_path_factory):
    """What the command writes with a threshold and a column that must not be tested."""
    folder = tmp_path_factory.mktemp("loans")
    rows = pd.DataFrame({column.name: column.to_list() for column in loans.columns})
    rows.assign(default=list(loans.y)).to_csv(folder / "loans.csv", index=False)
    arguments = ["--data", str(folder / "loans.csv"), "--target", "default", "--out", str(folder / "out")]
    options = ["--trees", "5", "--jobs", "1", "--max-leaves", "4", "--threshold", "0.15", "--exclude", "age"]
    result = CliRunner().invoke(app, ["distill", *arguments, *options])
    assert result.exit_code == 0, result.output
    return folder / "out", result.output


def fitted(ensemble, loans, max_leaves=8, **options):
    return Request(max_leaves=max_leaves, n_jobs=1, tree=TreeOptions(**options)).fit(ensemble, loans)


def columns_in(tree):
    return {tree.schema.names[index] for index in tree.core.used_features}


def test_the_text_of_a_tree_names_the_threshold_of_its_labels(found):
    """A leaf "yes (20% of 199 rows)" puzzles readers who do not know the threshold."""
    lines = (found[0] / "tree.txt").read_text().splitlines()
    assert "The ensemble labels a row 'yes' if its probability is at least 0.15." in lines


def test_the_text_of_a_tree_repeats_no_remark(found):
    text = (found[0] / "tree.txt").read_text()
    assert text.count("at least 0.15") == 1
    assert text.endswith("The tree was not allowed to test 'age', which the ensemble uses.\n")


def test_a_stored_model_still_names_its_threshold(found):
    """Only the folder of ``distill`` said so: its model.json, shown or reported later, did not."""
    rule = "The ensemble labels a row 'yes' if its probability is at least 0.15."
    tree = sl.read_model(found[0] / "model.json")
    assert rule in tree.to_text()
    shown = CliRunner().invoke(app, ["show", str(found[0] / "model.json")])
    assert rule in shown.output
    loans = sl.make_loans(60, random_state=2)
    assert rule in sl.report(tree, loans.X, loans.y, sizes=()).to_text()


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"threshold": 0.15}, "The ensemble labels a row 'yes' if its probability is at least 0.15."),
        (
            {"cost": ["yes:no=4"]},
            "The ensemble's labels minimize the expected cost: "
            "predicting 'yes' for 'no' costs 1 and 'no' for 'yes' costs 4.",
        ),
    ],
)
def test_rules_follow_a_threshold_and_costs(ensemble, loans, options, rule):
    """``--threshold`` with ``--to rules`` was refused."""
    rules = Request(Shape.RULES, max_rules=8, n_jobs=1, tree=TreeOptions(**options)).fit(ensemble, loans)
    is_likely = ensemble.predict_proba(loans.X)[:, 1] >= options.get("threshold", 0.2)
    assert ((rules.ensemble_.predict(loans.X) == "yes") == is_likely).all()
    assert np.mean((rules.predict(loans.X) == "yes") == is_likely) > 0.8
    assert rules.remarks_[0] == rule
    assert rule in rules.to_text()


def test_the_command_measures_the_decision_that_was_asked_for(found, loans):
    folder, _ = found
    ensemble, tree = (sl.read_model(folder / f"{name}.json") for name in ("ensemble", "model"))
    is_likely = ensemble.predict_proba(loans.X)[:, 1] >= 0.15
    assert ((ensemble.predict(loans.X) == "yes") == is_likely).all()
    assert "age" not in columns_in(tree)


def test_page_and_command_tell_what_one_cannot_see_in_the_tree(found):
    folder, output = found
    remarks = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))["remarks"]
    assert remarks == [
        "The ensemble labels a row 'yes' if its probability is at least 0.15.",
        "The tree was not allowed to test 'age', which the ensemble uses.",
    ]
    page = (folder / "report.html").read_text(encoding="utf-8")
    for remark in remarks:
        assert remark in output
        assert escape(remark) in page


def test_costs_are_given_by_class(ensemble, loans):
    tree = fitted(ensemble, loans, cost=["yes:no=4"], monotone=["income=-1"])
    is_likely = ensemble.predict_proba(loans.X)[:, 1] >= 0.2
    assert ((tree.ensemble_.predict(loans.X) == "yes") == is_likely).all()
    assert tree.remarks_ == [
        "The ensemble's labels minimize the expected cost: "
        "predicting 'yes' for 'no' costs 1 and 'no' for 'yes' costs 4.",
        "Proved: the probability of 'yes' never rises with 'income'.",
    ]


def test_support_and_shape_keep_to_their_limits(ensemble, loans):
    tree = fitted(ensemble, loans, min_leaf="10%", max_depth=3, max_features=2).tree_
    assert tree.core.weight[tree.core.test == 0].min() >= 50
    assert tree.depth <= 3
    assert tree.size_["features"] <= 2


def test_a_leaf_has_five_rows_by_default(ensemble, loans):
    least = {
        min_leaf: fitted(ensemble, loans, 60, objective=ObjectiveName.PROBABILITIES, min_leaf=min_leaf).tree_
        for min_leaf in (None, "1")
    }
    supports = [tree.core.weight[tree.core.test == 0].min() for tree in least.values()]
    assert supports[0] >= 5 > supports[1]


def test_columns_groups_and_weights_reach_the_tree(ensemble, loans):
    only = ["income", "amount", "age"]
    tree = fitted(
        ensemble,
        loans,
        only=only,
        prefer=["age"],
        group=["income, amount"],
        max_features=2,
        class_weight=["yes=3"],
    )
    assert columns_in(tree.tree_) <= set(only)
    assert tree.remarks_[0].endswith("when the tree was learned: 'yes' 3, others 1.")
    assert "'years employed'" in tree.remarks_[1]
    balanced = fitted(ensemble, loans, class_weight=["balanced"])
    assert balanced.class_weight == "balanced"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"monotone": ["income"]}, r"--monotone 'income' must be COLUMN=\+1 or COLUMN=-1"),
        ({"min_leaf": "few"}, "--min-leaf 'few' must be a number of rows or a share"),
        ({"cost": ["yes=4"]}, "must be TRUE:LABEL=COST, such as yes:no=5"),
        ({"cost": ["maybe:no=4"]}, "--cost names 'maybe', which is not a class. Choose from: no, yes"),
        ({"class_weight": ["yes"]}, "--class-weight 'yes' must be LABEL=WEIGHT"),
        ({"class_weight": ["maybe=2"]}, "--class-weight names 'maybe'"),
        ({"exclude": ["nothing"]}, "exclude names 'nothing'"),
    ],
)
def test_options_that_cannot_be_followed_are_named(ensemble, loans, options, message):
    with pytest.raises(ParameterError, match=message):
        fitted(ensemble, loans, **options)


def test_options_of_trees_are_refused_elsewhere(ensemble, loans):
    with pytest.raises(ParameterError, match="--min-leaf works only for distilled trees, not for --to rules"):
        Request(Shape.RULES, tree=TreeOptions(threshold=0.3, min_leaf="5"))
    with pytest.raises(
        ParameterError, match="--cost works only for distilled trees and rules, not for --to stumps"
    ):
        Request(Shape.STUMPS, tree=TreeOptions(cost=["yes:no=5"]))
    with pytest.raises(
        ParameterError, match=r"--max-depth works only for .*, not for --to tree --method merged"
    ):
        Request(Shape.TREE, MethodName.MERGED, tree=TreeOptions(max_depth=3))
    request = Request(Shape.TREE, MethodName.CMM, tree=TreeOptions(objective=ObjectiveName.BOTH))
    with pytest.raises(ParameterError, match="--objective does not work with --to tree --method cmm"):
        request.fit(ensemble, loans)


def test_a_threshold_is_about_the_class_that_was_named(loans):
    rows = split(loans, test_share=0.2, seed=0, source="loans")
    request = Request(max_leaves=4, n_jobs=1, tree=TreeOptions(threshold=0.8))
    result = Job(rows, request, n_trees=5, positive="no").run(lambda _: None)
    assert (
        "The ensemble labels a row 'no' if its probability is at least 0.8"
        in result.report.metrics["remarks"][0]
    )
    decided = result.report.evidence.ensemble
    is_likely = decided.predict_proba(loans.X)[:, 0] >= 0.8
    assert ((decided.predict(loans.X) == "no") == is_likely).all()


def test_the_class_of_a_black_box_is_its_last(loans):
    rows = split(loans, test_share=0.2, seed=0, source="loans")
    box = sl.BlackBox(lambda frame: np.where(frame["income"] > 2000, "no", "yes"), classes=["no", "yes"])
    job = Job(rows, Request(tree=TreeOptions(threshold=0.5)), box, positive="no")
    with pytest.raises(ParameterError, match="refer to the last class of a black box, 'yes'"):
        job.run(lambda _: None)
