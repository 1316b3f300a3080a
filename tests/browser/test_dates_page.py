"""Dates on the page: shown, typed and tried as dates."""

import re

import numpy as np
import pandas as pd
import pytest
from browser.visits import data_of_page, try_row, until

import sightline as sl


@pytest.fixture(scope="module")
def report_of_dates(tmp_path_factory):
    drawn = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "opened": pd.Timestamp("2016-01-01") + pd.to_timedelta(drawn.integers(0, 1500, 600), "D"),
            "seen": pd.Timestamp("2019-01-01 06:30") + pd.to_timedelta(drawn.integers(0, 10**7, 600), "s"),
        }
    )
    y = np.where((X["opened"] >= "2018-03-01") & (X["seen"] < "2019-03-15"), "late", "early")
    model = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(X, y)
    path = tmp_path_factory.mktemp("report") / "dates.html"
    sl.report(model, X, y, path)
    return path, model


def test_what_if_takes_dates(visit, report_of_dates):
    path, model = report_of_dates
    page = visit(path)
    names = [column["name"] for column in data_of_page(page)["columns"]]
    assert "before 2018-" in page.locator("#main").inner_text() or "before 2018-" in page.content()
    page.get_by_role("tab", name="What if").click()
    day, moment = (page.locator(f"#field-{names.index(name)}") for name in ("opened", "seen"))
    assert (day.get_attribute("type"), moment.get_attribute("type")) == ("date", "datetime-local")
    for opened, seen in (
        ("2017-05-01", "2019-02-01T08:00"),
        ("2019-05-01", "2019-02-01T08:00"),
        ("2019-05-01", "2019-04-20T23:59"),
    ):
        day.fill(opened)
        day.dispatch_event("change")
        moment.fill(seen)
        moment.dispatch_event("change")
        assert (day.input_value(), moment.input_value()) == (opened, seen)
        row = pd.DataFrame({"opened": pd.to_datetime([opened]), "seen": pd.to_datetime([seen])})
        assert page.locator("#prediction").inner_text() == str(model.predict(row)[0])


def test_durations_read_as_explanations_write_them(visit, tmp_path):
    """They were raw seconds in the field and without bounds in the letter."""
    drawn = np.random.default_rng(4)
    X = pd.DataFrame(
        {
            "income": drawn.normal(3000, 900, 300).round(),
            "waited": pd.to_timedelta(drawn.integers(0, 100, 300) * 6, "h"),
            "since": pd.Timestamp("2016-01-01") + pd.to_timedelta(drawn.integers(0, 1500, 300), "D"),
        }
    )
    is_refused = (X["waited"] > pd.Timedelta("15D")) & (X["since"] < "2018-06-01")
    y = pd.Series(np.where(is_refused, "refused", "ok"), name="decision")
    model = sl.DistilledTreeClassifier(max_leaves=4, random_state=0).fit(X, y)
    sl.report(model, X, y, tmp_path / "page.html", rows=15, sizes=(), max_seconds=1)
    page = visit(tmp_path / "page.html")
    page.click("#tab-whatif")
    page.click("text=As a letter")
    until(page, "document.querySelector('.letter-text').textContent !== ''")
    explained = model.tree_.explain(X)
    for index, number in enumerate(data_of_page(page)["rows"]["number"]):
        try_row(page, index)
        assert page.locator(".letter-text").text_content() == explained[number].to_letter(target="decision")
    changes = "\n".join(filter(None, data_of_page(page)["rows"]["changes"] or []))
    assert not re.search(r"waited from \d+ to", changes)
    names = [column["name"] for column in data_of_page(page)["columns"]]
    field = page.locator(f"#field-{names.index('waited')}")
    for typed, shown in (
        ("20 days 1:30", "20 days 1:30:00"),
        ("soon", "20 days 1:30:00"),
        ("12:00", "12:00:00"),
    ):
        field.fill(typed)
        field.dispatch_event("change")
        assert field.input_value() == shown
    assert "waited <= " in page.inner_text(".why")
