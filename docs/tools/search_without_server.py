"""Hook of mkdocs: writes the index of the search as a script, for pages that are opened as files."""

from pathlib import Path
from typing import Any


def on_post_build(config: Any) -> None:
    """Write ``search_index.js`` beside ``search_index.json``."""
    index = Path(config.site_dir) / "search" / "search_index.json"
    index.with_suffix(".js").write_text(
        f"var __index = {index.read_text(encoding='utf-8')}", encoding="utf-8"
    )
