"""Names that break out of careless quotes."""

from __future__ import annotations

import numpy as np
from strategies import Node, at_most, core_tree, each_of, leaf

from sightline import Tree
from sightline.table import Feature, Schema

RUNS = "import os; open('PWNED', 'w')"
HOSTILE = [
    'a"b',
    "a'b",
    "a`b",
    "a]b]]",
    "a\\",
    "\\",
    "\\n",
    "a\nb",
    "a\r\n\tb",
    "</script><script>alert(1)</script>",
    '"]; DROP TABLE data; --',
    "'; DROP TABLE data; --",
    "`; DROP TABLE data; --",
    "\\'; DROP TABLE data; --",
    "\\\n'; DROP TABLE data; --",
    f'x"] and exec("{RUNS}") or row["x',
    f"x'] and exec(\"{RUNS}\") or row['x",
    "__import__('os').system('touch PWNED')",
    '"); require("fs").writeFileSync("PWNED", ""); ("',
    "${require('fs').writeFileSync('PWNED', '')}",
    '"; system("touch PWNED"); "',
    "*/ #error PWNED /*",
    "??/",
    "%s%n%d",
    "{{ 7 * 7 }}{% raw %}",
    "@feature@",
    "__proto__",
    "constructor",
    "class",
    "select",
    "NULL",
    "prediction ",
    "sl_p0",
    "w2",
    "a b",
    "a-b",
    "a_b",
    " a",
    "😀 größer",
    "\u2028\u2029\u202e",
    "<b>&amp;&lt;",
    "]]>",
    "x" * 300,
]


def hostile_tree() -> Tree:
    """One test per name, then one with a branch per category; every label is hostile, too."""
    n = len(HOSTILE)
    schema = Schema((*(Feature(name) for name in HOSTILE), Feature("category of 'it'", tuple(HOSTILE))))
    labels = [f"{name}!" for name in HOSTILE] + [f"{name}?" for name in HOSTILE]

    def only(index: int) -> Node:
        return leaf(*(float(k == index) for k in range(2 * n)))

    root = each_of(n, *(only(n + code) for code in range(n)), shares=[1.0] + [0.0] * (n - 1))
    for index in reversed(range(n)):
        root = at_most(index, 0.1, only(index), root, shares=[0.0, 1.0])
    return Tree(core_tree(root, schema), schema, np.array(labels, dtype=object))


def hostile_rows() -> tuple[list[list], list[str]]:
    """Rows that take each branch, and their labels."""
    n = len(HOSTILE)
    rows = [[*(0.0 if k == index else 1.0 for k in range(n)), None] for index in range(n)]
    rows += [[1.0] * n + [category] for category in HOSTILE]
    return rows, [f"{name}!" for name in HOSTILE] + [f"{name}?" for name in HOSTILE]
