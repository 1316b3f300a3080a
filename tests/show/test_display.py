from html import unescape

from show.hand_trees import balanced, leaf, plant, threshold

from sightline.show._example import credit_tree
from sightline.table import Feature


def test_a_notebook_shows_an_interactive_drawing_in_a_frame():
    html = credit_tree()._repr_html_()
    assert html.startswith('<iframe class="sightline" sandbox="allow-scripts" ')
    assert html.count("<") == 2
    document = unescape(html.split('srcdoc="')[1])
    assert '<div id="static"><svg ' in document
    assert "connect-src" not in document
    assert "default-src 'none'" in document


def test_large_trees_are_static_and_say_what_is_folded():
    html = balanced(12)._repr_html_()
    assert "0 of 4,096 leaves shown; 4,096 are folded into 64 parts." in html
    assert "<iframe" not in html


def test_names_cannot_leave_their_place():
    tree = plant(threshold(0, 1, leaf(1, 0), leaf(0, 1)), [Feature("</svg></div><script>")], ["<b>", "&amp;"])
    html = tree._repr_html_()
    assert html.count("<") == 2
    document = unescape(html.split('srcdoc="')[1])
    assert document.count("</svg>") == 1
    assert document.count("<script") == 2
    assert "<b>" not in document
