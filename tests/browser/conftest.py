"""The system's browser, and reports to open in it."""

import shutil

import pytest
from absent import NO_BROWSER
from browser.flats import rents_of_flats
from browser.visits import Visit
from playwright.sync_api import sync_playwright

import sightline as sl

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium; the tests are skipped where there is none."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip(NO_BROWSER)
    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path)
        yield running
        running.close()


@pytest.fixture
def visit(browser):
    """Open a report; afterwards nothing may have gone wrong in any of those opened."""
    visits = []

    def open_report(path, **options):
        visits.append(Visit(browser, path, **options))
        return visits[-1].page

    yield open_report
    for opened in visits:
        opened.context.close()
    assert [fault for opened in visits for fault in opened.faults] == []


@pytest.fixture(scope="session")
def flats():
    return rents_of_flats()


@pytest.fixture(scope="session")
def loans():
    return sl.make_loans(700)


@pytest.fixture(scope="session")
def distilled(loans):
    return sl.DistilledTreeClassifier(max_leaves=9, random_state=0).fit(loans[:400].X, loans[:400].y)


@pytest.fixture(scope="session")
def loan_report(distilled, loans, tmp_path_factory):
    """The page of a tree with numbers, categories, missing values and other sizes."""
    path = tmp_path_factory.mktemp("report") / "loans.html"
    held_out = loans[400:]
    sl.report(distilled, held_out.X, held_out.y, path, rows="sample", sizes=(3, 5, 9, 16))
    return path
