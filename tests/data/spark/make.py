"""Make the folders beside this file, and what Spark predicts for rows at their thresholds.

Run it with pyspark and java: ``python tests/data/spark/make.py``.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.classification import DecisionTreeClassifier, GBTClassifier, RandomForestClassifier
from pyspark.ml.feature import Imputer, IndexToString, OneHotEncoder, StringIndexer, VectorAssembler
from pyspark.ml.regression import DecisionTreeRegressor, GBTRegressor, RandomForestRegressor
from pyspark.sql import SparkSession

HERE = Path(__file__).parent
N_ROWS = 200
COLUMNS = ["a", "b", "c"]


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=N_ROWS).round(1),
            "b": rng.normal(size=N_ROWS).round(1),
            "c": rng.choice(["u", "v", "w w", "x", "y"], N_ROWS),
        }
    )
    score = frame.a + frame.c.isin(["u", "x"]) * 2 + rng.normal(size=N_ROWS) / 3
    frame["answer"] = np.where(score > 0.8, "yes", "no")
    frame["level"] = np.digitize(score, [0, 1.5]).astype(float)
    frame["score"] = score
    return frame


def pipelines() -> dict[str, tuple[Pipeline, bool]]:
    """Return pipelines, and whether only the tree model itself is saved."""
    codes = StringIndexer(inputCol="c", outputCol="c_code", handleInvalid="keep")
    full = Imputer(inputCols=["a"], outputCols=["a_full"])
    plain = VectorAssembler(inputCols=["a", "b", "c_code"], outputCol="features", handleInvalid="keep")
    answer = StringIndexer(inputCol="answer", outputCol="label", stringOrderType="alphabetAsc")
    small = {"maxDepth": 3, "seed": 1}
    strict = StringIndexer(inputCol="c", outputCol="c_code", handleInvalid="error")
    dummies = OneHotEncoder(inputCol="c_code", outputCol="c_dummies")
    wide = VectorAssembler(inputCols=["a_full", "b", "c_dummies"], outputCol="features")
    names = IndexToString(inputCol="prediction", outputCol="name", labels=["no", "yes"])
    level = {"labelCol": "level"}
    score = {"labelCol": "score"}
    return {
        "forest": (
            Pipeline(stages=[codes, plain, RandomForestClassifier(numTrees=5, **level, **small)]),
            False,
        ),
        "boosted": (
            Pipeline(stages=[answer, full, strict, dummies, wide, GBTClassifier(maxIter=4, **small), names]),
            False,
        ),
        "bare_tree": (Pipeline(stages=[codes, plain, DecisionTreeClassifier(**level, **small)]), True),
        "bare_numbers": (Pipeline(stages=[codes, plain, GBTRegressor(maxIter=3, **score, **small)]), True),
        "forest_of_numbers": (
            Pipeline(stages=[codes, plain, RandomForestRegressor(numTrees=3, **score, **small)]),
            False,
        ),
        "tree_of_numbers": (Pipeline(stages=[codes, plain, DecisionTreeRegressor(**score, **small)]), False),
    }


def thresholds(folder: Path) -> list[float]:
    """Return the thresholds of all continuous splits in a saved folder."""
    found = []
    for path in folder.rglob("*.parquet"):
        for row in pq.read_table(path).to_pylist():
            split = (row.get("nodeData") or row).get("split")
            if split and split["numCategories"] < 0 and split["leftCategoriesOrThreshold"]:
                found += split["leftCategoriesOrThreshold"]
    return found


def rows_around(values: list[float], strict: bool) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    values = np.array([*values, 0.0])
    near = np.concatenate([values, np.nextafter(values, -9), np.nextafter(values, 9)])
    return pd.DataFrame(
        {
            "a": np.where(rng.random(60) < 0.1, np.nan, rng.choice(near, 60)),
            "b": rng.choice(near, 60),
            "c": rng.choice(["u", "v", "w w", "x", "y", *([] if strict else ["new"])], 60),
            "answer": "no",
            "level": 0.0,
            "score": 0.0,
        }
    )


def main() -> None:
    spark = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    train = spark.createDataFrame(table())  # without missing values, which trees cannot learn from
    for name, (pipeline, is_bare) in pipelines().items():
        model: PipelineModel = pipeline.fit(train)
        folder = HERE / name
        shutil.rmtree(folder, ignore_errors=True)
        (model.stages[-1] if is_bare else model).write().save(str(folder))
        for path in [*folder.rglob("*.crc"), *folder.rglob("_SUCCESS")]:
            path.unlink()
        frame = rows_around(thresholds(folder), strict=name == "boosted")
        answers = model.transform(spark.createDataFrame(frame)).toPandas()
        stored = {
            "rows": [
                list(row)
                for row in frame[COLUMNS].astype(object).where(frame[COLUMNS].notna(), None).to_numpy()
            ],
            "features": [row.toArray().tolist() for row in answers.features],
            "prediction": answers[("name" if "name" in answers else "prediction")].tolist(),
        }
        if "probability" in answers:
            stored["probability"] = [row.toArray().tolist() for row in answers.probability]
        (HERE / f"{name}.json").write_text(json.dumps(stored))
    spark.stop()


if __name__ == "__main__":
    main()
