"""Export a tree as one SELECT, run it in SQLite, and compare with Python."""

import sqlite3
from contextlib import closing

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]
tree = sl.DistilledTreeClassifier(max_leaves=10, random_state=0).fit(train.X, train.y)

# Thresholds get as few digits as these rows allow. A missing value follows the
# largest branch.
options = {"dialect": "sqlite", "table": "loans", "missing": "largest"}
query = tree.export("sql", round_thresholds=True, X=train.X, **options)
print(query)

with closing(sqlite3.connect(":memory:")) as database:
    names = ", ".join(f'"{name}"' for name in test.X.names)
    database.execute(f"CREATE TABLE loans ({names})")
    marks = ", ".join("?" * len(test.X.names))
    rows = zip(*(column.to_list() for column in test.X.columns), strict=True)
    database.executemany(f"INSERT INTO loans VALUES ({marks})", rows)
    labels = [row[-1] for row in database.execute(query)]

same = sum(a == b for a, b in zip(labels, tree.predict(test.X), strict=True))
print(f"SQLite and Python agree on {same} of {len(labels)} rows")
