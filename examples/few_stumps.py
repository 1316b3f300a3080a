"""A few stumps that vote, and one graph that gives the same labels."""

import sightline as sl

loans = sl.make_loans()
train, test = loans[:1500], loans[1500:]

stumps = sl.StumpEnsembleClassifier(max_size=3, nominal="binary").fit(train.X, train.y)
print(stumps.to_text())
print(f"{len(stumps.stumps_)} stumps: {stumps.score(test.X, test.y):.1%} correct")
print()

print(stumps.explain(test.X[0]))
print()

graph = stumps.to_graph()
equal = sl.certify(graph, stumps).equivalent
print(f"as one graph: {graph.n_nodes} nodes; equal for every row: {equal}")
