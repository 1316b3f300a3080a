"""Conditions that list many categories: the page holds the whole list too."""

import json
import re

import sightline as sl


def test_a_cut_list_has_its_whole_text():
    rows = [[f"v{value:02}"] for value in range(40) for _ in range(30)]
    labels = ["low" if value % 2 else "high" for value in range(40) for _ in range(30)]
    model = sl.DistilledTreeClassifier(max_leaves=2, random_state=0).fit(rows, labels)
    html = sl.report(model, rows, labels).to_html()
    data = json.loads(re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', html, re.DOTALL)[1])
    nodes = data["models"][0]
    cut = [text for text in nodes["condition"] if text and " more" in text]
    assert cut
    for text in [*cut, *nodes["branch_text"][0], nodes["question"][0]]:
        assert all(f"v{value:02}" in nodes["complete"][text] for value in range(0, 40, 2)) or all(
            f"v{value:02}" in nodes["complete"][text] for value in range(1, 40, 2)
        )
