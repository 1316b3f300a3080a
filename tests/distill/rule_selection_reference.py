"""How a few rules are selected that vote like an ensemble: slow and obvious."""

import numpy as np

WEIGHTS = (0.25, 0.5, 1, 2, 4, 8, 16, 32)


class SlowVotes:
    """Votes of rules, and the loss against probabilities."""

    def __init__(self, probabilities, row_weights, base, penalty):
        self.q = probabilities
        self.row_weights = row_weights
        self.base = np.asarray(base)
        self.penalty = penalty
        self.covered, self.labels, self.weights = [], [], []

    def votes(self):
        votes = np.tile(self.base, (len(self.q), 1))
        for rows, label, weight in zip(self.covered, self.labels, self.weights, strict=True):
            votes[rows, label] += weight
        return votes

    def loss(self):
        votes = self.votes()
        shares = votes / votes.sum(axis=1, keepdims=True)
        entropy = -(self.q * np.log(shares)).sum(axis=1)
        return self.row_weights @ entropy + self.penalty * sum(self.weights)

    def best_vote(self, rows):
        """The gain, class and weight of one more rule.

        Rows of weight 0 are left out first: among them, sums would be rounded differently, depending on the
        processor, and rules that differ in such rows alone would no longer tie.
        """
        rows = rows & (self.row_weights > 0)
        votes = self.votes()[rows]
        best = (0.0, 0, 0.0)
        for label in range(self.q.shape[1]):
            for weight in WEIGHTS:
                more = self.q[rows, label] * np.log1p(weight / votes[:, label])
                gain = self.row_weights[rows] @ (more - np.log1p(weight / votes.sum(axis=1)))
                gain -= self.penalty * weight
                if gain > best[0]:
                    best = (gain, label, weight)
        return best

    def add(self, rows, label, weight):
        self.covered.append(rows)
        self.labels.append(label)
        self.weights.append(weight)

    def refit(self, n_sweeps):
        for _ in range(n_sweeps):
            votes = self.votes()
            for i, (rows, label) in enumerate(zip(self.covered, self.labels, strict=True)):
                wanted = self.row_weights[rows] @ (self.q[rows, label] / votes[rows, label])
                cost = self.row_weights[rows] @ (1 / votes[rows].sum(axis=1)) + self.penalty
                self.weights[i] *= wanted / cost

    def drop_below(self, least):
        stays = [weight >= least for weight in self.weights]
        for name in ("covered", "labels", "weights"):
            setattr(self, name, [x for x, stay in zip(getattr(self, name), stays, strict=True) if stay])
        return stays


def jaccard(a, b):
    return (a & b).sum() / (a | b).sum()


def slow_selection(holds, rules, features, fit, max_rules, shorten, similar):
    """Rules in order: (conditions, label, weight).

    holds : which row satisfies which condition. rules : conditions and number of trees of each candidate.
    """

    def covered(conditions):
        return holds[:, conditions].all(axis=1)

    def features_of(conditions):
        return {features[c] for c in conditions}

    def key(r):
        conditions, n_trees = rules[r]
        return (fit.best_vote(covered(conditions))[0], n_trees, -len(conditions), -r)

    waiting = {r: key(r) for r in range(len(rules))}
    waiting = {r: known for r, known in waiting.items() if known[0] > 0}
    selected = []
    while waiting and len(selected) < max_rules:
        r = max(waiting, key=waiting.get)
        del waiting[r]
        now = key(r)
        if now[0] <= 0:
            continue
        if waiting and now < max(waiting.values()):
            waiting[r] = now
            continue
        conditions = list(rules[r][0])
        vote = fit.best_vote(covered(conditions))
        while shorten and len(conditions) > 1:
            without = [conditions[:i] + conditions[i + 1 :] for i in range(len(conditions))]
            votes = [fit.best_vote(covered(others)) for others in without]
            best = max(range(len(votes)), key=lambda i: (votes[i][0], i))
            if votes[best][0] < vote[0] * (1 - 1e-9):
                break
            conditions, vote = without[best], votes[best]
        own = covered(conditions)
        if any(
            label == vote[1]
            and features_of(others) == features_of(conditions)
            and jaccard(own, covered(others)) >= similar
            for others, label in selected
        ):
            continue
        selected.append((conditions, vote[1]))
        fit.add(own, *vote[1:])
        fit.refit(5)
        selected = [x for x, stays in zip(selected, fit.drop_below(0.1), strict=True) if stays]
    fit.refit(200)
    selected = [x for x, stays in zip(selected, fit.drop_below(0.1), strict=True) if stays]
    return [(sorted(c), label, weight) for (c, label), weight in zip(selected, fit.weights, strict=True)]
