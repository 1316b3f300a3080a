"""Every part of the library once, on one table."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

import sightline as sl

X_all, y_all = load_breast_cancer(return_X_y=True, as_frame=True)
X, y, X_unseen, y_unseen = X_all[::2], y_all[::2], X_all[1::2], y_all[1::2]
folder = Path(tempfile.mkdtemp())

# A C4.5 tree, equal to Weka's J48, that handles categories and missing values
tree = sl.C45Classifier().fit(X, y)
print(tree.tree_)
tree.plot().figure.savefig(folder / "tree.png")

# A smaller tree, found by a search over features
setgen = sl.SetGenClassifier(evaluations=200, random_state=0).fit(X, y)
print("features that are worth their cost:", setgen.features_)

# Load any tree ensemble of scikit-learn, XGBoost, LightGBM or CatBoost, or its
# file, exactly
forest = RandomForestClassifier(50, random_state=0).fit(X, y)
ensemble = sl.load(forest)
assert (ensemble.predict(X) == forest.predict(X)).all()

# The most faithful tree of a given size, and the fidelity at other sizes
small = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(X)
print(small.explain(X_unseen.iloc[0]))
print(small.fidelity_curve(X_unseen, y_unseen).to_text())
smaller = small.resized(4)

# The trees of two papers
ism = sl.ISMClassifier(forest, max_leaves=8).fit(X)
cmm = sl.CMMClassifier(forest, random_state=0).fit(X, y)

# At most 20 rules that vote, even if only some of their conditions hold
rules = sl.RuleSetClassifier(forest, max_rules=20, random_state=0).fit(X, y)
print(rules.explain(X_unseen.iloc[0]))

# A few stumps that vote, and a graph that provably gives the same labels
stumps = sl.StumpEnsembleClassifier(max_size=3).fit(X, y)
assert sl.certify(stumps.to_graph(), stumps)

# A few cases that the forest treats alike, and how they differ
cases = sl.MetaKNNClassifier(forest, random_state=0).fit(X, y)
cases.explanation(X_unseen.iloc[0]).plot().figure.savefig(folder / "cases.png")

# Compare some methods on the same folds; find the simplest one that is as good
print(sl.compare(X_all, y_all, methods=["C4.5 tree", "20 rules"], n_folds=3))

# Pages for people, files for machines
sl.report(rules, X_unseen, y_unseen, folder / "rules.html", sizes=(), max_seconds=2)
small.export(
    "sql", folder / "tree.sql", dialect="sqlite", table="cells", missing="largest"
)
small.to_json(folder / "tree.json")
again = sl.read_model(folder / "tree.json")
