"""``sightline demo``: the main job on an embedded data set."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from sightline.distill import DistilledTreeClassifier
from sightline.learn import BaggedTreesClassifier, C45Classifier

TEST_SHARE = 1 / 3


def demo() -> None:
    """Learn an ensemble on scikit-learn's breast cancer data and put one tree in its place.

    Two thirds of the rows are learnt from; the accuracies are those on the rest.
    """
    console = Console()
    data = load_breast_cancer(as_frame=True)
    labels = data.target_names[data.target]
    X_train, X_test, y_train, y_test = train_test_split(
        data.data, labels, test_size=TEST_SHARE, random_state=0, stratify=labels
    )
    tree = C45Classifier().fit(X_train, y_train)
    bagged = BaggedTreesClassifier(random_state=0, n_jobs=-1).fit(X_train, y_train)
    distilled = DistilledTreeClassifier(bagged, random_state=0).fit(X_train, y_train)

    console.print(
        f"Breast cancer: {len(X_train)} rows to learn from, {len(X_test)} held out.\n", highlight=False
    )
    console.print("25 bagged C4.5 trees in one:\n", style="bold")
    console.print(distilled.to_text(), markup=False, highlight=False, soft_wrap=True)
    models = {"25 bagged trees": bagged, "distilled tree": distilled, "plain C4.5 tree": tree}
    console.print(_comparison(models, bagged.predict(X_test), X_test, y_test))


def _comparison(models: dict[str, Any], taught: Any, X_test: Any, y_test: Any) -> Grid:
    grid = Grid(title=f"On the {len(X_test)} held-out rows", title_justify="left")
    for heading in ("model", "accuracy", "fidelity", "nodes", "leaves", "depth", "features"):
        grid.add_column(heading, justify="left" if heading == "model" else "right")
    for name, model in models.items():
        size = model.size_
        counts = [str(size[key]) for key in ("nodes", "leaves", "depth", "features")]
        fidelity = (model.predict(X_test) == taught).mean()
        grid.add_row(name, f"{model.score(X_test, y_test):.1%}", f"{fidelity:.1%}", *counts)
    return grid
