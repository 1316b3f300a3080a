from show.hand_trees import balanced, leaf, plant, threshold

from sightline.show._example import credit_tree
from sightline.table import Feature


def test_a_notebook_shows_the_drawing():
    html = credit_tree()._repr_html_()
    assert html.startswith("<div ")
    assert "<svg " in html


def test_large_trees_say_what_is_folded():
    assert "0 of 4,096 leaves shown; 4,096 are folded into 64 parts." in balanced(12)._repr_html_()


def test_names_cannot_leave_their_place():
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("</svg></div><script>")], ["<b>", "&amp;"])
    html = tree._repr_html_()
    assert html.count("</svg>") == 1
    assert "<script" not in html
    assert "<b>" not in html
    assert "&amp;amp;" in html
