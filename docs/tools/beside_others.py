"""Ask SHAP, interpret, dtreeviz, imodels and Sightline about one forest, and put the answers into a page.

Run ``python -m docs.tools.beside_others`` where shap, interpret-core, dtreeviz and imodels are installed, for
example into a folder of their own: ``pip install --target DIR shap interpret-core dtreeviz imodels``, then
``PYTHONPATH=DIR``. Nothing else needs them. It fills the marked parts of docs/beside-others.md.

All tools get the same encoded rows, in one thread. Seconds are CPU seconds, without the imports.
"""

from __future__ import annotations

import os

# Before any library starts its threads.
os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})

import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import dtreeviz
import imodels
import numpy as np
import pandas as pd
import shap
from interpret.glassbox import ExplainableBoostingClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import sightline as sl
from docs.tools.testing_page import PAGE, fill, table

TARGET = PAGE.with_name("beside-others.md")
N_TRAIN = 1500
CUSTOMER = 3  # of the unseen rows
MAX_SECONDS = 30  # of certify, by the clock
TOOLS = ("sightline", "shap", "interpret-core", "dtreeviz", "imodels", "scikit-learn")


@dataclass(frozen=True)
class Task:
    """One forest, and the rows that it has and has not seen."""

    forest: RandomForestClassifier
    train: pd.DataFrame
    y_train: np.ndarray
    unseen: pd.DataFrame
    y_unseen: np.ndarray

    @property
    def customer(self) -> pd.DataFrame:
        return self.unseen.iloc[[CUSTOMER]]

    def agreement(self, labels: Any) -> str:
        """Return the share of unseen rows that get the forest's label."""
        return f"{np.mean(np.asarray(labels) == self.forest.predict(self.unseen)):.1%}"

    def accuracy(self, labels: Any) -> str:
        return f"{np.mean(np.asarray(labels) == self.y_unseen):.1%}"


def make_task() -> Task:
    """Make a forest that decides about loans, with categories encoded and gaps filled for all tools."""
    loans = sl.make_loans().to_pandas()
    y = (loans.pop("default") == "yes").to_numpy().astype(int)
    numbers = loans.select_dtypes("number").columns
    filled = loans.fillna(loans[numbers].median())
    X = pd.get_dummies(filled.astype(dict.fromkeys(loans.columns.difference(numbers), object)), dtype=float)
    forest = RandomForestClassifier(100, random_state=0).fit(X[:N_TRAIN], y[:N_TRAIN])
    return Task(forest, X[:N_TRAIN], y[:N_TRAIN], X[N_TRAIN:], y[N_TRAIN:])


@dataclass(frozen=True)
class Answer:
    """What a tool gives: a row of the table, and its words about the customer."""

    tool: str
    gives: str
    size: str
    fidelity: str
    accuracy: str
    seconds: float
    per_row: float
    proved: str
    customer: str
    timed: str = ""
    """What the time per customer is, if not the mean of explaining all unseen rows at once."""

    def row(self) -> tuple[str, ...]:
        seconds = _rounded(self.seconds)
        per_row = " ".join([_rounded(1000 * self.per_row), self.timed]).strip()
        return (self.tool, self.gives, self.size, self.fidelity, self.accuracy, seconds, per_row, self.proved)


def _rounded(number: float) -> str:
    return f"{number:.2f}" if number >= 0.005 else "< 0.01"


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return a result and the CPU seconds that it took."""
    start = time.process_time()
    return work(), time.process_time() - start


def ask_shap(task: Task) -> Answer:
    explainer, built = timed(lambda: shap.TreeExplainer(task.forest))
    explainer.shap_values(task.customer)  # the first call compiles
    values, took = timed(lambda: explainer.shap_values(task.unseen)[:, :, 1])
    base = explainer.expected_value[1]
    off = np.abs(values.sum(axis=1) + base - task.forest.predict_proba(task.unseen)[:, 1]).max()
    parts = pd.Series(values[CUSTOMER], task.unseen.columns)
    largest = parts[parts.abs().sort_values(ascending=False).index][:6]
    lines = [f"{base:.3f}  mean probability of default"]
    lines += [f"{part:+.3f}  {name} = {task.customer[name].iloc[0]:g}" for name, part in largest.items()]
    lines += [
        f"{parts.sum() - largest.sum():+.3f}  {len(parts) - len(largest)} other columns",
        f"{base + parts.sum():.3f}  probability of the forest",
    ]
    return Answer(
        "SHAP, `TreeExplainer`",
        "one number per column and row",
        "not a model",
        "not defined",
        "the forest's",
        built,
        took / len(task.unseen),
        f"the numbers add up to the forest's probability (here within {off:.0e})",
        "\n".join(lines),
    )


def ask_interpret(task: Task) -> Answer:
    model = ExplainableBoostingClassifier(n_jobs=1, random_state=0)
    _, built = timed(lambda: model.fit(task.train, task.y_train))
    explained, took = timed(lambda: model.explain_local(task.unseen))
    said = explained.data(CUSTOMER)
    order = np.argsort(-np.abs(said["scores"]))[:6]
    lines = [f"{said['extra']['scores'][0]:+.2f}  intercept (log odds)"]
    lines += [f"{said['scores'][i]:+.2f}  {said['names'][i]}" for i in order]
    probability = model.predict_proba(task.customer)[0, 1]
    lines.append(f"… {len(said['names']) - len(order)} other terms; probability {probability:.3f}")
    labels = model.predict(task.unseen)
    return Answer(
        "interpret, EBM",
        "another model, a sum of curves",
        f"{len(model.term_names_)} curves and surfaces",
        f"{task.agreement(labels)} (not its aim)",
        task.accuracy(labels),
        built,
        took / len(task.unseen),
        "the terms add up to its own log odds",
        "\n".join(lines),
    )


def ask_dtreeviz(task: Task) -> Answer:
    first = task.forest.estimators_[0]
    names = list(task.train)
    view, built = timed(
        lambda: dtreeviz.model(
            first,
            task.train,
            task.y_train,
            feature_names=names,
            target_name="default",
            class_names=["no", "yes"],
        )
    )
    path, took = timed(lambda: view.explain_prediction_path(task.customer.to_numpy()[0]))
    labels = first.predict(task.unseen.to_numpy())
    return Answer(
        "dtreeviz",
        "a drawing of one tree",
        f"tree 1 of 100: {first.get_n_leaves()} leaves",
        task.agreement(labels.astype(int)),
        task.accuracy(labels.astype(int)),
        built,
        took,
        "none; it shows the tree as it is",
        path.strip(),
        "(one row)",
    )


def ask_imodels(task: Task) -> Answer:
    model = imodels.FIGSClassifier(max_rules=15, random_state=0)
    said = task.forest.predict(task.train)
    _, built = timed(lambda: model.fit(task.train, said, feature_names=list(task.train)))
    labels, took = timed(lambda: model.predict(task.unseen))
    return Answer(
        "imodels, FIGS",
        "a few small trees that add up",
        f"15 tests in {len(model.trees_)} trees",
        task.agreement(labels),
        task.accuracy(labels),
        built,
        took / len(task.unseen),
        "none",
        str(model).strip(),
        "(`predict`)",
    )


def ask_surrogate(task: Task) -> Answer:
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)
    _, built = timed(lambda: tree.fit(task.train, task.forest.predict(task.train)))
    labels, took = timed(lambda: tree.predict(task.unseen))
    return Answer(
        "scikit-learn, tree of the forest's labels",
        "one tree",
        f"{tree.get_n_leaves()} leaves",
        task.agreement(labels),
        task.accuracy(labels),
        built,
        took / len(task.unseen),
        "none",
        "",
        "(`predict`)",
    )


def ask_sightline(task: Task) -> Answer:
    tree = sl.DistilledTreeClassifier(task.forest, max_leaves=16, random_state=0, n_jobs=1)
    _, built = timed(lambda: tree.fit(task.train, task.y_train))
    labels = tree.predict(task.unseen)
    _, took = timed(lambda: tree.explain(task.unseen).to_columns())
    start = time.perf_counter()
    certificate = sl.certify(tree, task.forest, task.unseen, missing=False, max_seconds=MAX_SECONDS)
    waited = time.perf_counter() - start
    leaves = Counter(status.name for status in certificate.leaf_status.values())
    return Answer(
        "Sightline, distilled tree",
        "one tree",
        f"{tree.size_['leaves']} leaves",
        task.agreement(labels),
        task.accuracy(labels),
        built,
        took / len(task.unseen),
        f"over all possible rows: {leaves['PROVED']} leaves proved, {leaves['REFUTED']} refuted by a row, "
        f"{leaves['OPEN']} open after {waited:.0f} of at most {MAX_SECONDS} seconds",
        str(tree.explain(task.customer)[0]),
    )


def main() -> None:
    warnings.simplefilter("ignore")  # of the other libraries, about their own dependencies
    task = make_task()
    asked = {
        "shap": ask_shap,
        "interpret": ask_interpret,
        "dtreeviz": ask_dtreeviz,
        "imodels": ask_imodels,
        "surrogate": ask_surrogate,
        "sightline": ask_sightline,
    }
    answers = {name: ask(task) for name, ask in asked.items()}
    header = [
        "tool",
        "gives",
        "size",
        "fidelity",
        "accuracy",
        "CPU seconds",
        "ms per customer",
        "guarantee",
    ]
    fill("measured", table(header, [answer.row() for answer in answers.values()]), TARGET)
    for name, answer in answers.items():
        if answer.customer:
            fill(name, f"```text\n{answer.customer}\n```", TARGET)
    fill("versions", "Versions: " + ", ".join(f"{tool} {version(tool)}" for tool in TOOLS) + ".", TARGET)
    accuracy = task.accuracy(task.forest.predict(task.unseen))
    fill("forest", f"Accuracy of the forest on the {len(task.unseen)} unseen loans: {accuracy}.", TARGET)


if __name__ == "__main__":
    main()
