"""SET-GEN as slowly and obviously as possible: what the kernels and the search must equal."""

import numpy as np

import sightline as sl
from sightline.learn import Growth

MASK = 2**64 - 1
STEP = 0x9E3779B97F4A7C15


def small_table(n_rows=60, seed=0, n_classes=2):
    """Numeric and nominal columns with ties and missing values; some tell the class, some do not."""
    random = np.random.RandomState(seed)
    labels = random.randint(n_classes, size=n_rows)
    signal = labels + random.normal(0, 0.7, n_rows)
    columns = [
        np.round(signal, 1).astype(object),
        np.round(random.normal(0, 1, n_rows), 1).astype(object),
        np.array(["abc"[code] for code in (labels + (random.rand(n_rows) < 0.3)) % 3], dtype=object),
        np.array(["xyzw"[code] for code in random.randint(4, size=n_rows)], dtype=object),
        (signal > np.median(signal)).astype(float).astype(object),
    ]
    for column in columns[1:4]:
        column[random.rand(n_rows) < 0.1] = None
    X = sl.Table.from_any(np.column_stack(columns), feature_names=["signal", "noise", "hint", "junk", "high"])
    return X, sl.Labels.from_any(np.array(["no", "yes", "maybe"])[labels])


def evaluate(X, y, folds, members, base, confidence, accuracy_weight=0.75, size_weight=0.5, of_means=False):
    """Accuracy, nodes, leaves and fitness of a feature set, each tree grown on its own."""
    features = np.flatnonzero(members).astype(np.uint32)
    n_folds = folds.max() + 1
    accuracy, nodes, leaves, size, rows = [], [], [], [], []
    for fold in range(n_folds):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        tree = Growth(X, y, base, bag=train.astype(np.uint32), features=features).tree(confidence=confidence)
        accuracy.append(np.mean(tree.predict(X[test]) == np.asarray(y)[test]))
        nodes.append(tree.n_nodes)
        leaves.append(tree.n_leaves)
        size.append(tree.n_nodes / len(train))
        rows.append(len(train))
    if of_means:
        size = np.mean(nodes) / np.mean(rows)
    simplicity = 1 - (size_weight * np.mean(size) + (1 - size_weight) * len(features) / len(members))
    fitness = accuracy_weight * np.mean(accuracy) + (1 - accuracy_weight) * simplicity
    return np.array([n_folds, np.mean(accuracy), np.mean(nodes), np.mean(leaves), fitness])


def mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


class Stream:
    def __init__(self, seed, number):
        self.state = mixed(mixed((seed + STEP) & MASK) ^ (number * STEP & MASK))

    def uniform(self):
        self.state = (self.state + STEP) & MASK
        return (mixed(self.state) >> 11) * 2.0**-53

    def below(self, n):
        return int(self.uniform() * n)

    def pick(self, likelihood):
        draw = self.uniform() * sum(likelihood)
        total = 0
        for index, part in enumerate(likelihood):
            total += part
            if total > draw:
                return index
        raise AssertionError


def random_entry(stream, n_features, blank_rate):
    return -1 if stream.uniform() < blank_rate else stream.below(n_features)


def breed(number, genomes, likelihood, n_features, seed, crossover, mutation, blank, operators):
    """Return child ``number``, as the paper describes it."""
    stream = Stream(seed, number)
    operator = stream.pick(operators)
    child = list(genomes[stream.pick(likelihood)])
    size = len(child)
    if operator == 0:
        second = list(genomes[stream.pick(likelihood)])
        shift = stream.below(size)
        rotated = second[size - shift :] + second[: size - shift]
        child = [
            theirs if stream.uniform() < crossover else own
            for own, theirs in zip(child, rotated, strict=True)
        ]
    elif operator == 1:
        child = [
            random_entry(stream, n_features, blank) if stream.uniform() < mutation else own for own in child
        ]
    else:
        present = sorted(set(child) - {-1})
        if present:
            gone = present[stream.below(len(present))]
            child = [-1 if own == gone else own for own in child]
    return child
