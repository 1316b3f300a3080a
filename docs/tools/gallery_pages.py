"""Hook of mkdocs: makes a page of every notebook in docs/gallery, with its pictures beside it.

The pages are Markdown like all others: same fonts, same search, light and dark, and nothing is loaded from
elsewhere. That is why they are not made by nbconvert, whose pages bring styles and scripts of their own.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.structure.files import File, Files
from nbformat import NotebookNode

FOLDER = "gallery"


def on_files(files: Files, config: Any) -> Files:
    """Add pages and pictures."""
    for path in sorted((Path(config.docs_dir) / FOLDER).glob("*.ipynb")):
        page = Page(path)
        files.append(File.generated(config, f"{FOLDER}/{path.stem}.md", content=page.markdown))
        for name, content in page.pictures.items():
            files.append(File.generated(config, f"{FOLDER}/{name}", content=content))
    return files


class Page:
    """A notebook as Markdown.

    Attributes
    ----------
    markdown : str
        The text, with the code and what it shows.
    pictures : dict of str to str or bytes
        Pictures by their path: ``<notebook>/1.svg``, ``<notebook>/2.png``, numbered in the order of the page.
    """

    def __init__(self, path: Path) -> None:
        self.pictures: dict[str, str | bytes] = {}
        self._name = path.stem
        first, *cells = nbformat.read(path, as_version=4).cells
        title, _, lead = first.source.partition("\n")
        self._heading = title.lstrip("# ")
        link = f"[Download this notebook]({path.name}){{ download={path.name} }}"
        self.markdown = "\n\n".join([title, lead.strip(), link, *map(self._cell, cells)]) + "\n"

    def _cell(self, cell: NotebookNode) -> str:
        if cell.cell_type == "markdown":
            first = cell.source.partition("\n")[0]
            self._heading = first.lstrip("# ") if first.startswith("#") else self._heading
            return str(cell.source)
        return "\n\n".join([f"```python\n{cell.source}\n```", *map(self._output, cell.outputs)])

    def _output(self, output: NotebookNode) -> str:
        if output.output_type == "stream":
            return _printed(output.text.rstrip())
        ((kind, content),) = output.data.items()
        if kind == "image/svg+xml":
            return self._picture("svg", content)
        if kind == "image/png":
            # Trees bring their own colors for dark pages; the style sheet inverts charts.
            return self._picture("png", b64decode(content)) + "{ .chart }"
        return str(content) if kind == "text/html" else _printed(content)

    def _picture(self, kind: str, content: str | bytes) -> str:
        name = f"{self._name}/{len(self.pictures) + 1}.{kind}"
        self.pictures[name] = content
        return f"![{self._heading}]({name})"


def _printed(text: str) -> str:
    return f"``` {{ .text .output }}\n{text}\n```"
