"""The name of the target and the positive class travel with a model, wherever it goes."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from sightline.exceptions import ModelFormatError, ParameterError
from sightline.show import to_svg
from sightline.show._example import credit_tree


@pytest.fixture(scope="module")
def rows():
    generator = np.random.default_rng(0)
    X = pd.DataFrame({"age": generator.integers(18, 80, 200), "income": generator.normal(3000, 900, 200)})
    return X, pd.Series(np.where((X["age"] < 35) & (X["income"] < 3000), "yes", "no"), name="default")


@pytest.fixture(scope="module")
def ensemble(rows):
    X, y = rows
    return sl.load(RandomForestClassifier(5, max_depth=3, random_state=0).fit(X, y), positive="yes")


def test_every_distiller_names_target_and_positive_class(rows, ensemble):
    X, y = rows
    made = [
        sl.DistilledTreeClassifier(ensemble, max_leaves=3, random_state=0).fit(X, y).resized(2),
        sl.ISMClassifier(ensemble, max_leaves=3).fit(X, y),
        sl.CMMClassifier(ensemble, max_leaves=3, random_state=0).fit(X, y),
        sl.RuleSetClassifier(ensemble, max_rules=3, random_state=0).fit(X, y),
    ]
    assert {one.model_.subject for one in made} == {"default = yes"}
    assert sl.merge(ensemble.about("default")).subject == "default = yes"
    assert sl.C45Classifier().fit(X, y).tree_.subject == "default"


def test_the_target_of_a_table_is_named():
    loans = sl.make_loans(100)
    assert sl.C45Classifier().fit(loans.X, loans.y).tree_.target == loans.target_name
    assert (
        sl.DistilledTreeClassifier(random_state=0, max_leaves=3).fit(loans.X, loans.y).tree_.target
        == "default"
    )


def test_a_label_rule_that_is_no_text_is_refused(tmp_path):
    text = credit_tree().to_json().replace('"classes"', '"label_rule": 3, "classes"', 1)
    (tmp_path / "tree.json").write_text(text)
    with pytest.raises(ModelFormatError, match="label_rule"):
        sl.read_model(tmp_path / "tree.json")


def test_files_and_pickles_keep_the_names(tmp_path, ensemble):
    tree = credit_tree().about("credit", positive="bad")
    tree.to_json(tmp_path / "tree.json")
    assert sl.read_model(tmp_path / "tree.json").subject == "credit = bad"
    # Pickles number the labels: this raised a ValueError.
    for model in (tree, ensemble.about("default")):
        again = pickle.loads(pickle.dumps(model))
        assert (again.subject, again.positive) == (model.subject, model.positive)


@pytest.mark.parametrize("positive", [2, -1])
def test_a_file_with_an_impossible_positive_class_is_refused(tmp_path, positive):
    path = tmp_path / "tree.json"
    text = credit_tree().about("credit", positive="bad").to_json()
    path.write_text(text.replace('"positive":0', f'"positive":{positive}').partition(',"checksum"')[0] + "}")
    with pytest.raises(
        ModelFormatError, match=f"'positive' is {positive}, which is not the number of a class"
    ):
        sl.read_model(path)


def test_files_of_other_versions_name_no_target():
    path = Path(__file__).parents[1] / "data/versions/sightline-0.1.0-distilled.json"
    assert sl.read_model(path).subject == ""


def test_an_unknown_positive_class_is_refused():
    with pytest.raises(
        ParameterError, match="positive names 'ugly', but the model predicts 'bad' and 'good'"
    ):
        credit_tree().about(positive="ugly")


def test_text_drawing_sentences_and_page_name_them():
    tree = credit_tree().about("credit", positive="bad")
    assert (
        tree.to_text().splitlines()[1] == "Predicts credit: bad or good (positive: bad); trained on 100 rows"
    )
    row = {"age": 25, "income": 1000.0, "purpose": "car"}
    assert str(tree.explain(row)).startswith("Predicted credit = bad. 25 training rows")
    svg = to_svg(tree)
    assert "for credit = bad, good" in svg
    # The positive class has the second color, in the legend and in the leaves.
    assert svg.index("#e69f00") < svg.index("credit = bad</text>") < svg.index("credit = good</text>")
    assert "Tree: credit = bad" in tree._repr_html_()


def test_reports_take_the_names_of_the_model(rows, ensemble):
    X, y = rows
    tree = sl.DistilledTreeClassifier(ensemble, max_leaves=3, random_state=0).fit(X, y).tree_
    page = sl.report(tree, X, y.to_numpy(), sizes=())
    assert page.evidence.title == "Tree: default = yes"
    assert page.metrics["target"] == "default"


def test_exports_name_them():
    tree = credit_tree().about('cre"dit\n', positive="bad")
    space: dict[str, object] = {}
    exec(tree.export("python"), space)
    assert (space["TARGET"], space["POSITIVE"]) == ('cre"dit\n', "bad")
    assert 'const char *const predict_target = "cre\\042dit\\012";' in tree.export("c")
    assert 'const TARGET = "cre\\"dit\\n";' in tree.export("javascript")
    assert 'name="prediction" displayName=' in tree.export("pmml", missing="largest")
