"""Rules that an auditor can check one by one, each with its measures."""

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]

rules = sl.RuleSetClassifier(max_rules=12, random_state=0).fit(train.X, train.y)
print(rules.to_text())
print(f"accuracy with 12 rules: {rules.score(test.X, test.y):.1%}")
print(rules.explain(test.X[0]))
