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
        feature, to_yes, yes, no, *_ = nodes[node]
        node = yes if row[feature] in to_yes else no
    return node


def row_losses(nodes, case, rows, start=0):
    """Loss of each of some rows in its leaf below a node, by the formula of the objective."""
    losses = []
    for row in rows:
        *_, label, value = nodes[leaf_of(nodes, case.codes[row], start)]
        loss = case.label_cost * case.charges[row, label]
        if case.target_cost:
            gaps = np.asarray(case.targets[row]) - value
            distance = np.abs(gaps).sum() if case.absolute else (gaps**2).sum()
            loss += case.target_cost * distance
        losses.append(case.importance[row] * loss)
    return np.array(losses)


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


def best_loss_at(nodes, case, node):
    """Smallest loss of a node's rows over every test that leaves enough training rows on both
    sides, or over no test at all. The children stay as they are."""
    rows = np.flatnonzero(reached(nodes, case.codes, node))
    _, _, yes, no, *_ = nodes[node]
    at_yes, at_no = row_losses(nodes, case, rows, yes), row_losses(nodes, case, rows, no)
    support = np.where(case.observed[rows] >= 0, case.weights[rows], 0)
    best = min(at_yes.sum(), at_no.sum())
    for index in range(len(case.table.columns)):
        for to_yes in every_split(case.table, case.bins, index):
            goes_yes = np.isin(case.codes[rows][:, index], list(to_yes))
            if min(support[goes_yes].sum(), support[~goes_yes].sum()) >= case.min_leaf:
                best = min(best, np.where(goes_yes, at_yes, at_no).sum())
    return best


def loss_at(nodes, case, node):
    rows = np.flatnonzero(reached(nodes, case.codes, node))
    return row_losses(nodes, case, rows, node).sum()


def loss_as_leaf(case, rows):
    """Smallest loss of rows that share one label and one value."""
    weights, targets = case.importance[rows], case.targets[rows]
    loss = 0.0
    if case.label_cost:
        loss += case.label_cost * (weights[:, None] * case.charges[rows]).sum(axis=0).min()
    if case.target_cost and len(rows):
        if case.absolute:
            candidates = targets[:, 0]
            distances = [(weights * np.abs(targets[:, 0] - value)).sum() for value in candidates]
            loss += case.target_cost * min(distances)
        else:
            mean = np.average(targets, axis=0, weights=weights)
            loss += case.target_cost * (weights[:, None] * (targets - mean) ** 2).sum()
    return loss
