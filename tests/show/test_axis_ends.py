"""The ends of a chart's axis read as the values of its column do."""

import pandas as pd
import pytest

import sightline as sl
from sightline.show import to_svg
from sightline.show.drawing._split_charts import axis_ends
from sightline.table import Feature


@pytest.mark.parametrize(
    ("feature", "low", "high", "ends"),
    [
        (Feature("x"), 0, 5200.4, ("0", "5200")),
        (Feature("x", unit="$"), 0, 5200, ("$0", "$5200")),
        (Feature("x", unit=":"), 0.5, 24.75, ("0:30", "24:45")),
        (Feature("x", kind="date"), 17900, 19400, ("2019-01", "2023-02")),
        (Feature("x", kind="date"), 17900, 17930, ("01-04", "02-03")),
        (Feature("x", kind="datetime"), 1551443400, 1551450600, ("03-01 12:30", "03-01 14:30")),
        (Feature("x", kind="datetime UTC"), 1551443400, 1561450600, ("2019-03", "2019-06")),
        (Feature("x", kind="duration"), 0, 90000, ("0:00:00", "1 day 1:00:00")),
    ],
)
def test_ends(feature, low, high, ends):
    assert axis_ends(feature, low, high) == ends


def test_charts_of_dates_show_dates():
    """They showed numbers of days since 1970."""
    days = pd.Series(pd.date_range("2019-01-01", periods=200))
    X, y = (
        pd.DataFrame({"opened": days}),
        ["old" if day.year < 2019 or day.month < 4 else "new" for day in days],
    )
    svg = to_svg(sl.C45Classifier().fit(X, y).tree_, X=X, y=y)
    assert "before 2019-04-01" in svg
    assert ">2019-0" in svg
    assert ">179" not in svg
