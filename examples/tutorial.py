"""From a table of loans to one readable tree, its measures and its report."""

# [rows]
import tempfile
from pathlib import Path

import sightline as sl

loans = sl.make_loans()  # synthetic: no row is about a real person
train, test = loans[:1500], loans[1500:]
print(loans)
print(train.X[0])

# [ensemble]
forest = sl.BaggedTreesClassifier(n_trees=25, random_state=0).fit(train.X, train.y)
print(f"accuracy of the 25 trees: {forest.score(test.X, test.y):.1%}")
print(f"nodes to read: {forest.size_['nodes']:,}")

# [distill]
tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(
    train.X, train.y
)
print(tree.to_text())

# [explain]
print(tree.explain(test.X[0]))

# [size]
print(tree.fidelity_curve(test.X, test.y).to_text())

# [proof]
with_missing = [column.name for column in test.columns if column.is_missing.any()]
certificate = sl.certify(tree, forest, test.X, missing=with_missing)
print("equal on every possible row:", certificate.equivalent)
print("labels of a row on which they differ:", certificate.answers)

# [report]
folder = Path(tempfile.mkdtemp())
summary = sl.report(tree, test.X, test.y, folder / "report.html")
print(summary.to_text())
