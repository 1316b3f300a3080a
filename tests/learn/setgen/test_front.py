import numpy as np
import pytest
from matplotlib import pyplot as plt
from setgen_reference import small_table

import sightline as sl


@pytest.fixture(scope="module")
def front():
    X, y = small_table(80, seed=2)
    return sl.SetGenClassifier(random_state=0, folds=5).fit(X, y).front_


def test_no_point_beats_another(front):
    points = np.array([(p.accuracy, -p.nodes, -len(p.features)) for p in front])
    for index, point in enumerate(points):
        assert not (np.delete(points, index, axis=0) >= point).all(axis=1).any()


def test_it_is_a_sequence_by_features(front):
    assert [len(point.features) for point in front] == sorted(len(point.features) for point in front)
    assert front[0] is next(iter(front))
    assert repr(front) == front.to_text()


def test_as_text_and_frame(front):
    lines = front.to_text().splitlines()
    assert len(lines) == len(front) + 2
    assert sum("* " in line for line in lines[1:-1]) == 1
    frame = front.to_pandas()
    assert frame["features"].tolist() == [len(point.features) for point in front]
    assert frame["fitness"].max() == front.chosen.fitness


def test_the_picture_shows_every_point(front):
    ax = front.plot()
    others, chosen, plain = (collection.get_offsets() for collection in ax.collections)
    assert len(others) + len(chosen) == len(front)
    assert chosen.tolist() == [[front.chosen.nodes, front.chosen.accuracy]]
    assert plain.tolist() == [[front.plain.nodes, front.plain.accuracy]]
    n = len(front.chosen.features)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [
        "feature set, with its number of features",
        f"best fitness, {n} feature{'s' * (n != 1)}",
        "all 5 features",
    ]
    plt.close(ax.figure)
