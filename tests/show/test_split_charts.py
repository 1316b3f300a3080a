"""The distribution of the tested column at every split, counted by hand."""

import numpy as np
import pandas as pd
import pytest
from show.hand_trees import leaf, multiway, number, plant, subset, threshold

from sightline.model import ANY_NUMBER
from sightline.show import SplitCharts, to_svg
from sightline.show.drawing._palette import class_color, number_color
from sightline.show.drawing._text_lines import line_width
from sightline.show.drawing._tree_layout import lay_out
from sightline.table import Column, Feature, Table


def charts_of(tree, X, y):
    return SplitCharts.of(tree, X, y).charts()


def test_bars_count_the_rows_of_a_node_by_value_and_class():
    tree = plant(
        threshold(0, 2, threshold(0, 1, leaf(1, 0), leaf(0, 1)), leaf(0, 1)), [Feature("x")], ["a", "b"]
    )
    X = np.repeat([1.0, 2.0, 3.0, 4.0], [10, 10, 5, 5])[:, None]
    y = np.array(["a"] * 8 + ["b"] * 2 + ["a"] * 5 + ["b"] * 5 + ["b"] * 10)
    charts = charts_of(tree, X, y)
    root, below = charts[0], charts[1]
    assert [bar.parts for bar in root.bars] == [
        ((0.8, 0), (0.2, 1)),
        ((0.5, 0), (0.5, 1)),
        ((0.5, 1),),
        ((0.5, 1),),
    ]
    # After the bar of 2, which goes left.
    assert root.marks == (pytest.approx(0.5),)
    assert (root.low, root.high) == ("1", "4")
    # Only rows that get there, on the same axis.
    assert [bar.left for bar in below.bars] == [bar.left for bar in root.bars[:2]]
    assert below.marks == (pytest.approx(0.25),)
    assert set(charts) == {0, 1}


def test_tests_for_missing_values_have_no_mark():
    single = float(np.finfo(np.float32).max)
    for bound, below in ((ANY_NUMBER, 0), (single, 0), (-single, 1)):
        sides = [threshold(0, 1, leaf(1, 0), leaf(0, 1)), leaf(0, 1)]
        tree = plant(threshold(0, bound, sides[below], sides[1 - below]), [Feature("x")], ["a", "b"])
        charts = charts_of(tree, np.array([[0.0], [1.0], [2.0]] * 10), ["a", "b", "b"] * 10)
        assert charts[0].marks == ()
        assert (charts[0].low, charts[0].high) == ("0", "2")
        (mark,) = charts[1 + below].marks
        assert 0 < mark < 1


def test_missing_values_are_in_no_bar():
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("x")], ["a", "b"])
    X = np.array([[0.0]] * 10 + [[2.0]] * 10 + [[np.nan]] * 10)
    bars = charts_of(tree, X, ["a"] * 10 + ["b"] * 20)[0].bars
    assert [bar.parts for bar in bars] == [((1.0, 0),), ((1.0, 1),)]


def test_categories_stand_by_branch_with_a_mark_between():
    colors = Feature("color", ("red", "green", "blue"))
    tree = plant(subset(0, [1], leaf(1, 0), leaf(0, 1)), [colors], ["a", "b"])
    X = Table.from_any(pd.DataFrame({"color": ["red"] * 2 + ["green"] * 4 + ["blue"] * 3}))
    chart = charts_of(tree, X, ["a"] * 6 + ["b"] * 3)[0]
    # Green takes the first branch; of the others, the more frequent comes first.
    assert [bar.parts for bar in chart.bars] == [((1.0, 0),), ((0.75, 1),), ((0.5, 0),)]
    left = [bar.left for bar in chart.bars]
    assert left == sorted(left)
    assert left[0] < chart.marks[0] < left[1]
    assert (chart.low, chart.high) == ("yes", "no")


def test_every_branch_of_many_has_a_bar():
    colors = Feature("color", tuple("abcdef"))
    tree = plant(multiway(0, *[leaf(1, 0) for _ in "abcdef"]), [colors], ["a", "b"])
    X = Table.from_any(pd.DataFrame({"color": list("abcdef") * 5}))
    assert len(charts_of(tree, X, ["a"] * 30)[0].bars) == 6


def test_numbers_color_bars_and_leaves_show_their_own():
    tree = plant(threshold(0, 1.5, number(10, 5), number(20, 5)), [Feature("x")], None)
    X = np.repeat([1.0, 2.0], 10)[:, None]
    y = np.repeat([10.0, 20.0], 10)
    charts = charts_of(tree, X, y)
    assert [bar.parts for bar in charts[0].bars] == [((1.0, 10.0),), ((1.0, 20.0),)]
    assert set(charts) == {0, 1, 2}
    assert charts[1].is_small
    colors = {rectangle[-1] for rectangle in lay_out(tree, charts=charts).boxes[0].chart.rectangles}
    assert colors == {number_color(0.0), number_color(1.0)}


def test_numbers_by_category():
    colors = Feature("color", ("red", "green"))
    tree = plant(subset(0, [1], number(10, 5), number(20, 5)), [colors], None)
    X = Table.from_any(pd.DataFrame({"color": ["red"] * 10 + ["green"] * 5}))
    bars = charts_of(tree, X, np.repeat([20.0, 10.0], [10, 5]))[0].bars
    assert [bar.parts for bar in bars] == [((0.5, 10.0),), ((1.0, 20.0),)]


def test_charts_stay_in_their_boxes_and_drawings_agree():
    tree = plant(
        threshold(0, 2, threshold(1, 5, leaf(1, 0), leaf(0, 1)), leaf(0, 1)),
        [Feature("x"), Feature("y")],
        ["a", "b"],
    )
    random = np.random.default_rng(0)
    X = random.uniform(0, 10, (200, 2))
    charts = charts_of(tree, X, np.where(X[:, 0] > 2, "b", "a"))
    layout = lay_out(tree, charts=charts)
    svg = to_svg(tree, X=X, y=np.where(X[:, 0] > 2, "b", "a"))
    for box in layout.boxes:
        assert (box.chart is not None) == (box.kind == "test")
        for left, top, width, height, color in box.chart.rectangles if box.chart else ():
            assert box.x <= left
            assert left + width <= box.x + box.width
            assert box.y <= top
            assert top + height <= box.y + box.height
            assert color in {class_color(0), class_color(1)}
            assert f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}"' in svg
    ax = tree.plot(X=X, y=np.where(X[:, 0] > 2, "b", "a"))
    n_bars = sum(len(box.chart.rectangles) for box in layout.boxes if box.chart)
    assert len(ax.patches) > n_bars


def test_one_far_row_does_not_stretch_the_axis():
    tree = plant(threshold(0, 50, leaf(1, 0), leaf(0, 1)), [Feature("x")], ["a", "b"])
    X = np.append(np.arange(100.0), 1e9)[:, None]
    chart = charts_of(tree, X, ["a"] * 101)[0]
    assert chart.high == "100 or more"


@pytest.mark.parametrize("cut", [0, 0.5, 0.9999999])
def test_the_mark_on_whole_numbers_separates_the_bars_of_both_branches(cut):
    """A test x <= 0 was marked in the middle of the bar of 0."""
    tree = plant(threshold(0, cut, leaf(1, 0), leaf(0, 1)), [Feature("claims")], ["a", "b"])
    X = np.repeat([0.0, 1.0, 2.0], [90, 20, 10])[:, None]
    chart = charts_of(tree, X, ["a"] * 120)[0]
    zero, one, _ = chart.bars
    assert zero.left + zero.width < chart.marks[0] < one.left


def test_the_ends_of_an_axis_say_that_rows_lie_beyond():
    tree = plant(
        threshold(0, 0, threshold(1, 0, leaf(1, 0), leaf(0, 1)), threshold(2, 17990, leaf(1, 0), leaf(0, 1))),
        [Feature("claims"), Feature("balance", unit="$"), Feature("opened", kind="date")],
        ["a", "b"],
    )
    claims = np.append(np.tile([0.0, 1.0, 2.0], 100), [3.0, 8.0])
    balance = np.append(np.linspace(-100, 100, 300), [-9000.0, -8000.0])
    opened = np.append(np.arange(18000.0, 18300.0), [3.0, 40000.0])
    columns = zip(tree.schema.features, (claims, balance, opened), strict=True)
    rows = Table([Column(feature, values) for feature, values in columns])
    charts = SplitCharts(tree, rows, np.zeros(302, dtype=int)).charts()
    ends = {int(tree.core.feature[node]): (chart.low, chart.high) for node, chart in charts.items()}
    assert ends == {
        0: ("0", "2 or more"),
        1: ("-$100 or less", "$100"),
        2: ("2019-04 or earlier", "2020-02 or later"),
    }
    for box in lay_out(tree, charts=charts).boxes:
        if box.chart:
            widths = [line_width(end, "detail") for end in (box.chart.low, box.chart.high)]
            assert sum(widths) < box.chart.width


@pytest.mark.parametrize("step", [1.0, 0.01])
def test_rows_beyond_the_last_threshold_are_drawn_beyond_its_mark(step):
    """Few rows are beyond the 99% quantile, so they used to be in the bar left of the mark."""
    tree = plant(threshold(0, 10 * step, leaf(1, 0), leaf(0, 1)), [Feature("x")], ["a", "b"])
    X = step * np.append(np.tile(np.arange(11.0), 40), [11.0, 13.0, 90.0])[:, None]
    chart = charts_of(tree, X, ["a"] * 440 + ["b"] * 3)[0]
    of_b = [bar for bar in chart.bars if any(key == 1 for _, key in bar.parts)]
    assert [bar.left > chart.marks[0] for bar in of_b] == [True]
    assert chart.high.endswith(" or more")


def test_a_node_without_rows_has_no_chart():
    """It had an empty one."""
    tree = plant(
        threshold(0, 5, threshold(1, 1, number(1, 5), number(2, 5)), threshold(1, 1, number(3), number(4))),
        [Feature("x"), Feature("y")],
        None,
    )
    X = np.column_stack([np.zeros(20), np.arange(20.0)])
    charts = charts_of(tree, X, np.zeros(20))
    assert set(charts) == {0, 1, *np.unique(tree.apply(X)).tolist()}
    assert all(chart.bars for chart in charts.values())
