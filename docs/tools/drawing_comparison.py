"""Draw one tree with Sightline, dtreeviz and supertree, each as wide as a screen, into one picture.

Run ``python docs/tools/drawing_comparison.py [PICTURE]`` where dtreeviz, supertree, Graphviz and Chromium are
installed; nothing else needs them. By default it writes ``docs/images/drawings.png``.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import dtreeviz
import supertree
from PIL import Image, ImageDraw, ImageFont
from playwright.sync_api import Browser, sync_playwright
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import sightline as sl

PICTURE = Path(__file__).resolve().parents[1] / "images" / "drawings.png"
WIDTH, HEIGHT = 1440, 860
HEAD = 34
N_LEAVES = 16


def screenshot(browser: Browser, page: Path, target: Path, selector: str | None = None) -> None:
    """Take a picture of a page, or of a part of it, in a window of the common width."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.wait_for_timeout(1500)
    (tab.locator(selector).first if selector else tab).screenshot(path=target)
    context.close()


def framed(title: str, picture: Path) -> Image.Image:
    """Return a picture, shrunk to the common width if it is larger, below its title."""
    image = Image.open(picture).convert("RGB")
    if image.width > WIDTH:
        image = image.resize((WIDTH, round(image.height * WIDTH / image.width)), Image.Resampling.LANCZOS)
    frame = Image.new("RGB", (WIDTH, image.height + HEAD), "white")
    frame.paste(image, ((WIDTH - image.width) // 2, HEAD))
    font = ImageFont.load_default(size=18)
    ImageDraw.Draw(frame).text((12, 6), title, fill="black", font=font)
    return frame


def main(target: Path) -> None:
    """Draw the tree three times."""
    data = load_breast_cancer(as_frame=True)
    X, y = data.data, data.target.map(dict(enumerate(data.target_names)))
    learned = DecisionTreeClassifier(max_leaf_nodes=N_LEAVES, random_state=0).fit(X, data.target)
    named = DecisionTreeClassifier(max_leaf_nodes=N_LEAVES, random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as driver:
        folder = Path(name)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        sl.report(named, X, y, folder / "sightline.html")
        screenshot(browser, folder / "sightline.html", folder / "sightline.png", ".stage")
        view = dtreeviz.model(
            learned, X, data.target, feature_names=list(X), class_names=list(data.target_names)
        ).view()
        view.save(str(folder / "dtreeviz.svg"))
        (folder / "dtreeviz.html").write_text(f'<img src="dtreeviz.svg" width="{WIDTH - 16}">')
        screenshot(browser, folder / "dtreeviz.html", folder / "dtreeviz.png", "img")
        other = supertree.SuperTree(learned, X, data.target, list(X), list(data.target_names))
        other.save_html(str(folder / "supertree"), start_depth=20)
        screenshot(browser, folder / "supertree.html", folder / "supertree.png")
        names = ("Sightline", "dtreeviz", "supertree")
        panels = [framed(title, folder / f"{title.lower()}.png") for title in names]
    whole = Image.new("RGB", (WIDTH, sum(panel.height for panel in panels)), "white")
    below = 0
    for panel in panels:
        whole.paste(panel, (0, below))
        below += panel.height
    whole.quantize(128).save(target)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
