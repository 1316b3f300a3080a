"""Models that Spark ML saved as a folder: trees, forests and boosters, alone or behind a PipelineModel.

A folder holds its metadata as JSON and its nodes as Parquet, which pyarrow reads; Spark is not needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError
from sightline.load._assembly import named_schema
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load._forest import Forest
from sightline.load._forest_ensemble import forest_ensemble
from sightline.load.spark._folder import SparkFolder
from sightline.load.spark._stages import SparkColumns
from sightline.load.spark._trees import read_nodes
from sightline.model import Ensemble, Formula, FormulaBuilder, Link

_PIPELINE = "org.apache.spark.ml.PipelineModel"
_TUNED = frozenset(
    {
        "org.apache.spark.ml.tuning.CrossValidatorModel",
        "org.apache.spark.ml.tuning.TrainValidationSplitModel",
    }
)


@dataclass(frozen=True)
class _Kind:
    """How one class of models combines its trees."""

    is_ensemble: bool
    is_boosted: bool
    is_classifier: bool


_KINDS = {
    "org.apache.spark.ml.classification.DecisionTreeClassificationModel": _Kind(False, False, True),
    "org.apache.spark.ml.classification.RandomForestClassificationModel": _Kind(True, False, True),
    "org.apache.spark.ml.classification.GBTClassificationModel": _Kind(True, True, True),
    "org.apache.spark.ml.regression.DecisionTreeRegressionModel": _Kind(False, False, False),
    "org.apache.spark.ml.regression.RandomForestRegressionModel": _Kind(True, False, False),
    "org.apache.spark.ml.regression.GBTRegressionModel": _Kind(True, True, False),
}


@register_file
class SparkImporter(FileImporter):
    """Reads folders of Spark ML."""

    format_name: ClassVar[str] = "folders of Spark ML"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for a folder with metadata."""
        return file.folder is not None

    def read(self, file: ModelFile) -> Ensemble:
        """Return the model over the columns in front of its pipeline."""
        assert file.folder is not None
        folder = SparkFolder(file.folder, file.name)
        if folder.kind in _TUNED:
            folder = folder.inner("bestModel")
        if folder.kind == _PIPELINE:
            return _of_pipeline(folder)
        return _ensemble(folder, SparkColumns(folder), None)


def _of_pipeline(folder: SparkFolder) -> Ensemble:
    stages = folder.stages()
    models = [k for k, stage in enumerate(stages) if stage.kind in _KINDS]
    if len(models) != 1:
        raise UnsupportedModelError(f"{folder.name}: has {len(models)} tree models. Supported: 1.")
    model = stages[models[0]]
    columns = SparkColumns(model)
    for stage in stages[: models[0]]:
        columns.follow(stage)
    labels = None
    for stage in stages[models[0] + 1 :]:
        labels = columns.labels_behind(stage, model.string("predictionCol"))
    return _ensemble(model, columns, labels)


def _ensemble(model: SparkFolder, columns: SparkColumns, labels: list[str] | None) -> Ensemble:
    if model.kind not in _KINDS:
        raise UnsupportedModelError(
            f"{model.name}: the class {model.kind} is not supported. Supported: tree models of Spark ML."
        )
    kind = _KINDS[model.kind]
    model.refuse("thresholds")
    n_features = model.whole("numFeatures", 1, 2**24)
    n_classes = 2 if kind.is_boosted else model.whole("numClasses", 2, 2**16) if kind.is_classifier else 0
    n_scores = n_classes if kind.is_classifier and not kind.is_boosted else 1
    trees, weights = read_nodes(model, kind.is_ensemble, n_scores, uses_counts=n_scores > 1)
    made, features = columns.vector(model.string("featuresCol"), n_features, trees)
    link = _link(kind, n_scores, trees.n_trees)
    output = _shares(trees.output) if kind.is_ensemble and n_scores > 1 else trees.output
    forest = Forest(model, trees, made, output, np.zeros(n_scores), False, link)
    schema = named_schema(features, model.name, names_given=columns.has_inputs)
    names = None
    if kind.is_classifier:
        if labels is not None and len(labels) != n_classes:
            raise ModelFormatError(f"{model.name}: {len(labels)} labels are given for {n_classes} classes.")
        names = np.array(labels) if labels is not None else np.arange(n_classes)
    tree_score = [0 if n_scores == 1 else -1] * trees.n_trees
    return forest_ensemble(forest, schema, names, tree_score, weights if kind.is_boosted else None)


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares of classes in leaves; a leaf without rows has none."""
    total = counts.sum(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.divide(counts, total, out=np.zeros_like(counts), where=total != 0)
    return shares


def _link(kind: _Kind, n_scores: int, n_trees: int) -> Link:
    if not kind.is_classifier:
        is_mean = kind.is_ensemble and not kind.is_boosted
        return Link("identity", (float(n_trees),) if is_mean else ())
    if kind.is_boosted:
        # The probability is 1 / (1 + exp(-2 * margin)).
        return Link("sigmoid", (0.5,))
    return Link("mean", formula=_normalized(n_scores))


def _normalized(n_classes: int) -> Formula:
    """Let the largest sum decide. The probabilities are the sums over their total."""
    builder = FormulaBuilder(n_classes)
    scores = builder.add("scores", columns=range(n_classes))
    shares = builder.add("normalize", scores, numbers=[1 / n_classes])
    return builder.formula(shares, scores)
