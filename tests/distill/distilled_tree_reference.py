"""A slow, simple reference for what a small tree predicts and which tests would be better."""

import itertools

import numpy as np

MISSING = 255


def codes_of(table, bins):
    """Bin of every cell: cuts below a number, codes of categories, MISSING."""
    columns = []
    for index, column in enumerate(table.columns):
        if column.feature.is_nominal:
            codes = column.values.astype(int)
        else:
            codes = np.searchsorted(bins.cuts(index), column.values, side="left")
        columns.append(np.where(column.is_missing, MISSING, codes))
    return np.column_stack(columns)


def leaf_of(nodes, row, start=0):
    node = start
    while nodes[node][0] >= 0:
        feature, to_yes, yes, no, _ = nodes[node]
        node = yes if row[feature] in to_yes else no
    return node


def wrong(nodes, codes, labels, start=0):
    """Whether each row's leaf below a node has another label than the ensemble."""
    found = [nodes[leaf_of(nodes, row, start)][4] for row in codes]
    return np.array(found, dtype=int) != labels


def reached(nodes, codes, node):
    """Rows that pass through a node."""
    rows = np.ones(len(codes), dtype=bool)
    path = path_to(nodes, node)
    for parent, branch in path:
        feature, to_yes, *_ = nodes[parent]
        goes_yes = np.isin(codes[:, feature], to_yes)
        rows &= goes_yes if branch == 0 else ~goes_yes
    return rows


def path_to(nodes, node):
    parents = {child: (v, b) for v, n in enumerate(nodes) if n[0] >= 0 for b, child in enumerate(n[2:4])}
    path = []
    while node in parents:
        path.append(parents[node])
        node = parents[node][0]
    return path[::-1]


def every_split(table, bins, index):
    """Every set of codes that some test of a column sends to branch 0, missing values either way."""
    column = table.columns[index]
    if column.feature.is_nominal:
        values = range(column.feature.n_values)
        sets = [set(c) for n in range(len(values) + 1) for c in itertools.combinations(values, n)]
    else:
        sets = [set(range(cut + 1)) for cut in range(len(bins.cuts(index)))]
        sets += [set(range(len(bins.cuts(index)) + 1)) - below for below in sets]
    return [s | more for s in sets for more in (set(), {MISSING})]


def best_loss_at(nodes, table, bins, codes, labels, weights, node):
    """Least loss of a node's rows over every test, its children staying as they are."""
    rows = reached(nodes, codes, node)
    _, _, yes, no, _ = nodes[node]
    at_yes = weights[rows] * wrong(nodes, codes[rows], labels[rows], yes)
    at_no = weights[rows] * wrong(nodes, codes[rows], labels[rows], no)
    best = min(at_yes.sum(), at_no.sum())
    for index in range(len(table.columns)):
        for to_yes in every_split(table, bins, index):
            goes_yes = np.isin(codes[rows][:, index], list(to_yes))
            best = min(best, np.where(goes_yes, at_yes, at_no).sum())
    return best


def loss_at(nodes, codes, labels, weights, node):
    rows = reached(nodes, codes, node)
    return (weights[rows] * wrong(nodes, codes[rows], labels[rows], node)).sum()
