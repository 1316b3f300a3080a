"""SET-GEN's evaluations against scikit-learn's cross-validation of the same feature sets, one thread."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from benchmarks._ratio import Ratio
from benchmarks.c45 import LETTER
from sightline.learn.setgen import Evaluator
from sightline.table import stratified_folds

DATA = LETTER.parent
PEER = "cross_val_score(DecisionTreeClassifier), one-hot columns"
N_SETS = 5_000
N_PEER_SETS = 50


def ratios(large: bool) -> Iterator[Ratio]:
    if not DATA.is_dir():
        return
    yield evaluation_ratio(met_by_a_search(read("credit-a")), "met by a search")
    if large:
        yield evaluation_ratio(random_sets(read("credit-a")), "at random")
        yield splice_minutes()


def read(name: str) -> tuple[sl.Table, sl.Labels]:
    table = sl.read_table(DATA / f"{name}.arff")
    return sl.Table([column for column in table.X.columns if column.name != "Instance_name"]), table.y


def met_by_a_search(rows: tuple[sl.Table, sl.Labels]) -> tuple[sl.Table, sl.Labels, np.ndarray]:
    """The sets that a genetic search with a large population evaluates, in order."""
    met: list[np.ndarray] = []
    original = Evaluator.evaluate

    def noted(self: Evaluator, sets: np.ndarray, abandonment: object = None) -> list:
        met.append(sets)
        return original(self, sets, abandonment)

    Evaluator.evaluate = noted
    try:
        sl.SetGenClassifier(
            search=sl.GeneticSearch(
                population=1000,
                genome_size=len(rows[0].columns),
                seeding_width=2,
                screening=1,
                polish_after="never",
                restart_after="never",
                patience="never",
            ),
            evaluations=N_SETS,
            random_state=0,
        ).fit(*rows)
    finally:
        Evaluator.evaluate = original
    return *rows, np.vstack(met)[:N_SETS]


def random_sets(rows: tuple[sl.Table, sl.Labels]) -> tuple[sl.Table, sl.Labels, np.ndarray]:
    """Distinct sets that hold each feature with probability 0.4, as the paper's first genomes do."""
    random = np.random.RandomState(0)
    sets = random.rand(4 * N_SETS, len(rows[0].columns)) < 0.4
    _, first = np.unique(sets, axis=0, return_index=True)
    return *rows, sets[np.sort(first)[:N_SETS]]


def evaluation_ratio(problem: tuple[sl.Table, sl.Labels, np.ndarray], source: str) -> Ratio:
    """CPU time of all sets here, and of some of them in the peer, scaled up."""
    X, y, sets = problem
    folds = stratified_folds(y.codes, 10, np.random.RandomState(0))
    evaluator = Evaluator(X, y, folds, sl.C45Classifier(), 0.75, 0.5)
    start = time.process_time()
    evaluator.evaluate(sets)
    ours = time.process_time() - start
    evaluator.forget()
    chosen = sets[np.random.RandomState(0).permutation(len(sets))[:N_PEER_SETS]]
    blocks = one_hot(X)
    start = time.process_time()
    for members in chosen:
        columns = [block for block, is_in in zip(blocks, members, strict=True) if is_in]
        matrix = np.hstack(columns) if columns else np.zeros((X.n_rows, 1))
        cross_val_score(
            DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2), matrix, y.codes, cv=10
        )
    peer = (time.process_time() - start) * len(sets) / len(chosen)
    job = f"SET-GEN, {len(sets):,} sets {source} x 10 folds, credit-a"
    return Ratio(job, ours, peer, f"{PEER}, {len(chosen)} sets scaled up", bound=1 / 100)


def splice_minutes() -> Ratio:
    X, y = read("splice")
    start = time.perf_counter()
    search = sl.GeneticSearch(batch_size=8)
    sl.SetGenClassifier(preset="paper", search=search, n_jobs=2, random_state=0).fit(X, y)
    return Ratio(
        "SET-GEN, paper's numbers, splice", time.perf_counter() - start, 300, "five minutes", 1.0, "s", False
    )


def one_hot(X: sl.Table) -> list[np.ndarray]:
    blocks = []
    for column in X.columns:
        if column.feature.is_nominal:
            blocks.append((column.values[:, None] == np.arange(column.feature.n_values)).astype(float))
        else:
            mean = np.nanmean(column.values)
            blocks.append(np.where(np.isnan(column.values), mean, column.values)[:, None])
    return blocks
