"""The report in a browser: that it opens, says what Python says, and can be used by everyone."""

import re

import numpy as np
import pytest
from browser.visits import Visit, data_of_page, pages_of, rows_of_page, try_row, try_rows, until
from cases import thorough_after
from show.hand_trees import leaf, plant, subset, threshold

import sightline as sl
from sightline.load._thresholds import float32_below
from sightline.table import Feature, Table


def classes_of_page(page):
    return [entry["name"] for entry in data_of_page(page)["classes"]]


def page_of(visit, folder, model, X, y):
    path = folder / "report.html"
    sl.report(model, X, y, path, rows="sample")
    return visit(path)


def nodes_drawn(page):
    return page.locator(".node").count()


def test_first_screen_has_the_sentence_the_tree_and_the_link_to_what_is_wrong(visit, loan_report, distilled):
    page = visit(loan_report)
    n_leaves, n_trees = distilled.tree_.n_leaves, distilled.ensemble_.n_trees
    start = f"This tree of {n_leaves} leaves gives the same label as the {n_trees} trees on "
    assert page.inner_text("#lead").startswith(start)
    assert page.locator("#node-0").is_visible()
    link = page.locator("#lead a.wrong")
    assert re.fullmatch(r"They differ on \d+ rows\.", link.inner_text())
    link.click()
    assert page.locator("#part-disagreement").bounding_box()["y"] < 768


def test_all_parts_are_there(visit, loan_report):
    page = visit(loan_report)
    assert page.locator("[role=tab]").all_inner_texts() == ["This node", "What if", "Size and fidelity"]
    assert page.locator("h2").all_inner_texts() == [
        "The tree as rules",
        "Accuracy and fidelity",
        "Where they disagree",
        "Which columns matter",
        "How each column moves the prediction",
        "Model card",
    ]


def test_knob_folds_and_unfolds(visit, loan_report):
    page = visit(loan_report)
    before = nodes_drawn(page)
    page.locator("#node-0 .knob").click()
    until(page, "document.querySelectorAll('.node').length === 1")
    assert page.locator("#node-0").get_attribute("aria-expanded") == "false"
    page.locator("#node-0 .knob").click()
    until(page, f"document.querySelectorAll('.node').length === {before}")


def test_search_lights_up_matches_and_dims_the_rest(visit, loan_report):
    page = visit(loan_report)
    page.get_by_label("Search in the tree").fill("checking")
    lit, dim = page.locator(".node.match").count(), page.locator(".node.dim").count()
    assert lit >= 1
    assert lit + dim == nodes_drawn(page)
    assert page.inner_text(".found") == ("1 node" if lit == 1 else f"{lit} nodes")
    page.get_by_label("Search in the tree").fill("")
    assert page.locator(".node.match, .node.dim").count() == 0


@pytest.mark.thorough
def test_click_shows_path_and_numbers_of_the_node(visit, loan_report, distilled):
    page = visit(loan_report)
    deep = page.locator(".node.leaf").first
    node = int(deep.get_attribute("data-key"))
    deep.click()
    sentence = page.inner_text(".sentence")
    assert sentence.startswith("If ")
    assert sentence.endswith(f"the tree predicts default = {distilled.tree_.label(node)}.")
    assert page.locator(".crumbs li").count() == distilled.tree_.core.level[node] + 1
    facts = page.inner_text("#part-node .facts")
    assert "The tree gives the ensemble's label on" in facts or "No row of this report gets here." in facts
    page.locator(".crumbs button").first.click()
    assert page.inner_text(".sentence").startswith("The tree first asks: ")


@pytest.mark.thorough
def test_hover_tells_the_path(visit, loan_report):
    page = visit(loan_report)
    page.locator(".node.leaf").first.hover()
    assert page.inner_text(".status").startswith("If ")


@pytest.mark.thorough
def test_link_to_a_node_opens_it(visit, loan_report, distilled):
    page = visit(loan_report)
    last = distilled.tree_.n_nodes - 1
    page.evaluate(f"location.hash = 'node-{last}'")
    page.wait_for_selector(f"#node-{last}.focus")


def test_what_if_says_what_python_says(visit, loan_report, distilled, loans):
    """On all 200 rows of the page, missing values among them."""
    page = visit(loan_report)
    page.click("#tab-whatif")
    numbers = rows_of_page(page)["number"]
    assert len(numbers) == 200
    assert try_rows(page, 200) == distilled.predict(loans[400:].X[np.array(numbers)]).tolist()
    assert page.locator(".node.lit").count() >= 2


@pytest.mark.thorough
def test_what_if_tells_what_changes_tree_and_ensemble(visit, loan_report, distilled, loans):
    """Stored for the rows of the page; nothing is claimed about a row that was changed."""
    page = visit(loan_report)
    page.click("#tab-whatif")
    index = 3
    row = rows_of_page(page)["number"][index]
    rows = loans[400:].X
    found = sl.counterfactuals(distilled, rows[row : row + 1], ensemble=distilled.ensemble_, within=rows, n=1)
    try_row(page, index)
    assert page.locator(".flip").last.inner_text() == f"Checked against the ensemble as well. {found[0].text}"
    amount = page.locator(".field", has_text="amount").first.locator("input[type=number]")
    amount.fill("1234.5")
    amount.press("Tab")
    assert "Checked against the ensemble" not in page.locator(".verdict").inner_text()


@pytest.mark.parametrize("size", thorough_after(1, [3, 16]))
def test_slider_shows_the_tree_of_each_size(visit, loan_report, distilled, loans, size):
    page = visit(loan_report)
    page.click("#tab-curve")
    page.locator("#size-slider").fill("0" if size == 3 else "3")
    tree = distilled.resized(size).tree_
    assert page.inner_text(".size-text").startswith(f"{tree.n_leaves} leaves: fidelity ")
    page.get_by_role("button", name="Open all").click()
    until(page, f"document.querySelectorAll('.node.leaf').length === {tree.n_leaves}")
    assert page.locator("#part-leaves tbody tr").count() == tree.n_leaves
    page.click("#tab-whatif")
    numbers = np.array(rows_of_page(page)["number"][:20])
    assert try_rows(page, 20) == tree.predict(loans[400:].X[numbers]).tolist()
    page.click("#tab-curve")
    page.get_by_role("button", name="Back to the report's model").click()
    assert page.inner_text(".size-text").startswith(f"{distilled.tree_.n_leaves} leaves: ")


def test_what_if_changes_with_sliders_numbers_menus_and_missing(visit, loan_report):
    page = visit(loan_report)
    page.click("#tab-whatif")
    field = page.locator(".field", has_text="amount").first
    field.locator("input[type=number]").fill("1234.5")
    field.locator("input[type=number]").press("Tab")
    assert 0 < float(field.locator("input[type=range]").input_value()) < 1000
    field.get_by_label("missing").check()
    assert field.locator("input[type=number]").input_value() == ""
    assert field.locator("input[type=range]").is_disabled()
    menu = page.locator(".field select").first
    menu.select_option(label="missing")
    assert page.locator("#prediction").inner_text() in ("no", "yes")


def test_what_if_predicts_while_a_number_is_typed_and_keeps_it(visit, tmp_path):
    """14912306.37 became 14912300, beside the prediction for the number before it until then."""
    tree = plant(threshold(0, 14912305.5, leaf(9, 1), leaf(1, 9)), [Feature("amount")], ["small", "big"])
    page = page_of(visit, tmp_path, tree, [[14912309.37], [14900000.0]], ["big", "small"])
    page.click("#tab-whatif")
    field, prediction = page.locator("#field-0"), page.locator("#prediction")
    assert try_row(page, 0) == "big"
    assert field.input_value() == "14912309.37"
    for typed, answer in (("14912304.123456", "small"), ("14912306.370", "big"), ("-5", "small")):
        field.fill("")
        field.press_sequentially(typed)
        assert (prediction.inner_text(), field.input_value()) == (answer, typed)
        field.press("Tab")
        assert field.input_value() == typed
    field.press("End")
    field.press_sequentially("-")
    assert prediction.inner_text() == "small"
    field.press("Tab")
    assert field.input_value() == "-5"


def test_what_if_names_a_change_that_flips_the_answer(visit, tmp_path):
    features = [Feature("duration"), Feature("purpose", ("car", "house"))]
    root = threshold(0, 22.0, leaf(1, 9), subset(1, [0], leaf(8, 2), leaf(9, 1)))
    tree = plant(root, features, ["bad", "good"])
    X = Table.from_any([[10.0, "car"], [30.0, "house"], [24.0, "car"]], feature_names=["duration", "purpose"])
    page = page_of(visit, tmp_path, tree, X, ["good", "bad", "bad"])
    page.click("#tab-whatif")
    assert try_row(page, 2) == "bad"
    assert page.inner_text(".why") == "Because duration > 22 and purpose = car."
    assert page.inner_text(".flip") == "It would be good if duration <= 22."
    assert try_row(page, 0) == "good"
    assert page.inner_text(".flip") == "It would be bad if duration > 22."


@pytest.mark.thorough
def test_bounds_just_below_a_number_exclude_it_in_words(visit, tmp_path):
    tree = plant(
        threshold(0, np.nextafter(2.0, 0), leaf(1, 9), leaf(8, 2)), [Feature("children")], ["a", "b"]
    )
    page = page_of(visit, tmp_path, tree, [[1.0], [2.0], [3.0]], ["b", "a", "a"])
    assert page.locator("#node-0 .detail").first.text_content().startswith("less than 2?")
    page.click("#tab-whatif")
    assert try_row(page, 0) == "b"
    assert page.inner_text(".why") == "Because children < 2."
    assert page.inner_text(".flip") == "It would be a if children >= 2."
    assert try_row(page, 1) == "a"
    assert page.inner_text(".why") == "Because children >= 2."
    assert page.inner_text(".flip") == "It would be b if children < 2."


@pytest.mark.thorough
def test_precision_of_the_model_is_shown_where_it_matters(visit, tmp_path):
    below = float(float32_below([2.0])[0])
    tree = plant(threshold(0, below, leaf(1, 9), leaf(8, 2)), [Feature("children")], ["a", "b"])
    page = page_of(visit, tmp_path, tree, [[1.0], [2.0], [3.0]], ["b", "a", "a"])
    assert page.inner_text(".status") == ("All 2 leaves are shown. Numbers are compared in single precision.")
    assert page.locator("#node-0 .detail").first.text_content().startswith("less than 2?")


@pytest.mark.thorough
def test_leaves_show_the_share_of_their_rows_as_texts_do(visit, tmp_path):
    """Outputs are other numbers than counts: those of an ensemble, say."""
    root = threshold(0, 0.5, leaf(1, 9, output=[0.3, 0.7]), leaf(8, 2, output=[0.6, 0.4]))
    tree = plant(root, [Feature("x")], ["a", "b"])
    page = page_of(visit, tmp_path, tree, [[0.0], [1.0]], ["b", "a"])
    assert page.locator(".node.leaf .title").all_text_contents() == ["b", "a"]
    assert page.locator(".node.leaf .detail").all_text_contents() == ["90% of 10 rows", "80% of 10 rows"]
    assert "b (90% of 10 rows)" in tree.to_text()
    page.locator(".node.leaf").first.click()
    assert "Predicted probability\nb 70.0%" in page.inner_text("#part-node .facts")
    page.click("#tab-whatif")
    assert try_row(page, 0) == "b"
    assert page.inner_text("p.answer") == "The tree predicts b (probability 70.0%)"


@pytest.mark.thorough
def test_what_if_fields_show_the_shortest_number_that_does_the_same(visit, tmp_path):
    tree = plant(threshold(0, 122.46, leaf(1, 9), leaf(8, 2)), [Feature("x")], ["a", "b"])
    beyond = 122.46000000000001
    page = page_of(
        visit, tmp_path, tree, [[122.4000000001], [beyond], [0.1 + 0.2], [1234567.0]], ["b", "a", "b", "a"]
    )
    page.click("#tab-whatif")
    shown = []
    for index in range(4):
        try_row(page, index)
        shown.append(page.locator(".field input[type=number]").input_value())
    assert shown == ["122.4", str(beyond), "0.3", "1234567"]


@pytest.mark.thorough
def test_what_is_folded_leaves_no_empty_canvas(visit, loan_report):
    page = visit(loan_report)
    page.get_by_role("button", name="Open all").click()
    page.get_by_role("button", name="Fit").click()
    for node in page.locator(".node.test[aria-level='2']").all():
        node.locator(".knob").click()
    page.wait_for_timeout(50)
    box, frame = page.locator(".drawing > g").bounding_box(), page.locator(".drawing").bounding_box()
    middle = [
        box[at] + box[size] / 2 - frame[at] - frame[size] / 2
        for at, size in (("x", "width"), ("y", "height"))
    ]
    assert max(map(abs, middle)) < 20
    scale = float(re.search(r"scale\((.*)\)", page.locator(".drawing > g").get_attribute("transform"))[1])
    assert (
        scale == pytest.approx(1.15)
        or box["width"] + 60 > frame["width"]
        or box["height"] + 60 > frame["height"]
    )


def test_rules_are_sorted_searched_and_saved(visit, loan_report, distilled):
    page = visit(loan_report)
    rules = page.locator("#part-leaves tbody tr")
    assert rules.count() == distilled.tree_.n_leaves
    rows = [float(text.replace(",", "")) for text in rules.locator("td:nth-child(3)").all_inner_texts()]
    assert rows == sorted(rows, reverse=True)
    page.get_by_role("button", name="Training rows").click()
    assert [
        float(text.replace(",", "")) for text in rules.locator("td:nth-child(3)").all_inner_texts()
    ] == sorted(rows)
    page.get_by_label("Search rules").fill("Amount >")
    found = rules.locator("td:nth-child(2)").all_inner_texts()
    assert 1 <= len(found) < distilled.tree_.n_leaves
    assert all("amount" in text and ">" in text for text in found)
    page.get_by_label("Search rules").fill("")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save as CSV").click()
    lines = download.value.path().read_text().splitlines()
    assert lines[0] == "class,conditions,rows,precision,agreement,proof"
    assert len(lines) == distilled.tree_.n_leaves + 1


def test_few_rows_behind_a_share_are_counted(visit, distilled, loans, tmp_path):
    page = page_of(visit, tmp_path, distilled, loans[400:430].X, loans[400:430].y)
    model = data_of_page(page)["models"][0]
    cells = page.locator('#part-leaves td[data-head="Agreement"]').all_inner_texts()
    leaves = [node for node, branches in enumerate(model["branch_text"]) if not branches]
    counted = [cell for cell in cells if re.fullmatch(r"\d+\.\d% of (1 row|[\d.]+ rows)", cell)]
    assert len(counted) == sum(model["seen"][leaf] > 0 for leaf in leaves)


def test_the_tools_of_the_drawing_share_a_line(visit, loan_report):
    page = visit(loan_report)
    page.set_viewport_size({"width": 1200, "height": 900})
    boxes = [tool.bounding_box() for tool in page.locator(".stage .toolbar button").all()]
    assert len(boxes) == 8
    assert len({box["y"] for box in boxes}) == 1


def test_proofs_are_named_on_a_phone(visit, loan_report):
    page = visit(loan_report)
    page.set_viewport_size({"width": 390, "height": 800})
    cell = page.locator('#part-leaves td[data-head="Proof"]').first
    assert cell.evaluate("cell => getComputedStyle(cell, '::before').content") == '"Proof "'


def test_disagreements_lead_to_what_if(visit, loan_report):
    page = visit(loan_report)
    part = page.locator("#part-disagreement")
    rows = rows_of_page(page)
    n_differ = int(np.sum(np.array(rows["model_label"]) != rows["ensemble_label"]))
    assert f"differ on {n_differ} of 300 rows" in part.inner_text()
    assert part.locator("tbody tr").count() == n_differ
    part.get_by_role("button", name="What if").first.click()
    first = part.locator("tbody tr").first.locator("td")
    assert page.locator("#prediction").inner_text() == first.nth(2).inner_text()
    assert page.locator("#tab-whatif").get_attribute("aria-selected") == "true"


def test_keyboard_alone(visit, loan_report):
    page = visit(loan_report)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('role')") == "tree":
            break
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tree"
    before = nodes_drawn(page)
    is_right = page.get_by_role("button", name="Grow down").count() == 1
    deeper, back = ("ArrowRight", "ArrowLeft") if is_right else ("ArrowDown", "ArrowUp")
    page.keyboard.press(deeper)
    assert page.locator(".node.focus").get_attribute("aria-level") == "2"
    assert page.inner_text(".sentence").startswith("If ")
    page.keyboard.press(back)
    page.keyboard.press("Enter")
    until(page, "document.querySelectorAll('.node').length === 1")
    page.keyboard.press("Enter")
    until(page, f"document.querySelectorAll('.node').length === {before}")
    page.keyboard.press("+")
    page.keyboard.press("0")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.locator("#tab-node").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-whatif"
    assert page.locator("#part-whatif").is_visible()


@pytest.mark.thorough
def test_wheel_zooms_the_tree_once_it_was_clicked_and_scrolls_the_page_before(visit, loan_report):
    page = visit(loan_report)
    transform = "document.querySelector('.drawing > g').getAttribute('transform')"
    before = page.evaluate(transform)
    box = page.locator(".drawing").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 50)
    page.mouse.wheel(0, 60)
    until(page, "scrollY > 0")
    assert page.evaluate(transform) == before
    page.mouse.click(box["x"] + 5, box["y"] + 5)
    page.mouse.wheel(0, -200)
    until(page, f"{transform} !== '{before}'")


@pytest.mark.thorough
def test_drag_moves_the_tree(visit, loan_report):
    page = visit(loan_report)
    before = page.locator("#node-0").bounding_box()
    box = page.locator(".drawing").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 65, box["y"] + 45, steps=6)
    page.mouse.up()
    page.wait_for_timeout(50)
    after = page.locator("#node-0").bounding_box()
    assert (round(after["x"] - before["x"]), round(after["y"] - before["y"])) == (60, 40)


@pytest.mark.parametrize("scheme", thorough_after(1, ["dark", "light"]))
def test_text_has_contrast_in_light_and_dark(visit, loan_report, scheme):
    """At least 4.5 to 1, the level AA, of every text on what lies behind it."""
    page = visit(loan_report, color_scheme=scheme)
    page.wait_for_timeout(50)
    worst = page.evaluate(CONTRAST)
    assert worst["ratio"] >= 4.5, worst


@pytest.mark.thorough
def test_theme_can_be_chosen(visit, loan_report):
    page = visit(loan_report, color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("#theme")
    assert page.evaluate(background) == light
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: dark"
    assert page.evaluate(background) != light
    page.reload()
    assert page.inner_text("#theme") == "Theme: dark"


def test_narrow_window_needs_no_sideways_scrolling(visit, loan_report):
    page = visit(loan_report)
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    for tab in ("#tab-whatif", "#tab-curve"):
        page.click(tab)
        assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.locator("#node-0").is_visible()


@pytest.mark.thorough
def test_no_text_is_smaller_than_twelve_pixels(visit, loan_report):
    page = visit(loan_report)
    smallest = page.evaluate(
        "Math.min(...[...document.querySelectorAll('body *')].filter(e => !e.closest('svg') && e.innerText)"
        ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    assert smallest >= 12


def test_prints_the_whole_tree(visit, loan_report, distilled):
    page = visit(loan_report)
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert 2 <= pages_of(pdf) <= 6
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".node.leaf").count() == distilled.tree_.n_leaves
    assert page.inner_text(".outline") == ""
    assert not page.locator(".toolbar").first.is_visible()
    assert page.locator("#part-curve").is_visible()
    assert page.locator("#part-leaves").is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")


@pytest.mark.thorough
def test_large_trees_are_printed_so_that_they_can_be_read(visit, tmp_path):
    """A part is drawn, no text of it below 7 pixels; all paths follow as rules."""
    tree = large_tree(6)
    X = np.random.default_rng(1).uniform(size=(200, 5))
    page = page_of(visit, tmp_path, tree, X, tree.predict(X))
    assert pages_of(page.pdf()) <= 5
    folded = nodes_drawn(page)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    widths = "document.querySelector('.drawing').viewBox.baseVal.width"
    assert 12 * min(1, 690 / page.evaluate(widths)) >= 7
    assert page.locator("#part-leaves tbody tr").count() == tree.n_leaves
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    until(page, f"document.querySelectorAll('.node').length === {folded}")
    assert not page.locator(".outline").is_visible()


def test_graphs_are_drawn_with_references(visit, tmp_path):
    inner = threshold(1, 0.5, leaf(3, 1), leaf(1, 5))
    again = threshold(1, 0.5, leaf(3, 1), leaf(1, 5))
    tree = plant(
        threshold(0, 1.0, inner, threshold(2, 2.0, again, leaf(4, 0))),
        [Feature(n) for n in "abc"],
        ["x", "y"],
    )
    graph = tree.to_graph()
    assert graph.n_nodes < tree.n_nodes
    X = np.random.default_rng(0).uniform(0, 3, size=(50, 3))
    page = page_of(visit, tmp_path, graph, X, tree.predict(X))
    assert page.locator("#part-leaves").count() == 0
    page.locator(".node.reference").first.click()
    assert page.inner_text(".sentence").endswith(" Other paths lead here too.")
    # Leaves that paths share cannot be counted per node: folded nodes said +0.
    page.locator("#node-0 .knob").click()
    expected = f"1 of {graph.n_nodes} nodes shown; the others are folded."
    assert page.inner_text(".status").startswith(expected)
    assert page.locator("#node-0 .knob text").text_content() == "+"
    assert page.locator(".node.focus.reference").count() == 0
    page.click("#tab-whatif")
    numbers = np.array(rows_of_page(page)["number"])
    assert try_rows(page, 50) == graph.predict(X[numbers]).tolist()


HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(2)>",
    '"><svg onload=alert(3)>',
    "'; alert(4); '",
    "`${alert(5)}`",
    "{{data}}",
    "__proto__",
    "constructor",
    "javascript:alert(6)",
    "a\u2028b\u2029c",
    "\u202egnp.exe",
    "=cmd|' /C calc'!A0",
    "<!--",
    "]]>",
    "&lt;b&gt;",
    "\x1b[31mred",
]


def hostile_rows():
    """Rows whose names, values and labels try to be markup."""
    rng = np.random.default_rng(0)
    n_rows = 240
    numbers = [f"{name} n" for name in HOSTILE]
    cells = [
        [
            *rng.normal(size=len(numbers)).tolist(),
            *(HOSTILE[index] for index in rng.integers(0, len(HOSTILE), 2)),
        ]
        for _ in range(n_rows)
    ]
    table = Table.from_any(cells, feature_names=[*numbers, *HOSTILE[:2]])
    return table, np.array(HOSTILE)[rng.integers(0, 5, n_rows)]


@pytest.mark.parametrize(
    "model",
    [
        sl.StumpEnsembleClassifier(max_size=4, nominal="binary"),
        sl.MetaKNNClassifier(sl.BaggedTreesClassifier(n_trees=5), predict_with="meta", random_state=0),
    ],
    ids=["stumps", "cases"],
)
def test_hostile_names_stay_text_with_stumps_and_cases(visit, tmp_path, model):
    table, y = hostile_rows()
    path = tmp_path / "hostile.html"
    sl.report(model.fit(table[:160], y[:160]), table[160:], y[160:], path, rows="sample", title=HOSTILE[0])
    page = visit(path)
    page.locator(".from-row select, #case-row").select_option("3")
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("svg[onload], [onerror]").count() == 0
    assert page.inner_text("h1") == HOSTILE[0]


@pytest.mark.thorough
def test_hostile_names_stay_text(visit, tmp_path):
    table, y = hostile_rows()
    tree = sl.DistilledTreeClassifier(max_leaves=24, random_state=0).fit(table[:160], y[:160])
    path = tmp_path / "hostile.html"
    sl.report(
        tree,
        table[160:],
        y[160:],
        path,
        title=HOSTILE[0],
        notes={HOSTILE[1]: {HOSTILE[2]: HOSTILE[3]}},
        rows="sample",
    )
    page = visit(path)
    page.get_by_role("button", name="Open all").click()
    for tab in page.locator("[role=tab]").all():
        tab.click()
    page.click("#tab-whatif")
    predicted = [try_row(page, index) for index in range(10)]
    assert len(predicted) == 10
    page.locator(".node.leaf").first.hover()
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert page.locator("script").count() == 2
    assert page.locator("svg[onload], [onerror]").count() == 0
    assert page.inner_text("h1") == HOSTILE[0]
    assert page.title() == HOSTILE[0]
    text = page.content()
    assert "alert(1)</script>" not in text.replace("\\u003c", "<").split('id="data"')[0]


def test_only_our_own_script_may_run(browser, loan_report, tmp_path):
    """The policy stops what a hole in our escaping might let in."""
    path = tmp_path / "injected.html"
    path.write_text(loan_report.read_text().replace("</footer>", "</footer><script>window.ran = 1</script>"))
    visit = Visit(browser, path)
    assert visit.page.evaluate("window.ran") is None
    assert len(visit.faults) == 1
    assert "Content Security Policy" in visit.faults[0]
    visit.context.close()


def large_tree(depth):
    rng = np.random.default_rng(0)

    def grow(level, low, high):
        if level == depth:
            counts = rng.integers(1, 50, 2)
            return leaf(*map(float, counts))
        middle = (low + high) / 2
        return threshold(level % 5, middle, grow(level + 1, low, middle), grow(level + 1, middle, high))

    return plant(grow(0, 0.0, 1.0), [Feature(f"feature {index}") for index in range(5)], ["no", "yes"])


@pytest.mark.thorough
def test_two_thousand_leaves_open_at_once_and_stay_usable(visit, tmp_path):
    tree = large_tree(11)
    assert tree.n_leaves == 2048
    X = np.random.default_rng(1).uniform(size=(500, 5))
    path = tmp_path / "large.html"
    sl.report(tree, X, tree.predict(X), path, rows="sample")
    assert path.stat().st_size < 2_000_000
    page = visit(path)
    # What a browser builds before the page is there.
    assert page.locator("*").count() < 5000
    assert nodes_drawn(page) <= 60
    page.get_by_role("button", name="Open all").click()
    assert page.inner_text(".status") == "All 2,048 leaves are shown."
    until(page, "document.querySelectorAll('.node').length < 200")
    page.get_by_role("button", name="Fit").click()
    until(page, "document.querySelectorAll('.node').length === 4095")
    page.locator(".drawing").focus()
    page.keyboard.press("Home")
    for _ in range(22):
        page.keyboard.press("+")
    until(page, "document.querySelectorAll('.node').length < 200")
    page.get_by_label("Search in the tree").fill("feature 3")
    assert page.inner_text(".found") == "264 nodes"
    assert page.locator("#part-leaves tbody tr").count() == 100
    page.locator("#part-leaves").get_by_role("button", name="Show more").click()
    assert page.locator("#part-leaves tbody tr").count() == 200


# The ratio of the lightness of each text to that of the first opaque background behind it.
CONTRAST = """
() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = (colour) => { const [r, g, b] = colour.map((c) => c / 255)
      .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = (element) => { for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor); if (colour[3] === 255) return colour; }
    return [255, 255, 255]; };
  let worst = {ratio: 99};
  for (const element of document.querySelectorAll('body *')) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText || element.closest('svg') || !element.checkVisibility()) continue;
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < worst.ratio) worst = {ratio, text: element.textContent.slice(0, 40), tag: element.tagName};
  }
  return worst;
}
"""
