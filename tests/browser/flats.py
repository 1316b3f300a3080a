"""Rents of flats, for pages of regressions."""

import re

import numpy as np

import sightline as sl

N_TRAIN = 250

WORDS_OF_CLASSES = re.compile(r"(?i)\b(class|classes|label|labels|accuracy|votes?|probability|precision)\b")


def rents_of_flats():
    """Return 400 rows with numbers, categories and missing values, and their rents."""
    rng = np.random.default_rng(0)
    town = rng.choice(["Bonn", "Ulm"], 400)
    size, age = rng.uniform(20, 120, 400), np.where(rng.random(400) < 0.1, np.nan, rng.integers(1, 80, 400))
    rent = 4 * size + 60 * (town == "Bonn") - np.nan_to_num(age, nan=30.0) + rng.normal(0, 15, 400)
    rows = [[one, other, name] for one, other, name in zip(size, age, town, strict=True)]
    return sl.Table.from_any(rows, feature_names=["size", "age", "town"]), rent


def forest_of(X, y):
    """Learn ten trees from the first rows."""
    from sightline.distill import learn_ensemble
    from sightline.table import Numbers

    options = {"n_trees": 10, "n_jobs": 1, "random_state": 0}
    return learn_ensemble("numbers", X[:N_TRAIN], Numbers.from_any(y[:N_TRAIN]), **options)
