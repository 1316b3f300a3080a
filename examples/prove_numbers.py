"""Find the largest difference between a small tree and a forest, over all rows."""

from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

import sightline as sl

X, y = load_diabetes(return_X_y=True, as_frame=True)
columns = ["bmi", "bp", "s5"]
forest = RandomForestRegressor(10, max_leaf_nodes=12, random_state=0).fit(X[columns], y)

tree = sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0).fit(
    X[columns], y
)
print(sl.certify(tree, forest, missing=False))
print(sl.certify(tree, forest, missing=False, tolerance=100))

for tolerance in (0, 5, 20):
    merged = sl.merge(forest, missing=False, tolerance=tolerance)
    size = f"{merged.n_leaves:,} leaves, proved: {merged.complete}"
    print(f"never off by more than {tolerance}: {size}")
