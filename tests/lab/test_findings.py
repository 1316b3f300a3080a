from matplotlib.figure import Figure

from sightline.lab._findings import Beside, FigureFile, ResultTable

TABLE = ResultTable(
    "t",
    "A < B",
    ("set", "J48 | C4.5", "p"),
    [("iris", Beside(94.938, 94.67, mark=" ∘"), "0.1 *"), ("new", Beside(50.0), None), ("mean", 72.5, 3)],
    "Note & more.",
)


def test_beside_shows_both_numbers_and_the_difference():
    assert str(Beside(94.938, 94.67, mark=" ∘")) == "94.94 ∘ (94.67, +0.27)"
    assert str(Beside(1.5)) == "1.50"
    assert Beside(1.5).difference is None


def test_markdown():
    assert TABLE.to_markdown() == (
        "## A < B\n\nNote & more.\n\n"
        "| set | J48 \\| C4.5 | p |\n| --- | ---: | ---: |\n"
        "| iris | 94.94 ∘ (94.67, +0.27) | 0.1 * |\n| new | 50.00 | - |\n| mean | 72.50 | 3 |"
    )


def test_tsv_has_columns_for_the_papers_numbers():
    assert TABLE.to_tsv() == (
        "set\tJ48 | C4.5\tJ48 | C4.5 (paper)\tJ48 | C4.5 (difference)\tp\n"
        "iris\t94.94\t94.67\t+0.27\t0.1 *\nnew\t50.00\t\t\t\nmean\t72.50\t\t\t3\n"
    )


def test_html_escapes():
    text = TABLE.to_html()
    assert "<h2>A &lt; B</h2><p>Note &amp; more.</p>" in text
    assert "<td>94.94 ∘<small>94.67, +0.27</small></td>" in text


def test_equal_drawings_have_equal_bytes():
    def drawing():
        figure = Figure(figsize=(1, 1))
        figure.add_subplot().plot([0, 1], [0, 1])
        return FigureFile("line", "A line.", figure).to_svg()

    assert drawing() == drawing()


def test_drawings_have_dark_colors_too():
    """Pages of results showed them as white boxes on a dark page."""
    figure = Figure(figsize=(1, 1))
    text = FigureFile("line", "A line.", figure).to_svg()
    assert "@media (prefers-color-scheme: dark)" in text.partition("</style>")[0]
    assert text.count("<style") == 1
