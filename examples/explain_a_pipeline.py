"""Load a scikit-learn pipeline over its original columns, and replace it with one tree."""

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
fill = SimpleImputer(strategy="most_frequent")
prepare = ColumnTransformer(
    [
        ("numbers", Pipeline([("fill", SimpleImputer()), ("scale", StandardScaler())]), numbers),
        ("words", Pipeline([("fill", fill), ("encode", OneHotEncoder(handle_unknown="ignore"))]), categories),
    ]
)
pipeline = Pipeline([("prepare", prepare), ("forest", RandomForestClassifier(50, random_state=0))])
pipeline.fit(X, y)

# The forest tests 20 prepared columns; the loaded ensemble tests the 10 columns of the table
ensemble = sl.load(pipeline)
print(sl.load(pipeline[-1]))
print(ensemble)
print(f"same probabilities: {(ensemble.predict_proba(X) == pipeline.predict_proba(X)).all()}")

tree = sl.DistilledTreeClassifier(pipeline, max_leaves=6, random_state=0).fit(X, y)
print(tree.to_text())
print(tree.export("sql", missing="largest"))
