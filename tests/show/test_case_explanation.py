"""Explanations by cases in words, tables and pictures."""

import io

import numpy as np
import pytest

import sightline as sl
from sightline.model import CaseBase, CaseJudgement, NeighbourEnsemble, member_views

ROWS = [
    ["f", 40.0, 180.0],
    ["f", 42.0, 200.0],
    ["m", 60.0, 300.0],
    ["m", 64.0, 290.0],
    ["m", 58.0, None],
    ["f", 50.0, 240.0],
]
OUTCOMES = ["well", "well", "sick", "sick", "sick", "well"]


def hand_made(rows=ROWS, outcomes=OUTCOMES, **more):
    table = sl.Table.from_any(rows, feature_names=["sex", "age", "chol"])
    labels = sl.Labels.from_any(outcomes)
    masks = np.array([[True, True, False], [False, True, True], [True, False, False]])
    ensemble = NeighbourEnsemble(table, labels, masks, 2)
    views = member_views(ensemble, None).views
    judgement = CaseJudgement(6, 5 / 6, 1 / 6, 0.0)
    return CaseBase(
        table, labels, ensemble, views, origin="leave-one-out", k_meta=2, judgement=judgement, **more
    )


def test_sentences():
    text = str(hand_made().explain({"sex": "m", "age": 60.5, "chol": 270.0}, n=2))
    assert text == (
        "Predicted sick (3 of 3 members).\n"
        "Case 3 was also sick and differs only in chol (290, yours 270) and age (64, yours 60.5); "
        "it is the same in 1 feature.\n"
        "Case 2 was also sick and differs only in chol (300, yours 270); it is the same in 1 feature, "
        "nearly the same in age (60, yours 60.5).\n"
        "Counterexample: case 5, the nearest case of a different class, was well and differs in "
        "sex (f, yours m), age (50, yours 60.5) and chol (240, yours 270).\n"
        "Most used features: sex (67%), age (67%) and chol (33%).\n"
        "The nearest 2 cases give the ensemble's label for 83% of 6 cases, "
        "each left out of its own neighbors.\n"
        "Case numbers are row numbers of the training data and start at 0."
    )


def test_the_same_case_and_missing_and_unknown_values():
    base = hand_made()
    same = str(base.explain(ROWS[2], n=1, include_itself=True))
    assert "Case 2 was also sick and is the same in 3 features." in same
    assert "Case 2 " not in str(base.explain(ROWS[2]))
    missing = base.explanation({"sex": "x", "age": 58.0, "chol": None}).to_text()
    assert "sex (m, yours x, which no case has)" in missing
    both = next(m for m in base.explanation(["m", 58.0, None], include_itself=True).supporting if m.case == 4)
    assert 2 in both.equal


def test_meta_predictions_say_so():
    text = str(hand_made(predict_with="meta").explain(["m", 60.5, 270.0]))
    assert text.startswith("Predicted sick (100% of the votes of the nearest 2 cases; 3 of 3 members).")


def test_supporting_cases_have_the_predicted_class_and_the_contrast_another():
    for explanation in hand_made().explanations(ROWS):
        assert all(match.code == explanation.code for match in explanation.supporting)
        assert explanation.contrast.code != explanation.code
        distances = [match.distance for match in explanation.supporting]
        assert distances == sorted(distances)


def test_text_table():
    text = hand_made().explanation(["m", 60.5, 270.0], n=1).to_text(style="table")
    assert text == (
        "         yours             case 3  counterexample: case 5\n"
        "outcome  sick (predicted)  sick    well *\n"
        "sex      m                 m       f *\n"
        "age      60.5              64 *    50 *\n"
        "chol     270               290 *   240 *\n"
        "* differs from yours\n"
    )


def test_table_and_frame():
    explanation = hand_made().explanation(["m", 60.5, 270.0], n=1)
    table = explanation.to_table()
    assert table[0] == {"sex": "m", "age": 60.5, "chol": 270.0}
    assert np.asarray(table.y).tolist() == ["sick", "sick", "well"]
    frame = sl.show.to_frame(explanation)
    assert frame["who"].tolist() == ["yours", "case 3", "case 5"]


def test_foreign_text_stays_text():
    rows = [["<b>$x$", 1.0, 2.0], ["y\x1b[31m", 3.0, 4.0]] * 3
    base = hand_made(rows, ["<i>", "no"] * 3)
    explanation = base.explanation(rows[0])
    assert "<b>$" not in explanation._repr_html_()
    assert "<i>" not in base._repr_html_()
    assert "\x1b" not in explanation.to_text()
    explanation.plot().figure.savefig(io.BytesIO(), format="svg")


def test_pictures():
    base = hand_made()
    ax = base.explanation(["m", 60.5, None]).plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["sex", "age", "chol"]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names[-1] == "yours, predicted sick"
    assert any(name.startswith("counterexample: case ") for name in names)
    assert base.plot().get_xlabel() == base.ensemble.plot().get_xlabel() == "members that use the feature, %"


def test_cards():
    base = hand_made()
    assert base.to_text() == (
        "6 cases described by 3 nearest-neighbor classifiers; classes sick and well\n"
        "The ensemble gives the labels.\n"
        "On 6 cases, each left out of its own neighbors: the ensemble is wrong on 0%, "
        "the nearest 2 cases on 17%; they agree on 83%.\n"
        "Most used features: sex (67%), age (67%) and chol (33%).\n"
    )
    assert base.ensemble.to_text().startswith(
        "3 members that each use the 2 nearest neighbors among 6 cases; predicts sick or well\n"
        "Each uses 1.7 of 3 features on average, drawn at random.\n"
    )
    assert "<table>" in base.ensemble._repr_html_()
    assert str(base.ensemble.explain(["m", 60.5, 270.0])).endswith("Of 3 members, 3 for sick.")


@pytest.mark.parametrize(
    ("masks", "told"),
    [
        ([[1, 1, 1], [1, 1, 1]], "All members use all features."),
        ([[1, 0, 1], [1, 0, 1]], "All members use sex and chol; no member uses age."),
        ([[1, 0, 1], [1, 1, 1]], "All members use sex and chol; fewer use age (50%)."),
        (
            [[1, 0, 0], [0, 1, 0]],
            "Most used features: sex (50%) and age (50%); no member uses chol.",
        ),
    ],
)
def test_what_members_use_is_told_where_it_differs(masks, told):
    table = sl.Table.from_any(ROWS, feature_names=["sex", "age", "chol"])
    labels = sl.Labels.from_any(OUTCOMES)
    ensemble = NeighbourEnsemble(table, labels, np.array(masks, dtype=bool), 2)
    base = CaseBase(table, labels, ensemble, member_views(ensemble, None).views, k_meta=2)
    assert base.to_text().splitlines()[-1] == told


def test_bad_requests():
    base = hand_made()
    with pytest.raises(sl.ParameterError) as error:
        base.explanations(ROWS, n=0)
    assert str(error.value) == "The 'n' parameter of explanations must be at least 1. Got 0 instead."
    with pytest.raises(sl.ParameterError) as error:
        base.explanation(ROWS[0]).to_text(style="verse")
    assert str(error.value) == "The 'style' parameter must be 'sentences' or 'table'. Got 'verse' instead."
    with pytest.raises(sl.DataError) as error:
        base.explanation(ROWS)
    assert str(error.value) == "Only one row can be explained at a time. Got 6 rows instead."


def test_frames_hold_the_row_and_its_cases():
    explanation = hand_made().explanation({"sex": "m", "age": 60.5, "chol": 270.0}, n=1)
    frame = explanation.to_frame()
    assert frame.columns.tolist() == ["who", "outcome", "sex", "age", "chol"]
    assert frame["who"].tolist() == ["yours", "case 3", "case 5"]
    assert frame["outcome"].tolist() == ["sick", "sick", "well"]
    assert frame["age"].tolist()[0] == 60.5
    assert explanation.to_frame("polars")["who"].to_list() == frame["who"].tolist()


def test_one_case_gives_labels():
    base = hand_made()
    base.k_meta = 1
    assert "The nearest case gives the ensemble's label for 83% of 6 cases" in str(base.explain(ROWS[2]))
