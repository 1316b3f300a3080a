"""Loading a model file, against the same file in its own library."""

from __future__ import annotations

import ctypes
import gc
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import catboost
import lightgbm
import numpy as np
import pandas as pd
import xgboost
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import sightline as sl
from benchmarks._memory import peak_bytes
from benchmarks._ratio import Ratio, side_by_side, timed

N_GROWN = 10
N_LEAVES = 1_000
MAX_MEGABYTES = 1_000
LOADING = "import sys, sightline as sl; sl.load(sys.argv[1])"
BOUNDS = {"XGBoost .ubj": 1.5, "LightGBM dump": 1.5}


def ratios(large: bool) -> Iterator[Ratio]:
    yield pipeline_ratio()
    n_trees = 1_000 if large else 100
    with tempfile.TemporaryDirectory() as folder:
        for name, path, peer in files(Path(folder), n_trees // N_GROWN):
            job = f"load {name}, {n_trees:,} trees x {N_LEAVES:,} leaves, {path.stat().st_size / 1e6:.0f} MB"
            ours, theirs = side_by_side(
                lambda path=path: sl.load(path), lambda path=path, peer=peer: peer(path)
            )
            yield Ratio(job, ours, theirs, name.split()[0], BOUNDS.get(name, 3))
            megabytes = peak_bytes(LOADING, str(path)) / 1e6
            yield Ratio(f"memory: {job}", megabytes, MAX_MEGABYTES, "1 GB", bound=1, unit="MB")


def pipeline_ratio() -> Ratio:
    """Load a forest behind an encoder over its original columns, against the forest alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{i}": rng.choice(list("abcdef"), 20_000) for i in range(10)})
    forest = RandomForestClassifier(100, max_leaf_nodes=N_LEAVES, random_state=0)
    pipeline = make_pipeline(OneHotEncoder(handle_unknown="ignore"), forest)
    pipeline.fit(X, rng.integers(0, 2, len(X)))
    job = f"load a pipeline, 100 trees x {N_LEAVES:,} leaves over 60 one-hot columns"
    return Ratio(job, first_load(pipeline), first_load(pipeline[-1]), "the forest alone", bound=3)


def first_load(model: object, repeats: int = 7) -> float:
    """Return the minimum CPU time of a load that gets its memory from the system, as the first one does."""
    seconds = []
    for _ in range(repeats):
        gc.collect()
        ctypes.CDLL(None).malloc_trim(0)
        seconds.append(timed(lambda: sl.load(model))[1])
    return min(seconds)


def files(folder: Path, times: int) -> Iterator[tuple[str, Path, Callable[[Path], object]]]:
    """Yield large files: grow a few trees and repeat them."""
    X, y = make_classification(20_000, 20, n_informative=15, flip_y=0.3, random_state=0)
    yield from xgboost_files(folder, X, y, times)
    yield from lightgbm_files(folder, X, y, times)
    yield from catboost_files(folder, X, y, times)


def xgboost_files(folder: Path, X, y, times: int):
    model = xgboost.XGBClassifier(
        n_estimators=N_GROWN,
        max_leaves=N_LEAVES,
        max_depth=0,
        grow_policy="lossguide",
        min_child_weight=0,
        n_jobs=1,
    ).fit(X, y)
    text = folder / "grown.json"
    model.save_model(text)
    document = json.loads(text.read_text())
    booster = document["learner"]["gradient_booster"]["model"]
    booster["trees"] = [dict(tree, id=k) for k, tree in enumerate(booster["trees"] * times)]
    n_trees = len(booster["trees"])
    booster["tree_info"] = [0] * n_trees
    booster["iteration_indptr"] = list(range(n_trees + 1))
    booster["gbtree_model_param"]["num_trees"] = str(n_trees)
    text.write_text(json.dumps(document))
    whole = xgboost.Booster(model_file=text)
    for kind in ("json", "ubj"):
        path = folder / f"xgboost.{kind}"
        whole.save_model(path)
        yield f"XGBoost .{kind}", path, lambda path: xgboost.Booster(model_file=path)


def lightgbm_files(folder: Path, X, y, times: int):
    model = lightgbm.LGBMClassifier(
        n_estimators=N_GROWN, num_leaves=N_LEAVES, min_child_samples=1, verbose=-1, n_jobs=1
    ).fit(X, y)
    header, *trees, tail = re.split(r"(?:Tree=\d+\n|(?=end of trees))", model.booster_.model_to_string())
    blocks = [f"Tree={number}\n{tree}" for number, tree in enumerate(trees * times)]
    sizes = " ".join(str(len(block)) for block in blocks)
    text = re.sub(r"tree_sizes=.*", f"tree_sizes={sizes}", header) + "".join(blocks) + tail
    path = folder / "lightgbm.txt"
    path.write_text(text)
    yield "LightGBM text", path, lambda path: lightgbm.Booster(model_file=path)
    dump = folder / "lightgbm.json"
    dump.write_text(json.dumps(lightgbm.Booster(model_file=path).dump_model()))
    # LightGBM cannot load its own dump, so the peer is loading the text of the same model.
    yield "LightGBM dump", dump, lambda _: lightgbm.Booster(model_file=path)


def catboost_files(folder: Path, X, y, times: int):
    common = {"iterations": N_GROWN, "verbose": 0, "thread_count": 1, "allow_writing_files": False}
    kinds = {
        "oblivious": ({"depth": 10}, "oblivious_trees"),
        "Lossguide": ({"grow_policy": "Lossguide", "max_leaves": N_LEAVES, "depth": 16}, "trees"),
    }
    for name, (how, key) in kinds.items():
        path = folder / f"{name}.json"
        catboost.CatBoostClassifier(**common, **how).fit(X, y).save_model(str(path), format="json")
        document = json.loads(path.read_text())
        document[key] *= times
        path.write_text(json.dumps(document))
        yield (
            f"CatBoost {name}",
            path,
            lambda path: catboost.CatBoostClassifier().load_model(str(path), format="json"),
        )
