import numpy as np
import pytest
from show.hand_trees import leaf, number, plant, threshold

from sightline.model import ANY_NUMBER, Ensemble, Link
from sightline.model._ensemble import combined
from sightline.show import display, plot, to_html, to_text
from sightline.show._example import credit_tree
from sightline.table import Feature


def stump(feature=0, n_features=3, names="abc"):
    features = [Feature(name) for name in names[:n_features]]
    return plant(threshold(feature, 1.5, leaf(3, 1), leaf(0, 4)), features, ["no", "yes"])


def forest():
    return Ensemble.average([stump(0), stump(2), stump(2)])


def summed(link, base=(0.5,), classes=("no", "yes"), **options):
    tree = plant(threshold(0, 1.5, number(-1.0), number(2.0)), [Feature("x")], None)
    core = combined([tree.core, tree.core], base=base, **options)
    return Ensemble(core, tree.schema, None if classes is None else np.array(classes), link)


def test_text():
    assert to_text(forest()) == (
        "Ensemble of 3 trees that predicts no or yes\n"
        "Combined by the mean of the class probabilities\n"
        "9 nodes in total; 2 leaves per tree; depth up to 1\n"
        "\n"
        "Tests per feature:\n"
        "  c  2  ████████████████████████\n"
        "  a  1  ████████████\n"
    )


def test_sizes_that_differ():
    text = to_text(Ensemble.average([credit_tree(), credit_tree(), credit_tree()]))
    assert "4 leaves per tree; depth up to 2" in text
    lone = plant(leaf(1, 1), list(credit_tree().schema.features), ["bad", "good"])
    assert "1 to 4 leaves per tree (median 2)" in to_text(Ensemble.average([credit_tree(), lone]))


def test_features_left_out_are_counted():
    assert forest().to_text(max_features=1).endswith("… and 1 more feature\n")
    assert "… and 1 more feature" in display(forest()).html(max_features=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            (Link("sigmoid"),),
            "The trees add up, starting at 0.5: the sum is the log-odds of the second class",
        ),
        ((Link("identity"), (0.0,), None), "The trees add up: the sum is the prediction"),
        ((Link("median"), (0.0,), None), "Combined by the weighted median of the trees' predictions"),
    ],
    ids=["sigmoid", "identity", "median"],
)
def test_how_trees_combine(arguments, sentence):
    assert to_text(summed(*arguments)).splitlines()[1] == sentence


def test_votes():
    trees = [stump(0).core, stump(1).core]
    for weights, sentence in (
        ([1] * 40, "The trees vote with equal weights"),
        ([1, 2], "The trees vote with different weights"),
    ):
        core = combined(trees * (len(weights) // 2), votes=True, tree_weight=weights)
        assert sentence in to_text(Ensemble(core, stump().schema, np.array(["no", "yes"]), Link("mean")))


def test_stumps_may_ask_for_missing_values():
    presence = plant(
        threshold(0, ANY_NUMBER, leaf(3, 1), leaf(0, 4), shares=[0, 1]),
        [Feature(name) for name in "abc"],
        ["no", "yes"],
    )
    core = combined([presence.core, presence.core, stump(1).core], votes=True)
    stumps = Ensemble(core, presence.schema, np.array(["no", "yes"]), Link("mean"))
    for value, condition in ((None, "a has no value"), (1.0, "a has a value")):
        reasons = stumps.explain([[value, 1.0, 1.0]])[0].reasons
        assert [(r.condition, r.low, r.high) for r in reasons if r.column == "a"] == [(condition, None, None)]


def test_stumps_that_vote_alike_are_shown_one_by_one():
    """They are the model; of a forest one looks at the size."""
    core = combined([stump(0).core, stump(1).core], votes=True)
    stumps = Ensemble(core, stump().schema, np.array(["no", "yes"]), Link("mean"))
    heading, *lines = to_text(stumps).splitlines()
    assert heading == "2 stumps that vote with equal weights on no or yes"
    bodies = [[f"    {line}" for line in to_text(tree).splitlines()[3:]] for tree in stumps.trees]
    assert lines == ["", "(1)", *bodies[0], "", "(2)", *bodies[1]]
    assert to_html(stumps).count("<svg ") == 2


def test_names_stay_text():
    hostile = Ensemble.average(
        [plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("<script>\x1b😀$a$")], ["<b>", "b"])]
    )
    html = to_html(hostile)
    assert "<script>" not in html
    assert "<b>, " not in html
    assert "\x1b" not in to_text(hostile)
    plot(hostile).figure.draw_without_rendering()


def test_plot():
    ax = plot(forest())
    assert [label.get_text() for label in ax.get_yticklabels()] == ["c", "a"]
    assert [bar.get_width() for bar in ax.patches] == [2, 1]
    assert ax.get_xlabel() == "tests in 3 trees"


def test_no_tests_at_all():
    lone = Ensemble.average([plant(leaf(1, 1), [Feature("x")], ["a", "b"])])
    assert to_text(lone).startswith("Ensemble of 1 tree ")
    assert "<table>" not in to_html(lone)
    plot(lone).figure.draw_without_rendering()
