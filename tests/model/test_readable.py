import inspect
import re

import pytest

import sightline as sl
from sightline import show

TREE = sl.C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_


@pytest.mark.parametrize(
    ("ask", "name", "option"),
    [
        (lambda: TREE.to_text(foo=1), "Tree.to_text", "foo"),
        (lambda: TREE.plot(fontsize=3), "Tree.plot", "fontsize"),
        (lambda: sl.load(TREE).explain([1.0], loud=True), "Ensemble.explain", "loud"),
    ],
)
def test_unknown_options_are_named(ask, name, option):
    with pytest.raises(TypeError, match=re.escape(f"{name}() got an unexpected keyword argument '{option}'")):
        ask()


@pytest.mark.parametrize(
    "kind",
    [
        sl.Tree,
        sl.Graph,
        sl.Ensemble,
        sl.model.RuleSet,
        sl.model.NeighbourEnsemble,
        sl.model.CaseBase,
        sl.model.CaseExplanation,
        sl.model.StumpTable,
        sl.model.FidelityCurve,
    ],
)
def test_methods_name_the_parameters_of_their_display(kind):
    shown = show.display(object.__new__(kind))
    for method, form in (
        ("to_text", "text"),
        ("plot", "plot"),
        ("explain", "explain"),
        ("to_frame", "frame"),
    ):
        if not hasattr(kind, method):
            continue
        outer = inspect.signature(getattr(kind, method)).parameters
        inner = inspect.signature(getattr(type(shown), form)).parameters
        assert all(parameter.kind is not parameter.VAR_KEYWORD for parameter in outer.values())
        defaults = {name: parameter.default for name, parameter in outer.items()}
        known = {name: parameter.default for name, parameter in inner.items() if name in outer}
        assert defaults == known


def test_one_of_a_kind_is_singular():
    alone = sl.C45Classifier().fit([[1.0], [2.0]], [0, 0]).tree_
    assert repr(alone) == "Tree(1 leaf, depth 0, 1 feature)"
    assert repr(alone.to_graph()) == "Graph(1 node, depth 0, 1 feature)"
    assert repr(sl.load(alone)) == "Ensemble(1 tree, 1 node, 1 feature, 1 class)"
    assert "1 node in total; 1 leaf per tree" in sl.load(alone).to_text()
