"""Pages opened in a browser, with a watch over what they must not do."""

import json
import re
import time

PATIENCE = 10.0


class Visit:
    """A page of a report, and everything that it should not have done."""

    def __init__(self, browser, path, shows="#main > *", **options):
        self.context = browser.new_context(viewport={"width": 1366, "height": 768}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.faults = []
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.on(
            "request",
            lambda request: re.match("file:|blob:", request.url) or self.faults.append(request.url),
        )
        self.page.goto(path.as_uri())
        self.page.wait_for_selector(shows)


def until(page, expression):
    """Wait for an expression to hold; the policy of the page keeps the driver from doing so itself."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"this did not come true: {expression}"
        page.wait_for_timeout(20)


def data_of_page(page):
    """Return what the page draws from."""
    return json.loads(page.locator("#data").text_content())


def rows_of_page(page):
    """Return the rows that the page carries."""
    return data_of_page(page)["rows"]


def try_row(page, index):
    """Start the what-if from a row of the page, and return the prediction."""
    page.locator(".from-row select").select_option(str(index))
    return page.locator("#prediction").inner_text()


def try_rows(page, n_rows):
    """Start the what-if from each of the first rows, and return the predictions; of numbers, with all digits.

    In one call to the browser, and with the events of its menu: calls take longer than predictions.
    """
    return page.evaluate(
        """n_rows => Array.from({ length: n_rows }, (_, index) => {
          const menu = document.querySelector(".from-row select");
          menu.value = String(index);
          for (const kind of ["input", "change"]) menu.dispatchEvent(new Event(kind, { bubbles: true }));
          const prediction = document.querySelector("#prediction");
          return "value" in prediction.dataset ? Number(prediction.dataset.value) : prediction.innerText;
        })""",
        n_rows,
    )


def pages_of(pdf):
    """Count the pages of a document."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def tab_to(page, selector):
    """Go by the Tab key alone to the first element that matches."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"no way by Tab to {selector}")


def focus_is_seen(page):
    """Whether the element that has the focus shows it."""
    return page.evaluate("getComputedStyle(document.activeElement).outlineStyle") not in ("none", "")
