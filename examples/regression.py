"""From a CSV of insurance claims to a regression tree, its report and its SQL."""

# [rows]
import tempfile
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestRegressor

import sightline as sl

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)
age, power = rng.integers(18, 85, 2000), rng.integers(40, 220, 2000)
km = rng.uniform(2, 40, 2000).round(1)
risk = 300 + 8 * power + 25 * km + np.where(age < 25, 1400, 12 * abs(age - 50))
cost = (risk * rng.gamma(20, 1 / 20, 2000)).round(2)
claims = np.column_stack([age, power, km, cost])
header = "age,power,thousand_km,claim_cost"
options = {"delimiter": ",", "header": header, "comments": "", "fmt": "%g"}
np.savetxt(folder / "claims.csv", claims, **options)

table = sl.read_table(folder / "claims.csv", target="claim_cost")
train, test = table[:1500], table[1500:]
print(table)

# [forest]
forest = RandomForestRegressor(random_state=0).fit(train.X.to_pandas(), train.y)
r2 = forest.score(test.X.to_pandas(), test.y)
print(f"R² of the 100 trees on unseen rows: {r2:.3f}")

# [distill]
tree = sl.DistilledTreeRegressor(forest, max_leaves=8, random_state=0).fit(
    train.X, train.y
)
print(tree.to_text())

# [explain]
print(tree.explain(test.X[0]))

# [lines]
lines = sl.DistilledTreeRegressor(
    forest, max_leaves=4, leaf="linear", random_state=0
).fit(train.X, train.y)
print(lines.to_text())

# [size]
print(tree.fidelity_curve(test.X, test.y).to_text())

# [report]
summary = sl.report(tree, test.X, test.y, folder / "report.html")
print(summary.to_text())
print(summary.metrics["fidelity"]["mae"])

# [sql]
print(tree.export("sql", missing="largest"))
