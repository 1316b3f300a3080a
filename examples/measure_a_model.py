"""Measure a tree on unseen loans, also against the ensemble that it imitates."""

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]
ensemble = sl.BaggedTreesClassifier(n_trees=25, random_state=0).fit(train.X, train.y)
tree = sl.DistilledTreeClassifier(ensemble, max_leaves=8, random_state=0).fit(
    train.X, train.y
)

# Compares the tree with the ensemble that it imitates
found = sl.measure(tree, test.X, test.y)
print(found)

# Each number is also an attribute; to_frame() has one line per measure, and
# to_dict() is for JSON
print("recall of yes:", found.model.recall["yes"])
print("AUC of the tree:", found.model.auc)
print("AUC of the ensemble:", found.ensemble.auc)
lost = found.differences.by_measure["AUC"]
print("AUC of the tree minus that of the ensemble:", lost)
fidelity = found.fidelity.balanced
print("fidelity, with equal weight for every label of the ensemble:", fidelity)
