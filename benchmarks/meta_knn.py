"""Subspace k-NN against the same search in numpy; explanations by cases against a target."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier

import sightline as sl
from benchmarks._memory import peak_bytes
from benchmarks._ratio import Ratio, cpu_seconds
from sightline import _core

ROOT = Path(__file__).resolve().parents[1]
DATASETS = ROOT.parent / "shared" / "datasets"
K, THRESHOLD = 5, 0.05


def ratios(large: bool) -> Iterator[Ratio]:
    yield search_ratio(max_passes=8)  # as the estimator's default
    if DATASETS.is_dir():
        yield explanations_of_adult()
    if large:
        yield memory_of_search()


def search_ratio(max_passes: int) -> Ratio:
    """AmbHC on 768 x 8, the size of Pima, with 25 members. Both searches find the same masks."""
    X, y = rows()
    masks = np.random.RandomState(0).rand(25, 8) < 0.5
    masks[:, 0] |= ~masks.any(axis=1)
    cases = _core.SubspaceKNNCases(sl.Table.from_any(X).native(), y, 2)

    def ours() -> np.ndarray:
        found = cases.search(masks.astype(np.uint8).ravel(), K, True, THRESHOLD, max_passes, 1)
        return found.masks.astype(bool)

    found, seconds = searched_in_numpy(X, y, masks, max_passes)
    if not (ours() == found).all():
        raise AssertionError("the searches find different members")
    return Ratio(
        f"AmbHC, 768 x 8, 25 members, {max_passes} passes",
        cpu_seconds(ours, 20),
        seconds,
        "numpy, one flip at a time",
        bound=1 / 20,
    )


def searched_in_numpy(
    X: np.ndarray, y: np.ndarray, masks: np.ndarray, max_passes: int
) -> tuple[np.ndarray, float]:
    """Return the masks that numpy finds, and its CPU seconds, in a process of its own.

    Otherwise the ratio would depend on earlier jobs: its matrices of 5 MB take half the time after larger
    ones were freed. It still depends on the processor: with AVX-512, numpy sorts three times as fast.
    """
    own = dict.fromkeys(("MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_"), str(2**30))
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/given.npz", X=X, y=y, masks=masks, max_passes=max_passes)
        command = [sys.executable, "-m", "benchmarks.meta_knn", folder]
        output = subprocess.run(
            command, cwd=ROOT, env=os.environ | own, check=True, capture_output=True, text=True
        ).stdout
        return np.load(f"{folder}/found.npy"), float(output)


def rows() -> tuple[np.ndarray, np.ndarray]:
    if (DATASETS / "diabetes.arff").exists():
        table = sl.read_table(DATASETS / "diabetes.arff")
        return np.column_stack([column.values for column in table.columns]), table.y.codes
    random = np.random.RandomState(0)
    X = random.normal(size=(768, 8))
    return X, (X[:, :4].sum(axis=1) + random.normal(size=768) > 0).astype(np.int32)


def search_in_numpy(X: np.ndarray, y: np.ndarray, masks: np.ndarray, max_passes: int) -> np.ndarray:
    """The definition on whole arrays: differences in fixed point, ties to the lowest row."""
    n, n_features = X.shape
    unit = 2 ** int(np.log2((2**31 - 1) // n_features))
    scaled = ((X / 2 - X.min(axis=0) / 2) / (X.max(axis=0) / 2 - X.min(axis=0) / 2)).astype(np.float32)
    apart = [np.abs(scaled[:, None, f] - scaled[None, :, f]) for f in range(n_features)]
    tables = [(d * d * np.float32(unit)).astype(np.int64) for d in apart]
    more_frequent = int(np.bincount(y, minlength=2).argmax())
    every = np.arange(n)

    def winner(shares: np.ndarray) -> np.ndarray:
        return np.where(shares[:, 0] == shares[:, 1], more_frequent, shares.argmax(axis=1))

    def shares(distances: np.ndarray) -> np.ndarray:
        keys = distances * n + every  # the row breaks ties
        keys[every, every] = 2**62
        near = np.sort(np.partition(keys, K - 1, axis=1)[:, :K], axis=1)
        weights = 1.0 / np.maximum(np.sqrt(near // n / unit), 1e-9)
        of_one = (y[near % n] == 1) * weights
        sums, total = np.zeros((n, 2)), np.zeros(n)
        for index in range(K):  # in the kernel's order, so that sums round the same way
            sums[:, 1] += of_one[:, index]
            sums[:, 0] += weights[:, index] - of_one[:, index]
            total += weights[:, index]
        return (sums / total[:, None] * 2**30 + 0.5).astype(np.int64)

    masks = masks.copy()
    members = [shares(sum(tables[f] for f in np.flatnonzero(mask))) for mask in masks]
    totals = np.sum(members, axis=0)
    for _ in range(max_passes):
        changed = False
        for i, mask in enumerate(masks):
            distances = sum(tables[f] for f in np.flatnonzero(mask))
            own = winner(members[i])
            error, ambiguity = (own != y).sum(), (own != winner(totals)).sum()
            for f in range(n_features):
                if mask[f] and mask.sum() == 1:
                    continue
                moved = distances - tables[f] if mask[f] else distances + tables[f]
                trial = shares(moved)
                together = totals - members[i] + trial
                own = winner(trial)
                new_error, new_ambiguity = (own != y).sum(), (own != winner(together)).sum()
                if (new_error < error and new_ambiguity >= (1 - THRESHOLD) * ambiguity) or (
                    new_ambiguity > ambiguity and new_error <= (1 + THRESHOLD) * error
                ):
                    mask[f] = not mask[f]
                    members[i], totals, distances = trial, together, moved
                    error, ambiguity, changed = new_error, new_ambiguity, True
        if not changed:
            break
    return masks


def explanations_of_adult() -> Ratio:
    """1,000 explanations as text, for a forest of 100 trees on adult: CPU seconds of one thread."""
    table = sl.read_table(DATASETS / "adult.arff.gz")
    X = np.column_stack([np.where(c.is_missing, np.nan, c.values) for c in table.columns])
    y = np.asarray(table.y)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=2).fit(X[:-1000], y[:-1000])
    meta = sl.MetaKNNClassifier(forest, n_jobs=1, random_state=0).fit(X[:-1000], y[:-1000])
    meta.explanations(X[-2:])  # builds everything that is built once
    seconds = cpu_seconds(lambda: [e.to_text() for e in meta.explanations(X[-1000:])])
    job = f"1,000 explanations, 100 trees, adult ({len(meta.cases_.cases):,} cases)"
    return Ratio(job, seconds, 1.0, "the target", bound=1.0, is_relative=False)


def memory_of_search() -> Ratio:
    """Peak memory of a process that searches all of 10,000 x 30 rows, against 2 GB."""
    program = (
        "import numpy as np, sightline as sl\n"
        "X = np.random.RandomState(0).normal(size=(10_000, 30))\n"
        "knn = sl.SubspaceKNNClassifier(n_members=1, max_passes=1, max_search_rows=10_000, random_state=0)\n"
        "sl.MetaKNNClassifier(knn, n_jobs=2).fit(X, (X[:, 0] > 0).astype(int))\n"
    )
    megabytes = peak_bytes(program) / 1e6
    return Ratio("subspace search, 10,000 x 30, peak", megabytes, 2048.0, "2 GB", bound=1.0, unit="MB")


if __name__ == "__main__":
    given = np.load(f"{sys.argv[1]}/given.npz")
    arguments = given["X"], given["y"], given["masks"], int(given["max_passes"])
    np.save(f"{sys.argv[1]}/found.npy", search_in_numpy(*arguments))
    print(cpu_seconds(lambda: search_in_numpy(*arguments), 2))
