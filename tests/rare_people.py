"""People of whom one in a hundred earns much: like the data set adult, cut to 1% positives."""

import numpy as np
import pandas as pd

EDUCATIONS = ("school", "college", "bachelor", "master", "doctorate")
WORK = ("private", "self-employed", "state", "none")


def rare_people(n_rows, seed=0):
    """Return people as a frame, and whether each is ``rich`` or ``other``."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": np.clip(random.normal(39, 13, n_rows), 17, 90).round(),
            "hours": np.clip(random.normal(40, 12, n_rows), 1, 99).round(),
            "gain": np.where(random.random(n_rows) < 0.08, random.lognormal(8, 1, n_rows).round(), 0.0),
            "education": pd.Categorical(random.choice(EDUCATIONS, n_rows, p=[0.5, 0.25, 0.16, 0.07, 0.02])),
            "work": pd.Categorical(random.choice(WORK, n_rows, p=[0.7, 0.12, 0.13, 0.05])),
            "married": pd.Categorical(random.choice(("no", "yes"), n_rows, p=[0.53, 0.47])),
        }
    )
    level = frame["education"].map({name: rank for rank, name in enumerate(EDUCATIONS)}).astype(float)
    score = (
        1.9 * (frame["married"] == "yes")
        + 0.7 * level
        + 0.045 * (frame["hours"] - 40)
        - 0.0022 * (frame["age"] - 50) ** 2
        + 3.0 * (frame["gain"] > 5000)
        - 1.5 * (frame["work"] == "none")
    )
    chance = 1 / (1 + np.exp(-2.2 * (score - 5.2)))
    is_rich = random.random(n_rows) < chance
    return frame, np.where(is_rich, "rich", "other")
