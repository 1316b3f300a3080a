"""Explain decisions: as sentences, as data, and as a letter."""

# [setup]
import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]
customers = [f"C{number}" for number in range(1500, 2000)]

# [one]
tree = sl.DistilledTreeClassifier(max_leaves=8, random_state=0).fit(train.X, train.y)
why = tree.explain(test.X[3], ids="C1503")
print(why)
for reason in why.reasons:
    print(f"{reason.change:+.2f}  {reason.condition} (value: {reason.value})")
print(f"ensemble: {why.ensemble.prediction}, votes {why.ensemble.votes}")

# [many]
everyone = tree.explain(test.X, ids=customers)
columns = everyone.to_columns()
unsure = (columns["probability"] < 0.7) & ~columns["agrees"]
for one in everyone[unsure][:3]:
    first = one.reasons[0]
    strongest = f"{first.change:+.2f} by {first.condition}"
    print(f"{one.row}: {one.prediction} ({one.probability:.0%}); {strongest}")

# [letter]
declined = everyone.named("C1503")
print(declined.to_letter(target="default"))
