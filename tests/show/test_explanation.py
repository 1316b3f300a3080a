"""Explanations as data, of every kind of model."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.svm import SVC

import sightline as sl
from sightline.exceptions import DataError
from sightline.show._example import credit_rules, credit_tree
from sightline.table import make_loans

LOANS = make_loans()[:120]
FRAME = LOANS.X.to_pandas()
LABELS = np.asarray(LOANS.y)
NUMBERS = FRAME.select_dtypes("number").fillna(0.0)
INCOME = NUMBERS.iloc[:, 0].to_numpy() * 2 + NUMBERS.iloc[:, 1].to_numpy()

KEYS = ["row", "prediction", "probability", "support", "precision", "path", "reasons", "proved", "ensemble",
        "rules", "cases"]  # fmt: skip


def forest():
    return RandomForestClassifier(8, max_depth=3, random_state=0).fit(NUMBERS, LABELS)


def regression():
    return RandomForestRegressor(8, max_depth=3, random_state=0).fit(NUMBERS, INCOME)


MODELS = {
    "tree": lambda: sl.C45Classifier().fit(FRAME, LABELS),
    "distilled tree": lambda: sl.DistilledTreeClassifier(forest(), max_leaves=6, random_state=0).fit(NUMBERS),
    "graph": lambda: sl.C45Classifier().fit(FRAME, LABELS).tree_.to_graph(),  # noqa: PLW0108
    "rules": lambda: sl.RuleSetClassifier(forest(), random_state=0).fit(NUMBERS, LABELS),
    "stumps": lambda: sl.StumpEnsembleClassifier(random_state=0).fit(FRAME, LABELS),
    "cases": lambda: sl.MetaKNNClassifier(forest(), random_state=0).fit(NUMBERS, LABELS),
    "neighbors": lambda: sl.SubspaceKNNClassifier(n_members=5, random_state=0).fit(NUMBERS, LABELS),
    "forest": lambda: sl.load(forest()),
    "booster": lambda: sl.load(
        GradientBoostingClassifier(n_estimators=5, random_state=0).fit(NUMBERS, LABELS)
    ),
    "tree of numbers": lambda: sl.DistilledTreeRegressor(regression(), max_leaves=6).fit(NUMBERS, INCOME),
    "rules of numbers": lambda: sl.RuleSetRegressor(regression(), random_state=0).fit(NUMBERS, INCOME),
    "cases of numbers": lambda: sl.MetaKNNRegressor(regression(), random_state=0).fit(NUMBERS, INCOME),
    "ensemble of numbers": lambda: sl.load(
        GradientBoostingRegressor(n_estimators=5, random_state=0).fit(NUMBERS, INCOME)
    ),
}


def rows_for(name):
    return FRAME if name in ("tree", "graph", "stumps") else NUMBERS


@pytest.fixture(scope="module", params=list(MODELS))
def explained(request):
    model = MODELS[request.param]()
    rows = rows_for(request.param).iloc[40:60]
    return model, rows, model.explain(rows)


def test_predictions_are_the_models_own(explained):
    model, rows, why = explained
    assert why.predictions.tolist() == model.predict(rows).tolist()
    assert [one.prediction for one in why] == model.predict(rows).tolist()
    if why.probabilities is not None:
        assert np.allclose(why.probabilities, model.predict_proba(rows).max(axis=1))


def test_one_of_many_is_the_same_as_one_alone(explained):
    model, rows, why = explained
    for i in (0, 7, 19):
        alone = model.explain(rows.iloc[i])
        assert str(why[i]) == str(alone)
        assert why[i].to_dict() == alone.to_dict() | {"row": why[i].row}
        assert why[i] == alone


def test_dictionaries_are_json_with_the_same_keys(explained):
    _, _, why = explained
    for entry in why.to_dict():
        assert list(entry) == KEYS
        json.dumps(entry, allow_nan=False)


def test_frames_name_the_rows(explained):
    _, rows, why = explained
    frame = why.to_frame()
    assert frame["row"].tolist() == rows.index.tolist() == why.rows
    assert frame["prediction"].tolist() == why.predictions.tolist()
    assert {"reason_1", "reason_4"} <= set(frame.columns)
    assert why.to_frame("polars").shape == frame.shape
    strongest = [one.reasons[0].condition if one.reasons else None for one in why]
    assert [text if isinstance(text, str) else None for text in frame["reason_1"]] == strongest


def test_reasons_are_met_by_the_row(explained):
    _, rows, why = explained
    for one in why:
        for reason in one.reasons:
            value = rows.loc[one.row, reason.column]
            if pd.isna(value):
                assert reason.value is None
                continue
            assert reason.value == value
            assert reason.low is None or value > reason.low
            assert reason.high is None or value <= reason.high
            assert reason.values is None or value in reason.values
        assert [abs(r.change) for r in one.reasons] == sorted(
            (abs(r.change) for r in one.reasons), reverse=True
        )


def test_notebooks_show_cards_and_tables(explained):
    _, _, why = explained
    assert "more row" in why._repr_html_()
    assert f"Row {why[0].row}" in why[0]._repr_html_()


def test_the_example_by_hand():
    why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "boat"})
    assert (why.prediction, why.probability, why.support, why.precision) == ("bad", 0.8, 25.0, 0.8)
    assert [reason.column for reason in why.conditions] == ["age", "income"]
    assert [round(reason.change, 10) for reason in why.conditions] == [0.32, 0.15]
    assert why.row is None
    assert repr(why) == "<Explanation of 'bad', probability 0.8>"
    mixed = credit_tree().explain({"age": None, "income": 1800, "purpose": "boat"})
    assert (mixed.support, mixed.precision, mixed.proved) == (None, None, None)
    assert [reason.condition for reason in mixed.conditions] == [
        "age is missing",
        "income <= 2000",
        "purpose is missing or unknown",
    ]
    assert [reason.value for reason in mixed.conditions] == [None, 1800.0, "boat"]


def test_rules_by_hand():
    why = credit_rules().explain([[25, 1800, "car"], [None, None, None]], ids=["C7", "C9"])
    assert [(vote.rule, vote.prediction, vote.share) for vote in why[0].rules] == [
        (0, "bad", 1.0),
        (1, "good", 0.5),
        (2, "good", 0.5),
    ]
    # Votes are 1 for bad and 0.1 + 0.1 for good: without its rule, bad has none of 0.2.
    assert why[0].rules[0].change == pytest.approx(1 / 1.2)
    assert (why[0].support, why[0].precision) == (25.0, 0.8)
    assert why[1].rules == why[1].reasons == ()
    assert why.named("C9").prediction == "good"
    with pytest.raises(KeyError, match="There is no row 'C8'"):
        why.named("C8")


def test_a_name_that_several_rows_have_is_refused():
    """The first of them was returned, so that a letter described another loan of the same customer."""
    rows = [[25, 1800, "car"], [45, 900, "house"], [50, 900, "house"], [55, 900, "car"]]
    why = credit_tree().explain(rows, ids=["C7", "C9", "C7", "C7"])
    message = "3 rows are named 'C7': indices 0, 2 and 3. Select one by its index, as in explanations[0]."
    with pytest.raises(DataError, match=f"^{re.escape(message)}$"):
        why.named("C7")
    assert why[:2].named("C7").row == "C7"
    with pytest.raises(DataError, match="indices 1 and 2"):
        why[1:].named("C7")


def test_the_ensemble_answers_beside_the_tree():
    model = MODELS["distilled tree"]()
    why = model.explain(NUMBERS)
    expected = model.ensemble_.predict(NUMBERS)
    assert [one.ensemble.prediction for one in why] == expected.tolist()
    assert [one.ensemble.agrees for one in why] == (expected == why.predictions).tolist()
    assert all(sum(one.ensemble.votes.values()) == 8 for one in why)
    frame = why.to_frame()
    assert frame["agrees"].tolist() == (expected == why.predictions).tolist()
    assert frame["proved"].tolist() == [None if agrees else False for agrees in frame["agrees"]]
    searched = why.to_frame(prove=True)["proved"].tolist()
    assert [one.proved for one in why] == searched
    for one, proved in zip(why, searched, strict=True):
        assert (proved is True) == ("provably predicts the same" in str(one))


def test_stored_proofs_are_told_at_once():
    merged = sl.merge(sl.load(forest()), missing=False)
    assert set(merged.explain(NUMBERS).to_frame()["proved"]) == {True}
    missing = NUMBERS.copy()
    missing.iloc[0, 0] = np.nan
    assert merged.explain(missing).to_frame()["proved"].tolist()[0] is None
    assert merged.explain(missing)[0].proved is None


def test_rules_keep_their_sentences_and_know_the_ensemble():
    model = MODELS["rules"]()
    why = model.explain(NUMBERS.iloc[0])
    assert str(why) == str(model.rules_.explain(NUMBERS.iloc[0]))
    assert why.ensemble.prediction == model.ensemble_.predict(NUMBERS[:1])[0]
    asked = str(model.rules_.explain(NUMBERS.iloc[0], ensemble=model.ensemble_))
    assert asked.startswith(str(why))
    assert "\nThe ensemble " in asked


def test_black_boxes_predict_without_reasons():
    box = sl.BlackBox(SVC().fit(NUMBERS, LABELS))
    why = sl.show.explain(box, NUMBERS[:3])
    assert why.predictions.tolist() == box.predict(NUMBERS[:3]).tolist()
    assert why[0].reasons == ()
    tree = sl.DistilledTreeClassifier(box, max_leaves=4, random_state=0).fit(NUMBERS, LABELS)
    assert tree.explain(NUMBERS.iloc[0]).ensemble.votes == {}


def test_no_probability_is_claimed_for_a_black_box_that_gives_labels_only():
    """The explanation said "it predicts no (probability 100%)" of a support vector machine."""
    box = sl.BlackBox(SVC().fit(NUMBERS, LABELS))
    why = sl.show.explain(box, NUMBERS[:3])
    label = box.predict(NUMBERS[:1])[0]
    assert str(why[0]) == f"Predicts {label}. A black box gives no reasons."
    assert why[0].probability is None
    assert f"<b>Row 0: {label}</b></p>" in why[0]._repr_html_()
    assert "probability" not in why._repr_html_()
    assert list(why.to_frame().columns[:3]) == ["row", "prediction", "reason_1"]
    tree = sl.DistilledTreeClassifier(box, max_leaves=4, random_state=0).fit(NUMBERS, LABELS)
    agreed = next(one for one in tree.explain(NUMBERS) if one.ensemble.agrees)
    assert agreed.ensemble.probability is None
    assert f"The black box agrees: it predicts {agreed.prediction}." in str(agreed).splitlines()
    assert re.match(rf"Predicted {agreed.prediction}\. \d+ training rows took this path; ", str(agreed))
    assert f": {agreed.prediction}</b></p><p>The ensemble agrees.</p>" in agreed._repr_html_()
    assert "ensemble_probability" not in tree.explain(NUMBERS).to_frame().columns


def test_a_tree_read_from_a_file_claims_no_probability_for_a_model_that_gave_labels_only(tmp_path):
    def is_old(rows):
        return np.where(rows["age"] > 40, "yes", "no")

    fitted = sl.DistilledTreeClassifier(is_old, max_leaves=4, random_state=0).fit(NUMBERS, LABELS)
    fitted.tree_.to_json(tmp_path / "tree.json")
    read = sl.read_model(tmp_path / "tree.json")
    for model in (fitted, read, pickle.loads(pickle.dumps(fitted.tree_))):
        told = model.explain(NUMBERS)
        assert told.probabilities is None
        assert "probability" not in told.to_frame().columns
        for row in told[:5]:
            assert row.probability is None
            assert "probability" not in str(row)
            assert "with probability" not in row._repr_html_()
            letter = row.to_letter()
            assert "sure of this result" not in letter
            assert row.prediction in letter
    np.testing.assert_array_equal(read.predict_proba(NUMBERS), fitted.predict_proba(NUMBERS))


def test_mixed_paths_claim_no_probability_for_a_black_box_that_gives_labels_only():
    def is_old(rows):
        return np.where(rows["age"] > 40, "yes", "no")

    tree = sl.DistilledTreeClassifier(is_old, max_leaves=4, random_state=0).fit(NUMBERS, LABELS)
    told = str(tree.explain(NUMBERS[:1] * np.nan)[0])
    assert "Mixed paths" in told
    assert "probability" not in told


def test_a_probability_of_one_that_a_black_box_gives_is_told():
    def surely(rows):
        return np.tile([0.0, 1.0], (len(rows), 1))

    box = sl.BlackBox(surely, classes=["no", "yes"])
    tree = sl.DistilledTreeClassifier(box, max_leaves=4, random_state=0).fit(NUMBERS, LABELS)
    why = tree.explain(NUMBERS.iloc[0])
    assert "The black box agrees: it predicts yes (probability 100%)." in str(why).splitlines()
    assert why.ensemble.probability == 1


def test_lines_of_leaves_count():
    x = np.linspace(0, 10, 60)[:, None]
    tree = sl.DistilledTreeRegressor(
        RandomForestRegressor(5, random_state=0), max_leaves=2, leaf="linear", random_state=0
    ).fit(x, 3 * x[:, 0])
    for one in tree.tree_.explain(x):
        start = float(tree.tree_.core.output[0, 0])
        assert start + sum(reason.change for reason in one.reasons) == pytest.approx(one.prediction)


@pytest.mark.parametrize("kind", ["forest", "ensemble of numbers"])
def test_changes_of_sums_add_up(kind):
    model = MODELS[kind]()
    roots = sum(
        weight * np.asarray(tree.output)[0]
        for tree, weight in zip(model.core.trees, model.core.tree_weight, strict=True)
    )
    start = model.link.divided((np.asarray(model.core.base) + roots)[None, :])[0]
    for one in model.explain(NUMBERS[:10]):
        code = 0 if model.classes_ is None else model.classes_.tolist().index(one.prediction)
        answer = one.prediction if one.probability is None else one.probability
        assert start[code] + sum(reason.change for reason in one.reasons) == pytest.approx(answer)


def test_rows_in_every_form():
    tree = credit_tree()
    names = ["age", "income", "purpose"]
    cells = [[25.0, 1800.0, "car"], [45.0, 900.0, "house"]]
    frame = pd.DataFrame(cells, columns=names)
    forms = [
        cells,
        np.array(cells, dtype=object),
        [dict(zip(names, row, strict=True)) for row in cells],
        frame,
        pl.from_pandas(frame),
        sl.Table.from_any(frame),
    ]
    for rows in forms:
        why = tree.explain(rows)
        assert why.predictions.tolist() == ["bad", "good"]
        assert why.rows == [0, 1]
    assert tree.explain(frame.set_index(pd.Index(["C7", "C9"]))).rows == ["C7", "C9"]
    assert tree.explain(frame.set_index(pd.Index(["C7", "C9"])).iloc[1]).row == "C9"
    named = sl.Table.from_any(frame.assign(id=["x", "y"])).with_row_names("id")
    assert tree.explain(named).rows == ["x", "y"]
    assert tree.explain(cells, ids=pd.Series(["u", "v"])).rows == ["u", "v"]
    assert tree.explain(cells[0], ids="u").row == "u"
    with pytest.raises(DataError, match=r"The 'ids' parameter has 1 names for 2 rows. Pass one per row."):
        tree.explain(cells, ids=["u"])


def test_selections_are_explanations_too():
    why = credit_tree().explain([[25, 1800, "car"], [45, 900, "house"], [28, 5000, "car"]])
    assert len(why) == 3
    assert why[1:].rows == [1, 2]
    assert why[why.predictions == "good"].rows == [1, 2]
    assert why[-1].row == 2
    assert why[[2, 0]].to_frame()["row"].tolist() == [2, 0]
    assert str(why[:1]) == str(why[0])
    assert str(why[:2]) == f"Row 0:\n{why[0]}\n\nRow 1:\n{why[1]}"
    assert repr(why) == "<Explanations of 3 rows>"


def test_names_and_values_stay_text_on_a_page():
    tree = credit_tree()
    card = tree.explain({"age": 25, "income": 1800, "purpose": "<b>"}, ids="<i>\x1b")._repr_html_()
    assert "<i>" not in card
    assert "\x1b" not in card


def test_reasons_as_a_frame():
    why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
    frame = why.to_frame()
    assert frame["condition"].tolist() == ["age <= 30", "income <= 2000"]
    assert frame["value"].tolist() == ["25.0", "1800.0"]
