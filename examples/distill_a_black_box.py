"""Replace a model without trees with one tree, measured on unseen rows."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sightline as sl

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
y = np.where(y == 0, "malignant", "benign")
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)

# A neural network behind a scaler: there are no trees to read
network = MLPClassifier(max_iter=1000, random_state=0)
network = make_pipeline(StandardScaler(), network).fit(X_train, y_train)

# It is queried on the training rows and on artificial rows near them
tree = sl.DistilledTreeClassifier(network, max_leaves=5, random_state=0).fit(
    X_train, y_train
)
print(tree.ensemble_)
print(tree.to_text())
print(sl.report(tree, X_test, y_test).to_text())
print(tree.explain(X_test.iloc[0]))
print()


# A function works too: it gets the rows as a frame like X_train
def by_hand(rows):
    """Label rows by two thresholds."""
    is_large = rows["worst radius"] > 16.8
    is_rough = rows["worst concave points"] > 0.13
    return np.where(is_large | is_rough, "malignant", "benign")


box = sl.BlackBox(by_hand)
small = sl.DistilledTreeClassifier(box, max_leaves=3, random_state=0).fit(X_train)
print(small.to_text())

# Nothing is claimed that cannot be known
try:
    sl.certify(tree, network)
except sl.UnsupportedModelError as error:
    print(f"... {str(error).rpartition('. ')[2]}")
