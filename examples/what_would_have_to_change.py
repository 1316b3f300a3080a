"""Find what would have to change for a refused loan to be granted."""

import sightline as sl

table = sl.make_loans(1000)
loans, failed = table.X, table.y
ensemble = sl.BaggedTreesClassifier(n_trees=50, random_state=0).fit(loans, failed)
tree = sl.DistilledTreeClassifier(ensemble, max_leaves=12, random_state=0).fit(loans)

# The first loan that is predicted to fail
applicant = loans[int((ensemble.predict(loans) == "yes").argmax())]
print(", ".join(f"{name}: {value}" for name, value in applicant.items()), end="\n\n")

# [limits]
limits = {
    "within": loans,  # numbers inside the range, categories that occur
    "fixed": ["age", "purpose"],
    "monotone": {"years employed": 1, "other loans": -1},
    "ranges": {"duration": (6, 48)},
}
print(sl.counterfactuals(ensemble, applicant, **limits), end="\n\n")

# [both]
print(sl.counterfactuals(tree, applicant, ensemble=ensemble, n=1, **limits), end="\n\n")

# [impossible]
others = [name for name in applicant if name != "duration"]
print(sl.counterfactuals(ensemble, applicant, within=loans, fixed=others))
