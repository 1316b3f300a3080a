"""Explain a prediction by similar loans, and by one that contradicts it."""

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]

ensemble = sl.BaggedTreesClassifier(n_trees=25, random_state=0)
cases = sl.MetaKNNClassifier(ensemble, random_state=0).fit(train.X, train.y)
print(cases.to_text())

# The prediction of the ensemble, two similar loans, and the nearest one of
# another class
print(cases.explain(test.X[3], n=2))
print()

# The same side by side; .plot() draws it, .to_frame() returns a pandas frame
print(cases.explanation(test.X[3], n=2).to_text(style="table"))
