import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure
from show.hand_trees import chain, leaf, number, plant, threshold

from sightline.show import plot
from sightline.show._example import credit_tree
from sightline.table import Feature

mpl.use("Agg")


def saved(ax, tmp_path):
    path = tmp_path / "tree.png"
    ax.figure.savefig(path, dpi=50)
    return path.stat().st_size


def test_a_new_figure_is_unknown_to_pyplot(tmp_path):
    before = plt.get_fignums()
    ax = plot(credit_tree())
    assert plt.get_fignums() == before
    texts = {text.get_text() for text in ax.texts}
    assert {"age", "30 or less? · 100 rows", "bad", "80% of 25 rows", "yes", "no"} <= texts
    assert saved(ax, tmp_path) > 1000


def test_given_axes_are_drawn_into(tmp_path):
    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    assert credit_tree().plot(ax=left, direction="right") is left
    assert credit_tree().plot(right, max_depth=1) is right
    assert saved(left, tmp_path) > 1000


def test_texts_scale_with_the_axes():
    sizes = []
    for width in (4, 8):
        ax = plot(credit_tree(), ax=Figure(figsize=(width, width)).subplots())
        sizes.append(ax.texts[0].get_fontsize())
    assert sizes[1] == pytest.approx(2 * sizes[0])


def test_hostile_names_draw_without_warning(tmp_path):
    names = ["$x^2$ \\frac{", "😀 漢字 \x00", "x" * 500]
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature(names[0])], names[1:])
    ax = plot(tree)
    assert "$x^2$ \\frac{" in {text.get_text() for text in ax.texts}
    assert saved(ax, tmp_path) > 1000


@pytest.mark.thorough
def test_numbers_and_large_trees(tmp_path):
    assert saved(plot(plant(threshold(0, 1, number(2.5), number(-1)), [Feature("x")], None)), tmp_path) > 1000
    assert len(plot(chain(100_000)).texts) < 1000
