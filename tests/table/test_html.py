"""Tables in notebooks."""

import sightline as sl


def test_first_rows_kinds_and_target(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(
        "a,<b>,y\n" + "".join(f"{row},x{row % 2},{'no' if row else 'yes'}\n" for row in range(30))
    )
    table = sl.read_table(path, "y")
    assert table.head().n_rows == 5
    html = table._repr_html_()
    assert html.startswith("<div><p>Table &#x27;rows&#x27;: 30 rows; 1 numeric, 1 nominal; target ")
    assert "<tr><th>a</th><th>&lt;b&gt;</th><th>y</th></tr>" in html
    assert "<tr><td>numeric</td><td>nominal</td><td>target</td></tr>" in html
    assert html.count("<tr>") == 2 + 10
    assert "<tr><td>0</td><td>x0</td><td>yes</td></tr>" in html


def test_wide_tables_are_cut_and_missing_cells_are_empty():
    html = sl.Table.from_any([[None, *range(30)]])._repr_html_()
    assert "<td>11 more</td>" in html
    assert "<tr><td></td><td>0</td>" in html
