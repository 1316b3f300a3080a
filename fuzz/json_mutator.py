"""Mutants of JSON that are still JSON: bytes changed at random rarely pass the parser."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, -0.0, 2**31, 2**63, 1e308, -1e308, 5e-324, "", "0", "1E400", "nan",
    "é" * 300, [], {}, [0], [[]], {"x": 0},
)  # fmt: skip


def mutate(content: bytes, max_size: int, seed: int) -> bytes | None:
    """Return the document with one place replaced, dropped, doubled or swapped; None if it is not JSON."""
    try:
        document = json.loads(content)
    except ValueError:
        return None
    chance = random.Random(seed)
    places = list(_places(document))
    if not places:
        return None
    _change(chance, places)
    mutant = json.dumps(document).encode()
    return mutant if len(mutant) <= max_size else None


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Return every container and key of a document, without recursion."""
    places, todo = [], [document]
    while todo:
        container = todo.pop()
        if isinstance(container, dict | list):
            keys = list(container) if isinstance(container, dict) else range(len(container))
            places += [(container, key) for key in keys]
            todo += [container[key] for key in keys]
    return places


def _change(chance: random.Random, places: list[tuple[Any, Any]]) -> None:
    container, key = chance.choice(places)
    change = chance.randrange(4)
    if change == 0:
        container[key] = copy.deepcopy(chance.choice(_VALUES))
    elif change == 1:
        del container[key]
    elif change == 2 and isinstance(container, list):
        container.insert(key, copy.deepcopy(container[key]))
    else:
        other, place = chance.choice(places)
        container[key] = copy.deepcopy(other[place])
