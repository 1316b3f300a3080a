"""Nothing is cut: neither on paper, which holds every rule and section, nor on phones and wide screens."""

import io

import numpy as np
import pytest
from browser.visits import data_of_page
from cases import thorough_after
from pypdf import PdfReader

import sightline as sl


@pytest.fixture(scope="module")
def pages(loans, tmp_path_factory):
    """Pages of a large tree, of rules, and of a regression."""
    folder = tmp_path_factory.mktemp("paper")
    train, held_out = loans[:400], loans[400:]
    tree = sl.DistilledTreeClassifier(max_leaves=130, refine=False, random_state=0).fit(train.X, train.y)
    rules = sl.RuleSetClassifier(max_rules=12, random_state=0).fit(train.X, train.y)
    random = np.random.default_rng(0)
    X = random.uniform(size=(300, 4))
    numbers = sl.DistilledTreeRegressor(max_leaves=12, random_state=0).fit(X, 40 * X[:, 0] + X[:, 1])
    paths = {}
    for name, model, rows, y in (
        ("tree", tree, held_out.X, held_out.y),
        ("rules", rules, held_out.X, held_out.y),
        ("numbers", numbers, X, 40 * X[:, 0] + X[:, 1]),
    ):
        paths[name] = folder / f"{name}.html"
        sl.report(model, rows, y, paths[name], sizes=(), rows=40, max_seconds=2)
    return paths


def squeezed(text):
    """Return a text without white space: lines break anywhere on paper."""
    return "".join(text.split())


def text_of(pdf):
    return squeezed("".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages))


@pytest.mark.thorough
def test_paper_holds_every_rule_of_a_tree_and_every_section(visit, pages):
    page = visit(pages["tree"])
    data = data_of_page(page)
    n_leaves = sum(not branches for branches in data["models"][0]["branch_text"])
    rules = page.evaluate(
        """() => { dispatchEvent(new Event("beforeprint"));
          const rules = [...document.querySelectorAll("#part-leaves tbody tr .conditions")].map((list) =>
            [...list.children].map((condition) => condition.textContent).join(" and "));
          dispatchEvent(new Event("afterprint")); return rules; }"""
    )
    assert len(rules) == n_leaves > 60
    printed = text_of(page.pdf())
    assert [rule for rule in rules if squeezed(rule) not in printed] == []
    for part in data["parts"]:
        if part["kind"] not in ("tree", "whatif"):
            assert squeezed(part["title"]) in printed
    # Groups that are folded on the screen are open on paper.
    numbers = [data["rows"]["number"][row] for group in part_of(data)["groups"] for row in group["rows"]]
    assert len(numbers) > 5
    assert all(str(number) in printed for number in numbers)
    assert page.locator("details:not([open])").count() == max(0, page.locator("details").count() - 2)


def part_of(data):
    return next(part for part in data["parts"] if part["kind"] == "disagreement")


def test_paper_holds_every_rule_of_a_rule_set(visit, pages):
    page = visit(pages["rules"])
    printed = text_of(page.pdf())
    model = data_of_page(page)["models"][0]
    assert len(model["rules"]) > 4
    assert [rule["text"] for rule in model["rules"] if squeezed(rule["text"]) not in printed] == []


CLIPPED = """(isPrint) => [...document.querySelectorAll("body *")].filter((element) => {
  if (element.closest("svg") || !element.innerText?.trim() || !element.checkVisibility()) return false;
  const { overflowX, textOverflow, position } = getComputedStyle(element);
  if (position === "absolute" || position === "fixed") return false;
  const isCut = isPrint ? overflowX !== "visible" : overflowX === "hidden" || textOverflow === "ellipsis";
  return isCut && element.scrollWidth > element.clientWidth + 1;
}).map((element) => `${element.tagName}.${element.className}: ${element.innerText.slice(0, 60)}`)"""

OUTSIDE = """() => [...document.querySelectorAll(".node")].flatMap((node) => {
  const box = node.querySelector(".box").getBoundingClientRect();
  return [...node.querySelectorAll("text.title, text.detail")].filter((text) => {
    const place = text.getBoundingClientRect();
    return place.left < box.left - 1 || place.right > box.right + 1 || place.bottom > box.bottom + 1;
  }).map((text) => text.textContent);
})"""


@pytest.mark.parametrize("name", thorough_after(1, ["tree", "rules", "numbers"]))
@pytest.mark.parametrize("screen", thorough_after(1, [(390, "light"), (1440, "light"), (1440, "dark")]))
def test_no_text_is_cut_on_screens(visit, pages, name, screen):
    width, scheme = screen
    page = visit(pages[name], color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 844})
    page.reload()
    page.wait_for_selector("#main > *")
    for tab in page.locator("[role=tab]").all():
        tab.click()
        assert page.evaluate(CLIPPED, False) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("name", thorough_after(1, ["tree", "rules", "numbers"]))
def test_no_text_is_cut_on_paper(visit, pages, name):
    page = visit(pages[name])
    # A4 without its margins, in CSS pixels.
    page.set_viewport_size({"width": 703, "height": 1000})
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(CLIPPED, True) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    assert page.evaluate(OUTSIDE) == []
    page.evaluate("dispatchEvent(new Event('afterprint'))")
