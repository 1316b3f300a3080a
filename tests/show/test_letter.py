import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from show.hand_trees import leaf, plant, subset, threshold
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeRegressor

import sightline as sl
from sightline import _core
from sightline.exceptions import DataWarning, ParameterError, UnsupportedModelError
from sightline.model import Explanation
from sightline.show import LETTER_FRAMES, LETTER_WITH_CHANGES, PLACEHOLDERS, letter
from sightline.show._example import credit_rules, credit_tree
from sightline.show._letter import _change, _sentence
from sightline.table import Feature

ROW = {"age": 25, "income": 1800, "purpose": "car"}


def test_the_letter_by_default():
    assert credit_tree().explain(ROW, ids="C7").to_letter() == (
        "Reference: C7\n"
        "\n"
        "This letter explains a result that a computer model produced in your case.\n"
        "\n"
        "Result: bad\n"
        "\n"
        "The main reasons, the most important one first:\n"
        "\n"
        "1. age: 25 (30 or less)\n"
        "2. income: 1800 (2000 or less)\n"
        "\n"
        "In 80% of 25 earlier cases like this one, the outcome was bad.\n"
        "\n"
        "Please tell us if any of these facts is wrong, or if you want a person to\n"
        "look at the result again.\n"
    )


def test_every_placeholder_is_filled_in():
    template = "\n".join(f"{name}=${name}" for name in PLACEHOLDERS) + "\n$$5 and ${row}s"
    why = credit_tree().explain(ROW)
    lines = why.to_letter(template, names={"age": "your age", "bad": "declined"}).splitlines()
    assert lines == [
        "row=none",
        "prediction=declined",
        "target=",
        "result=declined",
        "probability=80%",
        "reasons=1. your age: 25 (30 or less)",
        "2. income: 1800 (2000 or less)",
        "reason_1=your age: 25 (30 or less)",
        "reason_2=income: 1800 (2000 or less)",
        "reason_3=",
        "reason_4=",
        "evidence=In 80% of 25 earlier cases like this one, the outcome was bad.",
        "changes=",
        "$5 and nones",
    ]


def test_a_row_without_a_name_has_no_reference():
    text = credit_tree().explain(ROW).to_letter()
    assert text.startswith("This letter explains a result")
    assert "none" not in text


def test_a_label_that_few_earlier_cases_have_is_compared_with_all_cases():
    """In 10% of 10 earlier cases, a refusal seemed to have no reason."""
    x = np.repeat([0.0, 1.0], [90, 10])[:, None]
    y = np.repeat(["N", "Y", "N"], [90, 1, 9])
    forest = RandomForestClassifier(5, bootstrap=False).fit(x, y)
    tree = sl.DistilledTreeClassifier(forest, threshold=0.05, random_state=0).fit(x, y)
    sentence = (
        "In 10.0% of 10 earlier cases like this one, the outcome was Y, compared with 1.0% of all cases."
    )
    assert f"\n{sentence}\n" in tree.explain([1.0]).to_letter()
    # The rules count the ensemble's labels, which are no outcomes: all 10 are Y.
    rules = sl.RuleSetClassifier(forest, threshold=0.05, random_state=0).fit(x, y).explain([1.0])
    assert rules.precision is None
    assert "outcome" not in rules.to_letter()
    weighted = sl.DistilledTreeClassifier(forest, threshold=0.05, random_state=0).fit(x, y, np.full(100, 2.5))
    assert (
        "\nIn 10.0% of earlier cases like this one, the outcome was Y, compared with 1.0% of all cases.\n"
        in (weighted.explain([1.0]).to_letter())
    )


class TestEnsemblesThatDecideOtherwise:
    @pytest.fixture(scope="class")
    @classmethod
    def everyone(cls):
        loans = sl.make_loans(300)
        tree = sl.DistilledTreeClassifier(max_leaves=3, random_state=0).fit(loans.X, loans.y)
        return tree.explain(loans.X, ids=[f"C{row}" for row in range(300)])

    def test_the_letter_warns(self, everyone):
        """A letter gave reasons for a decision that the ensemble had not made."""
        assert 0 < everyone.agrees.sum() < 300
        one = everyone[~everyone.agrees][0]
        other = one.ensemble.prediction
        message = (
            f"Row {one.row}: The ensemble predicts default = {other}, but the letter gives the reasons for "
            f"default = {one.prediction}. Send it only if the explained model decides."
        )
        with pytest.warns(DataWarning, match=f"^{re.escape(message)}$"):
            assert f"Result: default = {one.prediction}" in one.to_letter()

    def test_the_letter_is_silent_where_both_agree_or_nobody_else_is_known(self, everyone):
        everyone[everyone.agrees][0].to_letter()
        assert credit_tree().explain([list(ROW.values())]).agrees is None
        credit_tree().explain(ROW).to_letter()


def test_the_result_names_what_is_predicted():
    why = credit_tree().explain(ROW)
    assert "\nResult: credit = bad\n" in why.to_letter(target="credit")
    assert "\nResult: your credit = bad\n" in why.to_letter(target="credit", names={"credit": "your credit"})
    declined = why.to_letter(target="credit", names={"bad": "declined"})
    assert "\nResult: declined\n" in declined
    # They ended badly; nobody knows how many of them were declined.
    assert "In 80% of 25 earlier cases like this one, the outcome was credit = bad." in declined


def test_names_of_labels_do_not_rename_values_of_columns():
    """Guarantor and outcome were both yes or no: a letter said "guarantor: loan declined"."""
    root = subset(0, [0], subset(1, [0, 1], leaf(9, 0), leaf(1, 3)), leaf(1, 9))
    features = [Feature("guarantor", ("yes", "no")), Feature("home", ("yes", "no", "a", "b", "c"))]
    tree = plant(root, features, ["yes", "no"])
    row, names = {"guarantor": "yes", "home": "a"}, {"yes": "loan declined", "no": "loan granted"}
    text = tree.explain(row).to_letter(names=names, changes=sl.counterfactuals(tree, row))
    assert "\nResult: loan granted\n" in text
    assert "home: a (not yes, no)" in text
    assert "1. home: yes instead of a\n" in text
    text = tree.explain(row | {"guarantor": "no"}).to_letter(names=names)
    assert "\n1. guarantor: no\n" in text


@pytest.mark.parametrize("target", ["outcome", "Outcome", "RESULT", "class"])
def test_a_target_whose_name_says_nothing_is_left_out(target):
    why = credit_tree().explain(ROW)
    told = why.to_letter(target=target)
    assert "\nResult: bad\n" in told
    assert "In 80% of 25 earlier cases like this one, the outcome was bad." in told
    assert why.to_letter("$target", target=target) == target
    named = why.to_letter(target=target, names={target: "your credit"})
    assert "the outcome was your credit = bad." in named


def test_booleans_are_yes_and_no():
    """Reasons said "smoker: 1", and changes "False instead of True"."""
    X = pd.DataFrame({"age": range(40), "smoker": [False, True] * 20})
    tree = sl.C45Classifier().fit(X, np.where(X.smoker, "declined", "granted"))
    for row in (X.iloc[1], X.iloc[1].to_dict()):
        text = tree.explain(row).to_letter("$reasons $changes", changes=sl.counterfactuals(tree, row))
        assert "1. smoker: yes " in text
        assert "1. smoker: no instead of yes" in text


def test_a_single_reason_is_singular():
    text = credit_tree().explain({"age": 25, "income": 2500, "purpose": "car"}).to_letter()
    assert "\n\nThe main reason:\n\n1. income: 2500 (more than 2000)\n\n" in text


def test_frames_occur_in_the_letter():
    assert all(LETTER_WITH_CHANGES.count(frame) == 1 for frame, _ in LETTER_FRAMES.values())


def test_what_speaks_against_a_result_is_no_reason_for_it():
    why = credit_rules().explain(ROW)
    assert [reason.column for reason in why.reasons if reason.change < 0] == ["purpose"]
    assert "purpose" not in why.to_letter()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({}, "size m: 5"),
        ({"value": None}, "size m: not known"),
        ({"value": "small"}, "size m: small"),
        ({"low": 3.0}, "size m: 5 (more than 3)"),
        ({"low": 3.0, "high": 2e4}, "size m: 5 (more than 3, at most 20,000)"),
        ({"value": 2026.0, "high": 2030.5}, "size m: 2026 (2030.5 or less)"),
        ({"value": 2681381.5, "low": 1e6}, "size m: 2,681,381.5 (more than 1,000,000)"),
        ({"value": 100 / 3, "high": 50.0}, "size m: 33.3333 (50 or less)"),
        ({"value": "red", "excluded": ("blue",)}, "size m: red (not blue)"),
        (
            {"value": "red", "excluded": tuple("abcdefghijklmn")},
            "size m: red (not a, b, c, d, e, f, g, h, i, j, k, l and 2 more)",
        ),
    ],
)
def test_sentences(change, sentence):
    first = credit_tree().explain(ROW).reasons[0]
    plain = replace(first, column="size_m", value=5.0, low=None, high=None)
    assert _sentence(replace(plain, **change), {}) == sentence


class TestUnits:
    """Numbers carry the unit of their column, as in other texts."""

    @staticmethod
    def tree():
        features = [Feature("rate", unit="%"), Feature("debt", unit="$"), Feature("start", unit=":")]
        low = threshold(1, -20000, leaf(1, 3), leaf(0, 8))
        return plant(threshold(0, 12, leaf(8, 0), threshold(2, 9.5, low, leaf(5, 4))), features, ["a", "b"])

    def test_letters(self):
        why = self.tree().explain([18.7, -5000.0, 8.25])
        text = why.to_letter()
        assert "rate: 18.7% (more than 12%)" in text
        assert "debt: -$5,000 (more than -$20,000)" in text
        assert "start: 8:15 (9:30 or less)" in text

    def test_reasons_know_their_unit(self):
        why = self.tree().explain([18.7, -5000.0, 8.25])
        assert {reason.column: reason.unit for reason in why.reasons} == {
            "rate": "%",
            "debt": "$",
            "start": ":",
        }
        assert {reason["unit"] for reason in why.to_dict()["reasons"]} == {"%", "$", ":"}
        assert set(why.to_frame()["value"]) == {"18.7%", "-$5000", "8:15"}
        assert all(cell in why._repr_html_() for cell in (">18.7%<", ">-$5,000<", ">8:15<"))

    def test_ensembles(self):
        ensemble = sl.Ensemble.average([self.tree()] * 31)
        why = ensemble.explain([18.7, -5000.0, 8.25])
        assert "rate (yours: 18.7%)" in str(why)
        assert "rate = 18.7%" in [reason.condition for reason in why.reasons]
        stumps = sl.Ensemble.average([self.tree()] * 2).explain([18.7, -5000.0, 8.25])
        assert {"rate": "%"}.items() <= {reason.column: reason.unit for reason in stumps.reasons}.items()

    def test_changes(self):
        change = sl.counterfactuals(self.tree(), [18.7, -5000.0, 8.25], to="a", fixed=["debt", "start"])
        assert "rate: 12% instead of 18.7%" in self.tree().explain([18.7, -5000.0, 8.25]).to_letter(
            changes=change
        )


def test_results_without_reasons():
    lone = sl.C45Classifier().fit([[1.0], [2.0]], ["a", "a"]).explain([1.0])
    assert "\nNo fact about you was used: everyone gets this result.\n" in lone.to_letter()
    assert "\nIn all 2 earlier cases like this one, the outcome was a.\n" in lone.to_letter()
    # Nothing is announced that does not follow.
    assert "main reason" not in lone.to_letter()
    assert lone.to_letter().endswith("\n\nPlease tell us if you want a person to look at the result again.\n")
    usual = credit_tree().explain({"age": 25, "income": 2500, "purpose": "car"})
    assert usual.prediction == "good"
    assert [reason.change > 0 for reason in usual.reasons] == [False, True]


def test_numbers():
    x = np.linspace(0, 1, 40)[:, None]
    forest = RandomForestRegressor(5, max_depth=2, random_state=0).fit(x, 50_000 * x[:, 0])
    text = sl.DistilledTreeRegressor(forest, max_leaves=2).fit(x).explain(x[0]).to_letter()
    assert re.search(r"\nResult: \d\d,\d\d\d", text)
    assert re.search(r"\n1. x0: 0 \(0.\d+ or less\)\n", text)
    assert re.search(r"\nThis number is based on \d+ earlier cases like this one.\n", text)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (
            "Dear customer,\nyour result is $answer",
            "Line 2 of the template has an unknown placeholder, $answer. Choose from: $row, $prediction, "
            "$target, $result, $probability, $reasons, $reason_1, $reason_2, $reason_3, $reason_4, "
            "$evidence and $changes.",
        ),
        (
            "It costs $ 5",
            "Line 1 of the template has a dollar sign without a placeholder. Write $$ for a dollar sign.",
        ),
    ],
)
def test_bad_templates_get_one_sentence(template, message):
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        credit_tree().explain(ROW).to_letter(template)


def test_models_without_reasons_write_no_letters():
    box = sl.BlackBox(SVC().fit([[0.0], [1.0]], [0, 1]))
    why = sl.show.explain(box, [[0.0]])[0]
    assert isinstance(why, Explanation)
    message = (
        "This model gives no reasons for a single decision, so there is no letter. "
        "Explain a tree or rules that summarize it."
    )
    with pytest.raises(UnsupportedModelError, match=re.escape(message)):
        letter(why)


def test_names_cannot_control_a_terminal():
    why = credit_tree().explain(ROW | {"age": 40, "purpose": "house"}, ids="\x1b[31m")
    assert "\x1b" not in why.to_letter()


class TestChanges:
    def changes(self, **limits):
        found = sl.counterfactuals(credit_tree(), ROW, **limits)
        letter = credit_tree().explain(ROW).to_letter("$changes", changes=found, names={"age": "your age"})
        return letter.splitlines()

    def test_ways_to_another_result_are_listed(self):
        assert self.changes() == [
            "The result would have been different with any one of these changes:",
            "",
            "1. income: 2001 instead of 1800",
            "2. your age: 31 instead of 25",
        ]
        assert self.changes(n=1)[0] == "The result would have been different with this change:"

    def test_none(self):
        fixed = ["age", "income", "purpose"]
        assert self.changes(fixed=fixed) == [
            "No allowed change of the facts would have led to another result."
        ]
        assert self.changes(to="bad") == ["Nothing would have to change."]

    def test_a_goal_that_leaves_out_other_results_is_named(self):
        """A letter said that no other result was possible, where only the wanted one was not."""
        rows = [[20], [30], [40]]
        tree = sl.C45Classifier().fit(rows * 3, ["discharged", "moved", "died"] * 3)
        numbers = DecisionTreeRegressor().fit(rows, [1.0, 2.0, 3.0])
        by_number = sl.DistilledTreeRegressor(numbers, max_leaves=3, augment=0, random_state=0).fit(rows)

        def first_line(model, to, **options):
            found = sl.counterfactuals(model, [20], to=to, ranges={"x0": (0, 30)})
            return model.explain([20]).to_letter("$changes", changes=found, **options).splitlines()[0]

        died = "No allowed change of the facts would have led to died."
        assert first_line(tree, "died") == died
        named = first_line(tree, "died", target="outcome of stay")
        assert named == died.replace("died", "outcome of stay = died")
        assert first_line(tree, "died", names={"died": "Death"}) == died.replace("died", "Death")
        moved = "The result would have been moved with this change:"
        assert first_line(tree, "moved") == moved
        assert first_line(tree, ["moved", "died"]) == moved.replace("moved", "different")
        assert first_line(tree, None) == moved.replace("moved", "different")
        many = "No allowed change of the facts would have led to 3 or more."
        assert first_line(by_number, (3, None)) == many
        few = "The result would have been a number from 2 to 3 with this change:"
        assert first_line(by_number, (2, 3)) == few

    def test_missing_values_and_categories(self):
        change = sl.judge.Change
        assert _change(change("home_type", "rent", None), {}) == "home type: not known instead of rent"
        assert _change(change("sum", None, 20_000), {}) == "sum: 20,000 instead of not known"

    @pytest.mark.parametrize(
        ("before", "after", "unit", "sentence"),
        [
            (91.9, 91.7000001, "", "x: 91.7000001 instead of 91.9"),
            (91.9, 91.70000000000002, "%", "x: 91.70000000000002% instead of 91.9%"),
            (2681381.5, 2681400, "$", "x: $2,681,400 instead of $2,681,381.5"),
            (100 / 3, 30.5, "", "x: 30.5 instead of 33.3333"),
            (8.5, 8.2500001, ":", "x: 8.2500001 instead of 8:30"),
            ("18 days 18:00:00", "15 days", "", "x: 15 days instead of 18 days 18:00:00"),
        ],
    )
    def test_the_new_number_has_all_its_digits(self, before, after, unit, sentence):
        """A rounded number was exactly the threshold: it did not change the result."""
        assert _change(sl.judge.Change("x", before, after, unit), {}) == sentence

    def test_the_letter_by_default_has_them_and_no_promise(self):
        letter = credit_tree().explain(ROW).to_letter(changes=sl.counterfactuals(credit_tree(), ROW))
        assert "2. age: 31 instead of 25\n\nThese changes concern the computer model only. They do" in letter

    def test_one_change_is_singular(self):
        found = sl.counterfactuals(credit_tree(), ROW, n=1)
        assert (
            "with this change:\n\n1. income: 2001 instead of 1800\n\nThis change concerns the computer model "
            "only. It does not promise a different\ndecision later.\n"
        ) in credit_tree().explain(ROW).to_letter(changes=found)

    def test_changes_that_only_work_together_are_plural(self):
        """Two columns that must both change were "this change"."""
        root = threshold(0, 5, leaf(9, 1), threshold(1, 5, leaf(9, 1), leaf(1, 9)))
        tree = plant(root, [Feature("age"), Feature("sum")], ["a", "b"])
        found = sl.counterfactuals(tree, [1.0, 1.0])
        letter = tree.explain([1.0, 1.0]).to_letter(changes=found)
        assert "been different with these changes:\n\n1. age: 6 instead of 1; sum: 6 instead of 1\n" in letter
        assert "\nThese changes concern the computer model only. They do" in letter
        other = threshold(
            2, 5, threshold(0, 5, leaf(9, 1), threshold(1, 5, leaf(9, 1), leaf(1, 9))), leaf(1, 9)
        )
        tree = plant(other, [Feature("age"), Feature("sum"), Feature("debt")], ["a", "b"])
        found = sl.counterfactuals(tree, [1.0, 1.0, 1.0])
        letter = tree.explain([1.0, 1.0, 1.0]).to_letter("$changes", changes=found)
        assert letter.splitlines() == [
            "The result would have been different with the changes in any one of these lines:",
            "",
            "1. debt: 6 instead of 1",
            "2. age: 6 instead of 1; sum: 6 instead of 1",
        ]

    @pytest.mark.parametrize(
        ("limits", "sentence"),
        [
            ({"fixed": list(ROW)}, "No allowed change of the facts would have led to another result."),
            ({"to": "bad"}, "Nothing would have to change."),
        ],
    )
    def test_the_letter_is_silent_about_changes_that_are_none(self, limits, sentence):
        found = sl.counterfactuals(credit_tree(), ROW, **limits)
        assert f"\n\n{sentence}\n\nPlease tell us" in credit_tree().explain(ROW).to_letter(changes=found)


def test_one_earlier_case_of_a_number_is_singular():
    rows = np.arange(4.0)[:, None]
    tree = sl.DistilledTreeRegressor(
        sl.load(DecisionTreeRegressor().fit(rows, [0.0, 0.0, 0.0, 9.0])),
        max_leaves=2,
        augment=0,
        random_state=0,
    ).fit(rows, [0.0, 0.0, 0.0, 9.0])
    assert "\nThis number is based on one earlier case like this one.\n" in tree.explain(rows[3]).to_letter()


def test_bounds_of_strict_tests_do_not_contradict_the_value():
    """``x < 24`` is stored as the last number before 24: the letter said "dur: 24 (more than 24)"."""
    before = float(np.nextafter(np.float32(24), np.float32(0)))
    single = float(_core.single_at_most(np.array([before]))[0])
    for bound in (np.nextafter(24.0, 0), single):
        tree = plant(
            threshold(0, bound, leaf(9, 1), threshold(0, 36.5, leaf(1, 9), leaf(9, 1))),
            [Feature("dur")],
            ["a", "b"],
        )
        texts = [tree.explain([value]).to_letter() for value in (24.0, 40.0, 12.0)]
        assert "dur: 24 (at least 24, at most 36.5)\n" in texts[0]
        assert "dur: 40 (more than 36.5)\n" in texts[1]
        assert "dur: 12 (less than 24)\n" in texts[2]


def test_a_value_close_to_a_bound_has_more_digits():
    tree = plant(threshold(0, 2.5000001, leaf(9, 1), leaf(1, 9)), [Feature("x")], ["a", "b"])
    assert "x: 2.5 (2.5000001 or less)\n" in tree.explain([2.5]).to_letter()


class TestDatesAndDurations:
    """Dates had no bounds and one row other texts than many; durations were raw seconds."""

    ROWS = pd.DataFrame(
        {
            "since": pd.to_datetime(["2015-05-01", "2018-05-11", "2019-02-01"]),
            "seen": pd.to_datetime(
                ["2017-05-14 03:00:54", "2017-05-31 23:00:00", "2017-06-02 00:00:00"], utc=True
            ),
            "at": pd.to_datetime(["2017-05-14 03:00:54", "2017-05-31 23:00:00", "2017-06-02 00:00:00"]),
            "waited": pd.to_timedelta(["18D 18h", "15D", "1h"]),
        }
    )

    @pytest.mark.parametrize(
        ("column", "bounds", "reasons"),
        [
            ("since", [17661.5], ["2015-05-01 (before 2018-05-11)", "2018-05-11 (2018-05-11 or later)"]),
            (
                "since",
                [17661.5, 17800.0],
                [
                    "2015-05-01 (before 2018-05-11)",
                    "2018-05-11 (2018-05-11 or later, before 2018-09-27)",
                    "2019-02-01 (2018-09-27 or later)",
                ],
            ),
            (
                "seen",
                [1495000000.0],
                [
                    "2017-05-14 03:00:54 UTC (2017-05-17 05:46:40 UTC or earlier)",
                    "2017-05-31 23:00 UTC (after 2017-05-17 05:46:40 UTC)",
                ],
            ),
            ("at", [1495000000.0], ["2017-05-14 03:00:54 (2017-05-17 05:46:40 or earlier)"]),
            (
                "waited",
                [18000.0, 1296000.0],
                [
                    "18 days 18:00:00 (more than 15 days)",
                    "15 days (more than 5:00:00, at most 15 days)",
                    "1:00:00 (5:00:00 or less)",
                ],
            ),
        ],
    )
    def test_reasons_of_one_row_and_of_many(self, column, bounds, reasons):
        X = self.ROWS[[column]]
        root = leaf(9, 1) if len(bounds) % 2 else leaf(1, 9)
        for index, bound in enumerate(reversed(bounds)):
            labels = (1, 9) if (len(bounds) - index) % 2 else (9, 1)
            root = threshold(0, bound, leaf(*labels), root)
        tree = plant(root, [sl.Table.from_any(X).schema.features[0]], ["a", "b"])
        for row, reason in enumerate(reasons):
            rows = [X.iloc[[row]], X.iloc[row], X.iloc[row].to_dict(), sl.Table.from_any(X)[row]]
            rows.append({column: X[column].to_numpy()[row]} if column != "seen" else rows[1])
            whys = [tree.explain(rows[0])[0], *map(tree.explain, rows[1:])]
            for why in whys:
                assert [_sentence(one, {}) for one in why.reasons] == [f"{column}: {reason}"]

    def test_changes_are_durations(self):
        X = pd.DataFrame({"waited": pd.to_timedelta(range(0, 100 * 6, 6), unit="h")})
        tree = plant(
            threshold(0, 1316800.0, leaf(9, 1), leaf(1, 9)),
            [sl.Table.from_any(X).schema.features[0]],
            ["ok", "refused"],
        )
        found = sl.counterfactuals(tree, X.iloc[75], within=X)
        assert "Change waited from 18 days 18:00:00 to 15 days 5:00:00: the prediction" in str(found)
        letter = tree.explain(X.iloc[75]).to_letter("$changes", changes=found)
        assert letter.endswith("\n1. waited: 15 days 5:00:00 instead of 18 days 18:00:00")
        assert tree.predict(pd.DataFrame([found[0].row])).tolist() == ["ok"]


def test_numbers_of_results_are_written_as_in_explanations():
    x = np.arange(4.0)[:, None]
    tree = sl.merge(DecisionTreeRegressor().fit(x, [1431.71, 1431.71, 9.0, 9.0]))
    why = tree.explain([0.0])
    assert "1,431.71" in str(why)
    assert "\nResult: 1,431.71\n" in why.to_letter()


def test_rules_compare_their_share_with_that_of_all_cases():
    x = np.repeat([0.0, 1.0], [700, 300])[:, None]
    y = np.repeat(["N", "Y", "N", "M"], [700, 141, 80, 79])
    why = sl.RuleSetClassifier(random_state=0).fit(x, y).explain([1.0])
    sentence = "In 47% of 300 earlier cases like this one, the outcome was Y, compared with 14% of all cases."
    assert f"\n{sentence}\n" in why.to_letter()


@pytest.fixture(scope="module")
def stays():
    """A tree by costs that predicts the rare "died" for a third of the rows, nearly none of which have it."""
    rng = np.random.default_rng(2)
    n = 3000
    X = pd.DataFrame({"age": rng.integers(20, 95, n), "crea": np.exp(rng.normal(0, 0.4, n)).round(2)})
    is_high, age = X.crea > 1.5, X.age - 60
    scores = np.c_[np.zeros(n), -2 + 0.04 * age + 1.6 * is_high, -3.4 + 0.01 * age - 0.3 * is_high]
    codes = (scores + rng.gumbel(size=(n, 3))).argmax(axis=1)
    y = pd.Series(np.array(["discharged", "ICU", "died"])[codes], name="outcome")
    forest = RandomForestClassifier(20, max_depth=6, random_state=0).fit(X, y)
    costs = [[0, 1, 1], [20, 0, 30], [4, 1, 0]]
    tree = sl.DistilledTreeClassifier(forest, max_leaves=10, cost_matrix=costs, random_state=0).fit(X, y)
    return X, tree.tree_


class TestLabelsByCosts:
    """The probability of a rare label that costs choose may be lower in its leaf than among all rows."""

    def test_reasons_raise_the_lead_of_the_label(self, stays):
        X, tree = stays
        assert tree.explain(X).predictions.tolist().count("died") > 500
        for why in tree.explain(X):
            assert "usual" not in why.to_letter() or why.prediction == "discharged"
            if why.prediction == "died":
                assert any(reason.change > 0 for reason in why.reasons)

    def test_changes_add_up_to_the_lead(self, stays):
        X, tree = stays
        why = tree.explain(X.iloc[0])

        def lead(node):
            expected = tree.probabilities[node] @ tree.label_costs
            code = tree.classes_.tolist().index(why.prediction)
            return np.delete(expected, code).min() - expected[code]

        moved = lead(tree.apply(X.iloc[:1])[0]) - lead(0)
        assert sum(reason.change for reason in why.reasons) == pytest.approx(moved)
        assert ">change of the label's lead in expected cost<" in why._repr_html_()
        assert " points<" not in why._repr_html_()

    def test_a_stored_tree_gives_the_same_reasons(self, stays, tmp_path):
        X, tree = stays
        tree.export("json", tmp_path / "tree.json")
        again = sl.read_model(tmp_path / "tree.json")
        assert again.explain(X[:50]).to_dict() == tree.explain(X[:50]).to_dict()

    def test_weights_of_classes_are_costs(self):
        X = pd.DataFrame({"x": np.repeat(range(4), 50)})
        y = np.concatenate([["a"] * 50, ["a"] * 40 + ["b"] * 10, ["a"] * 45 + ["c"] * 5, ["a"] * 50])
        tree = sl.DistilledTreeClassifier(max_leaves=4, class_weight={"b": 5.0, "c": 10}, random_state=0).fit(
            X, y
        )
        assert tree.tree_.label_costs.tolist() == [[0, 1, 1], [5, 0, 5], [10, 10, 0]]

    def test_the_threshold_of_two_classes_needs_no_costs(self):
        X, y = [[0.0], [1.0]] * 50, ["a", "b"] * 50
        tree = sl.DistilledTreeClassifier(max_leaves=2, threshold=0.3, random_state=0).fit(X, y).tree_
        assert tree.label_costs is None
        assert tree.explain([1.0]).reasons[0].change == pytest.approx(0.5, abs=0.01)


def test_no_result_is_usual_that_most_rows_do_not_get():
    tree = plant(threshold(0, 1, leaf(10, 5), leaf(20, 10)), [Feature("age")], ["a", "b"])
    assert "\nNo single fact stands out: this is the usual result.\n" in tree.explain([0.0]).to_letter()
    few = plant(threshold(0, 1, leaf(10, 5), leaf(20, 40)), [Feature("age")], ["a", "b"])
    few = few.with_outputs(np.array([[0.5, 0.5], [0.5, 0.5], [0.4, 0.6]]), few.classes_)
    few = few.with_counts(np.array([75.0, 15.0, 60.0]), None, "learnt")
    assert few.explain([0.0]).prediction == "a"
    assert "\nNo single fact stands out.\n" in few.explain([0.0]).to_letter()


def test_no_earlier_case_had_the_result():
    """In 0.0% of 54 earlier cases, a letter said."""
    rare = leaf(60, 0, output=[0.1, 0.9])
    tree = plant(threshold(0, 5, leaf(60, 9), rare), [Feature("age")], ["a", "b"])
    sentence = "In none of 60 earlier cases like this one was the outcome b, compared with 7.0% of all cases."
    assert f"\n{sentence}\n" in tree.explain([9.0]).to_letter()
    weighted = tree.of_weighted_rows().explain([9.0]).to_letter()
    sentence = sentence.replace("60 earlier", "the earlier")
    assert f"\n{sentence}\n" in weighted
    lone = plant(
        threshold(0, 5, leaf(60, 9), leaf(1, 0, output=[0.1, 0.9])), [Feature("age")], ["a", "b"]
    ).explain([9.0])
    assert "\nIn the one earlier case like this one, the outcome was not b.\n" in lone.to_letter()


def test_part_of_a_case_is_no_number_of_cases():
    """In 75% of 0 earlier cases, a letter said where missing values had split a row."""
    tree = plant(threshold(0, 5, leaf(0.3, 0.1), leaf(3.4, 1.0)), [Feature("age")], ["a", "b"])
    assert "\nIn 75% of earlier cases like this one, the outcome was a.\n" in tree.explain([1.0]).to_letter()
    assert "\nIn 77% of 4 earlier cases like" in tree.explain([9.0]).to_letter()


def test_a_template_is_a_string():
    why = credit_tree().explain({"age": 25, "income": 1800, "purpose": "car"})
    with pytest.raises(ParameterError, match=r"^The template of a letter must be a string. Got 5 instead.$"):
        why.to_letter(5)
