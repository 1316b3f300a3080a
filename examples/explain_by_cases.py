"""Why did the ensemble say so? By loans that it sees as alike, and one that speaks against it."""

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]

ensemble = sl.BaggedTreesClassifier(n_trees=25, random_state=0)
cases = sl.MetaKNNClassifier(ensemble, random_state=0).fit(train.X, train.y)
print(cases.to_text())

# The answer of the ensemble, two loans like this one, and the nearest that ended otherwise
print(cases.explain(test.X[3], n=2))
print()

# The same side by side; .plot() draws it, .to_frame() is a frame of pandas
print(cases.explanation(test.X[3], n=2).to_text(style="table"))
