"""How large must a tree be to match a forest?"""

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

import sightline as sl

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_rest, X_test, y_rest, y_test = train_test_split(X, y, random_state=0, stratify=y)
X_train, X_choose, y_train, y_choose = train_test_split(
    X_rest, y_rest, random_state=0, stratify=y_rest
)
forest = RandomForestClassifier(random_state=0).fit(X_train, y_train)

tree = sl.DistilledTreeClassifier(forest, random_state=0).fit(X_train)
print("leaves by default:", tree.size_["leaves"])

# Choose the size on separate rows, so that the test rows stay unseen.
curve = tree.fidelity_curve(X_choose, y_choose)
print(curve.to_text())

smaller = tree.resized(curve.knee)
print(smaller.to_text())
agreement = (smaller.predict(X_test) == forest.predict(X_test)).mean()
size = f"{curve.knee} leaves on {len(X_test)} unseen rows"
print(f"fidelity of the tree with {size}: {agreement:.1%}")
