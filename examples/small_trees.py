"""Find a smaller tree by searching for the features that are worth their cost."""

import sightline as sl

loans = sl.make_loans(600)
train, test = loans[:400], loans[400:]

plain = sl.C45Classifier().fit(train.X, train.y)
search = sl.SetGenClassifier(evaluations=300, random_state=0).fit(train.X, train.y)

for name, model in (("C4.5", plain), ("SET-GEN", search)):
    size = model.tree_.size_
    right = model.score(test.X, test.y)
    read = f"nodes {size['nodes']}, features {size['features']}"
    print(f"{name}: {read}, {right:.1%} correct")

print(search.exchange_rate_)
print(search.to_text())
