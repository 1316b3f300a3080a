"""Hook of mkdocs: gives every name in docs/reference.md a page of its own, and a line in the list there.

``::: sightline.model.Tree`` in reference.md becomes a row of a table with the first sentence of the
docstring, and a page reference/classes/Tree.md with all of it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

LIST = "reference.md"
_NAMES = re.compile(r"(?:^::: \S+\n+)+", re.MULTILINE)


def on_config(config: Any) -> None:
    """Show the pages in the navigation."""
    pages = [LIST, *({name: page(path)} for path in listed(config.docs_dir) if (name := short(path)))]
    config.nav = [{"Reference": pages} if entry == {"Reference": LIST} else entry for entry in config.nav]


def on_files(files: Files, config: Any) -> Files:
    """Add the pages."""
    for path in listed(config.docs_dir):
        files.append(File.generated(config, page(path), content=f"::: {path}\n"))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Turn the names of the list into tables."""
    return _NAMES.sub(_table, markdown + "\n") if page.file.src_uri == LIST else markdown


def listed(docs: str | Path) -> list[str]:
    """Return the dotted paths of all names in the list."""
    return re.findall(r"^::: (\S+)$", (Path(docs) / LIST).read_text(encoding="utf-8"), re.MULTILINE)


def page(path: str) -> str:
    """Return where the page of a name is; report and Report are one file on some systems."""
    kind = "classes" if short(path)[0].isupper() else "functions"
    return f"reference/{kind}/{short(path)}.md"


def short(path: str) -> str:
    """Return a name without the modules that it lies in."""
    return path.rpartition(".")[2]


def summary(path: str) -> str:
    """Return the first sentence of a docstring."""
    module, _, name = path.rpartition(".")
    text = re.sub(
        r":\w+:`~?(?:[\w.]*\.)?(\w+)`",
        r"`\1`",
        inspect.getdoc(getattr(importlib.import_module(module), name)) or "",
    )
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def _table(names: re.Match[str]) -> str:
    rows = [
        f"| [`{short(path)}`]({page(path)}) | {summary(path)} |"
        for path in re.findall(r"::: (\S+)", names[0])
    ]
    return "\n".join(["| name | what it is |", "|---|---|", *rows]) + "\n\n"
