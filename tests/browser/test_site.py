"""The documentation builds, every link and name in it leads somewhere, and it is read without a server."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.thorough
def test_every_name_has_a_page_that_links_to_others(site):
    page = (site / "reference" / "functions" / "certify.html").read_text()
    assert 'href="../classes/Certificate.html' in page
    assert ":func:" not in page


@pytest.mark.thorough
def test_search_works_in_pages_opened_as_files(site, visit):
    page = visit(site / "index.html", shows=".md-search__input")
    page.keyboard.press("/")
    page.keyboard.type("certify", delay=30)
    page.locator(".md-search-result__item a[href*='certify']").first.wait_for()
