"""Merge a forest into one tree that provably gives every row the same label."""

from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier

import sightline as sl

X, y = load_iris(return_X_y=True, as_frame=True)
forest = RandomForestClassifier(10, max_depth=3, random_state=0).fit(X, y)

merged = sl.merge(forest, X=X)
print(f"{forest.n_estimators} trees became one with {merged.n_leaves} leaves", end="; ")
print(f"all proved: {merged.complete}")

graph = sl.merge(forest, to="graph", X=X)
print(f"as a graph: {graph.n_nodes} nodes")

print(sl.certify(merged, forest).to_text())

ordinary = sl.C45Classifier().fit(X, y)
certificate = sl.certify(ordinary, forest, X)
print(certificate.to_text())
