"""Load a pipeline over its original columns, and replace it with one tree."""

from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sightline as sl

loans = sl.make_loans()
X = loans.to_pandas()
y = X.pop(loans.target_name)
numbers = X.select_dtypes("number").columns
categories = X.columns.difference(numbers)

# A typical model: prepared columns, then a forest
scale = [("fill", SimpleImputer()), ("scale", StandardScaler())]
encode = [
    ("fill", SimpleImputer(strategy="most_frequent")),
    ("encode", OneHotEncoder(handle_unknown="ignore")),
]
prepare = ColumnTransformer(
    [
        ("numbers", Pipeline(scale), numbers),
        ("words", Pipeline(encode), categories),
    ]
)
forest = RandomForestClassifier(50, random_state=0)
pipeline = Pipeline([("prepare", prepare), ("forest", forest)])
pipeline.fit(X, y)

# The forest tests 20 prepared columns, the loaded ensemble the table's 10 columns
ensemble = sl.load(pipeline)
print(sl.load(pipeline[-1]))
print(ensemble)
same = (ensemble.predict_proba(X) == pipeline.predict_proba(X)).all()
print(f"same probabilities: {same}")

tree = sl.DistilledTreeClassifier(pipeline, max_leaves=6, random_state=0)
tree.fit(X, y)
print(tree.to_text())
print(tree.export("sql", missing="largest"))
