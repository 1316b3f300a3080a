"""Hook of mkdocs: keeps tables of results out of the search, and writes its index as a script, for files."""

from pathlib import Path
from typing import Any


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Leave the tables of results out of the index: a result of the search showed all numbers of one."""
    if not page.file.src_uri.startswith("results/"):
        return html
    return html.replace("<table>", "<table data-search-exclude>")


def on_post_build(config: Any) -> None:
    """Write ``search_index.js`` beside ``search_index.json``."""
    index = Path(config.site_dir) / "search" / "search_index.json"
    index.with_suffix(".js").write_text(
        f"var __index = {index.read_text(encoding='utf-8')}", encoding="utf-8"
    )
