import re

import pytest

import sightline as sl

TREE = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: TREE.to_text(foo=1), "Tree.to_text has no option 'foo': see help(sightline.show.to_text)"),
        (lambda: TREE.plot(fontsize=3), "Tree.plot has no option 'fontsize': see help(sightline.show.plot)"),
        (
            lambda: sl.load(TREE).explain([1.0], loud=True),
            "Ensemble.explain has no option 'loud': see help(sightline.show.explain)",
        ),
    ],
)
def test_unknown_options_are_named(ask, sentence):
    with pytest.raises(sl.ParameterError, match=re.escape(f"{sentence} for those it has.")):
        ask()


def test_one_of_a_kind_is_singular():
    alone = sl.C45Classifier().fit([[1.0], [2.0]], [0, 0]).tree_
    assert repr(alone) == "Tree(1 leaf, depth 0, 1 feature)"
    assert repr(alone.to_graph()) == "Graph(1 node, depth 0, 1 feature)"
    assert repr(sl.load(alone)) == "Ensemble(1 tree, 1 node, 1 feature, 1 classes)"
    assert "1 node in all; 1 leaf per tree" in sl.load(alone).to_text()
