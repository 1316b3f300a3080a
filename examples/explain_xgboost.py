"""Load an XGBoost model from its file, and measure one tree that replaces it."""

import tempfile
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

import sightline as sl

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
folder = Path(tempfile.mkdtemp())

# A model was trained and saved somewhere else
boosted = XGBClassifier(n_estimators=60, max_depth=3, random_state=0).fit(
    X_train, y_train
)
boosted.save_model(folder / "model.json")

# Load it: this does not need xgboost, and every label is the same
ensemble = sl.load(folder / "model.json")
same = (ensemble.predict(X_test) == boosted.predict(X_test)).mean()
print(f"{ensemble.n_trees} trees, {ensemble.n_nodes:,} nodes; ", end="")
print(f"same label on {same:.0%} of {len(X_test)} rows")

tree = sl.DistilledTreeClassifier(ensemble, max_leaves=6, random_state=0).fit(X_train)
print(tree.to_text())
print(tree.explain(X_test.iloc[0]))
print()
print(sl.report(tree, X_test, y_test, folder / "report.html").to_text())
