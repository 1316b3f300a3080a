"""Measure a model of claim frequencies by its deviance, weighted by exposure."""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor

import sightline as sl

rng = np.random.default_rng(0)
age = rng.integers(18, 85, 6000)
exposure = pd.Series(rng.uniform(0.2, 1, 6000), name="exposure")
X = pd.DataFrame({"age": age, "power": rng.integers(40, 220, 6000)})
claims = rng.poisson(exposure * np.where(age < 25, 0.6, 0.1))
frequency = (claims / exposure).rename("claim frequency")

booster = HistGradientBoostingRegressor(loss="poisson", max_iter=30, max_leaf_nodes=4)
booster.fit(X[:3000], frequency[:3000], sample_weight=exposure[:3000])
tree = sl.DistilledTreeRegressor(booster, max_leaves=3, random_state=0).fit(X[:3000])
print(sl.measure(tree, X[3000:], frequency[3000:], sample_weight=exposure[3000:]))
