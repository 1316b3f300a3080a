"""Subspace k-NN and its search, slowly: one row after the other, nothing kept from step to step."""

from __future__ import annotations

import math

import numpy as np

WHOLE = 2**30


def unit_of(n_features):
    """The fixed point in which differences are added: exact, whatever their order."""
    return 2 ** int(math.log2((2**31 - 1) // n_features))


def scaled(table, cases):
    """Numbers as multiples of the cases' ranges in single precision, codes as they are; NaN is missing."""
    columns = []
    for column, own in zip(table.columns, cases.columns, strict=True):
        if column.feature.is_nominal:
            known = (column.values >= 0) & (column.values < column.feature.n_values)
            columns.append(np.where(known, column.values, np.nan))
            continue
        known = own.values[~np.isnan(own.values)] / 2
        low = known.min() if known.size else 0.0
        half = known.max() - low if known.size and known.max() > low else 0.5
        columns.append(np.clip((column.values / 2 - low) / half, -3, 3))
    return np.column_stack(columns).astype(np.float32)


def difference(a, b, is_nominal):
    """Of two values: 0 or 1 for categories, a share of the range for numbers, the most for missing ones."""
    one = np.float32(1)
    if is_nominal:
        return one * (a != b)
    if np.isnan(a) and np.isnan(b):
        return one
    if np.isnan(a) or np.isnan(b):
        value = b if np.isnan(a) else a
        return min(max(value, one - value), one)
    return min(abs(a - b), one)


def distance(row, case, mask, nominal):
    """Sum of squared differences over the features of the mask, in fixed point."""
    unit = np.float32(unit_of(len(mask)))
    total = 0
    for a, b, used, is_nominal in zip(row, case, mask, nominal, strict=True):
        if used:
            apart = np.float32(difference(a, b, is_nominal))
            total += int(apart * apart * unit)
    return total


def shares(row, cases, codes, n_classes, mask, nominal, k, left_out=None):
    """Eq. 1 of the paper for one member: class shares of the k nearest by 1 / distance."""
    order = sorted((distance(row, case, mask, nominal), j) for j, case in enumerate(cases) if j != left_out)
    if not order:
        return [int(n / len(codes) * WHOLE + 0.5) for n in np.bincount(codes, minlength=n_classes)]
    weights, total = [0.0] * n_classes, 0.0
    for apart, j in order[:k]:
        weight = 1.0 / max(math.sqrt(apart / unit_of(len(mask))), 1e-9)
        weights[codes[j]] += weight
        total += weight
    return [int(weight / total * WHOLE + 0.5) for weight in weights]


def winner(values, codes):
    """The class with the most; ties go to the more frequent class, then to the first."""
    frequency = np.bincount(codes, minlength=len(values))
    return max(range(len(values)), key=lambda c: (values[c], frequency[c], -c))


def measures(member, members, codes):
    """Rows that a member gets wrong by leave-one-out, and rows where it differs from the ensemble."""
    wrong = differing = 0
    for i, code in enumerate(codes):
        own = winner(member[i], codes)
        together = winner(np.sum([other[i] for other in members], axis=0), codes)
        wrong += own != code
        differing += own != together
    return wrong, differing


def search(cases, codes, n_classes, masks, nominal, k, with_ambiguity, threshold, max_passes):
    """Hill-climbing as the specification says it: flip, look, keep or undo."""
    masks = [list(mask) for mask in masks]

    def loo(mask):
        return [
            shares(row, cases, codes, n_classes, mask, nominal, k, left_out=i) for i, row in enumerate(cases)
        ]

    members = [loo(mask) for mask in masks]
    for _ in range(max_passes):
        changed = False
        for m, mask in enumerate(masks):
            wrong, differing = measures(members[m], members, codes)
            for j in range(len(mask)):
                flipped = [*mask[:j], not mask[j], *mask[j + 1 :]]
                if not any(flipped):
                    continue
                trial = loo(flipped)
                new_wrong, new_differing = measures(trial, [*members[:m], trial, *members[m + 1 :]], codes)
                if with_ambiguity:
                    accepted = (new_wrong < wrong and new_differing >= (1 - threshold) * differing) or (
                        new_differing > differing and new_wrong <= (1 + threshold) * wrong
                    )
                else:
                    accepted = new_wrong < wrong
                if accepted:
                    masks[m][j] = flipped[j]
                    members[m], wrong, differing, changed = trial, new_wrong, new_differing, True
        if not changed:
            break
    return np.array(masks, dtype=bool), np.array(members).transpose(1, 0, 2)
