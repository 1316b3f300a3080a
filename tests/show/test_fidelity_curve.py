import numpy as np

from sightline.model import FidelityCurve
from sightline.show import plot, to_html, to_text

CURVE = FidelityCurve(np.array([2, 4, 8]), np.array([0.7, 0.9, 0.9]), np.array([0.6, 0.8, 0.75]), 0.85, 1_200)


def test_text():
    assert to_text(CURVE) == (
        "Fidelity and accuracy on 1,200 rows\n"
        "leaves  fidelity  accuracy\n"
        "     2     70.0%     60.0%\n"
        "     4     90.0%     80.0%  <- suggested\n"
        "     8     90.0%     75.0%\n"
        "Accuracy of the ensemble: 85.0%\n"
    )


def test_html_has_a_row_per_size():
    assert to_html(CURVE).count("<tr>") == 4


def test_drawing_shows_both_lines_and_the_knee():
    ax = plot(CURVE)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["fidelity", "accuracy", "accuracy of the ensemble", "suggested: 4 leaves"]
    assert ax.get_ylabel() == "% of 1,200 rows"
