"""Make the documentation's pictures, for light and dark pages: reports, and a forest turned into one tree.

Run ``python docs/tools/report_pictures.py``, with ``home`` for the home page alone. It needs Chromium.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from PIL import Image
from playwright.sync_api import sync_playwright

import sightline as sl
from sightline.show import Outline, class_color, tidy_positions

IMAGES = Path(__file__).resolve().parents[1] / "images"
SCREEN = {"width": 1366, "height": 768}
HOME = {"width": 1400, "height": 900}
PATH = {"x": 200, "y": 212, "width": 455, "height": 455}
"""The part of that picture for phones: the path of the loan through the tree."""
DARKEST = 0.11
"""Lightness of what is white on light pages: that of dark pages."""


def draw_skeleton(tree: sl.Tree, ax: Axes) -> None:
    """Draw a tree as lines with colored leaves: in a forest, only its shape is visible."""
    outline = Outline.of(tree)
    across = np.array(tidy_positions(outline.parent.tolist(), [1.0] * tree.n_nodes, 0.5))
    down = -outline.level.astype(float)
    inner = np.arange(1, tree.n_nodes)
    ends = np.stack([across, down], axis=1)
    ax.add_collection(
        LineCollection(
            list(np.stack([ends[outline.parent[inner]], ends[inner]], axis=1)),
            colors="#9aa3af",
            linewidths=0.5,
        )
    )
    leaves = np.flatnonzero(outline.is_leaf)
    ax.scatter(
        across[leaves],
        down[leaves],
        s=2.2,
        c=[class_color(best) for best in outline.best[leaves]],
        linewidths=0,
    )
    ax.autoscale()
    ax.axis("off")


def forest_to_tree(forest: sl.BaggedTreesClassifier, tree: sl.DistilledTreeClassifier) -> None:
    figure = Figure(figsize=(12, 4.6), facecolor="white")
    for place, one in enumerate(forest.ensemble_.trees):
        row, column = divmod(place, 5)
        draw_skeleton(one, figure.add_axes((0.01 + 0.076 * column, 0.79 - 0.19 * row, 0.07, 0.17)))
    arrow = figure.add_axes((0.395, 0.4, 0.05, 0.2))
    arrow.annotate(
        "", xy=(1, 0.5), xytext=(0, 0.5), arrowprops={"arrowstyle": "-|>", "lw": 2.5, "color": "#525b68"}
    )
    arrow.axis("off")
    ax = figure.add_axes((0.45, 0.02, 0.55, 0.96))
    tree.plot(ax=ax, direction="right")
    save(figure, "forest-to-tree", dpi=150)


def screenshot(
    page_path: Path,
    name: str,
    tab: str | None = None,
    part: str | None = None,
    size: dict[str, int] = SCREEN,
    scale: float = 1.0,
    clip: dict[str, int] | None = None,
) -> None:
    """Take a picture of a page, of one of its parts, or of a rectangle, in both color schemes."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        for scheme in ("light", "dark"):
            context = browser.new_context(viewport=size, color_scheme=scheme, device_scale_factor=scale)
            page = context.new_page()
            page.goto(page_path.as_uri())
            if tab:
                page.click(f"#tab-{tab}")
            page.evaluate("window.scrollTo(0, 0)")
            page.wait_for_timeout(500)
            picture = IMAGES / f"{name}-{scheme}.png"
            if part:
                page.locator(part).screenshot(path=picture)
            else:
                page.screenshot(path=picture, clip=clip)
            store(Image.open(picture), picture)
            context.close()
        browser.close()


def store(image: Image.Image, path: Path) -> None:
    """Store a picture with few colors: a third of the bytes, and no difference that one sees."""
    image.convert("RGB").quantize(128).save(path, optimize=True)


def home_pictures(forest: sl.BaggedTreesClassifier, train: sl.Table, test: sl.Table) -> None:
    """Show a report as it opens, with a question asked: what the home page and the README begin with."""
    tree = sl.DistilledTreeClassifier(forest, max_leaves=8, random_state=0).fit(train.X, train.y)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "report.html"
        sl.report(tree, test.X, test.y, path, title="Loans: one tree for 25", target="default")
        screenshot(path, "home", tab="whatif", size=HOME, scale=1.5)
        screenshot(path, "home-narrow", tab="whatif", size=HOME, scale=2, clip=PATH)


def main(only_home: bool) -> None:
    IMAGES.mkdir(exist_ok=True)
    loans = sl.make_loans()
    train, test = loans[:1500], loans[1500:]
    forest = sl.BaggedTreesClassifier(random_state=0).fit(train.X, train.y)
    home_pictures(forest, train, test)
    if only_home:
        return
    tree = sl.DistilledTreeClassifier(forest, max_leaves=16, random_state=0).fit(train.X, train.y)
    forest_to_tree(forest, tree.resized(6))
    rules = sl.RuleSetClassifier(forest, max_rules=40, random_state=0).fit(train.X, train.y)
    stumps = sl.StumpEnsembleClassifier(max_size=3, nominal="binary").fit(train.X, train.y)
    cases = sl.MetaKNNClassifier(forest, random_state=0).fit(train.X, train.y)
    drawings(stumps, cases, train, test)
    ordinary = sl.C45Classifier().fit(train.X, train.y)
    shown = {
        "tree": (tree, "Loans: one tree for 25"),
        "rules": (rules, "Loans: forty rules for 25 trees"),
        "stumps": (stumps, "Loans: three stumps"),
        "cases": (cases, "Loans: cases for 25 trees"),
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, (model, title) in shown.items():
            # Cases are rows of the data, so their page carries some.
            rows = "sample" if kind == "cases" else None
            options = {"baseline": ordinary, "title": title, "target": "default", "rows": rows}
            sl.report(model, test.X, test.y, folder / f"{kind}.html", **options)
        screenshot(folder / "tree.html", "report-tree", tab="whatif")
        screenshot(folder / "tree.html", "report-effects", part="#part-effects")
        for kind in ("rules", "stumps", "cases"):
            screenshot(folder / f"{kind}.html", f"report-{kind}")


def drawings(
    stumps: sl.StumpEnsembleClassifier, cases: sl.MetaKNNClassifier, train: sl.Table, test: sl.Table
) -> None:
    """Draw the figures of the how-to pages."""
    save(stumps.plot().figure, "stumps")
    save(stumps.to_graph(X=train.X).plot().figure, "stumps-graph")
    save(cases.explanation(test.X[3]).plot().figure, "cases")


def save(figure: Figure, name: str, dpi: int = 110) -> None:
    """Save a figure for light pages, and with inverted lightness for dark ones."""
    figure.set_dpi(dpi)
    figure.set_facecolor("white")
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    light = np.asarray(canvas.buffer_rgba())[..., :3] / 255
    dark = light + 1 - light.max(axis=-1, keepdims=True) - light.min(axis=-1, keepdims=True)
    dark = DARKEST + (1 - DARKEST) * dark
    for scheme, pixels in (("light", light), ("dark", dark)):
        image = Image.fromarray((255 * pixels).round().astype(np.uint8))
        store(image, IMAGES / f"{name}-{scheme}.png")


if __name__ == "__main__":
    main(only_home=sys.argv[1:] == ["home"])
