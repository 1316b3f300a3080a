"""Memory of learners with 1,000 classes, each in a process of its own, one thread."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

from benchmarks._memory import peak_bytes
from benchmarks._ratio import Ratio

LEARNERS = {
    "C4.5": "sl.C45Classifier()",
    "bagged trees": "sl.BaggedTreesClassifier(random_state=0)",
}
FOREST = "RandomForestClassifier(25, max_depth=10, random_state=0)"
LARGE = {
    "distilled tree": "sl.DistilledTreeClassifier(max_leaves=200, random_state=0)",
    "distilled tree of a forest": f"sl.DistilledTreeClassifier({FOREST}, max_leaves=200, random_state=0)",
}
PROGRAM = dedent("""
    import sys
    import numpy as np
    import sightline as sl
    from sklearn.ensemble import RandomForestClassifier
    n_rows, n_classes = int(sys.argv[2]), int(sys.argv[3])
    rng = np.random.default_rng(0)
    y = np.arange(n_rows) % n_classes
    X = 2 * rng.normal(size=(n_classes, 10))[y] + rng.normal(size=(n_rows, 10))
    eval(sys.argv[1]).fit(X, y).predict(X)
""")


def ratios(large: bool) -> Iterator[Ratio]:
    size = (100_000, 1_000) if large else (20_000, 1_000)
    for name, learner in {**LEARNERS, **(LARGE if large else {})}.items():
        job = f"{name}, {size[0]:,} rows of {size[1]:,} classes, peak of the process"
        gigabytes = peak_bytes(PROGRAM, learner, *map(str, size)) / 2**30
        yield Ratio(job, gigabytes, 2.0, "2 GB", bound=1.0 if large else 0.25, unit="GB")
