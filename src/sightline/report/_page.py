"""The page: markup, style, script and data in one self-contained file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from sightline.export import predictor_source
from sightline.report._parts import Summary
from sightline.report._paused_collector import paused_collector

STYLES = ("base", "workbench", "tree", "panels", "tables", "print")
SCRIPTS = (
    "data",
    "dom",
    "words",
    "instants",
    "classes",
    "numbers",
    "paths",
    "answers",
    "flips",
    "layout",
    "folding",
    "viewport",
    "nodes",
    "paper",
    "tree",
    "node_panel",
    "letter",
    "whatif",
    "curve",
    "table",
    "rules",
    "stumps",
    "cases",
    "leaves",
    "measures",
    "disagreement",
    "importance",
    "effects",
    "card",
    "workbench",
    "start",
)
"""In the order in which they are joined: each uses those before it."""

PREDICTORS = ("nodes", "rules")
"""The code of exported models, with which the page predicts."""

_NEEDS_SCRIPT = '<p class="notice">This report needs JavaScript. Allow its script to run.</p>'
_UNSAFE = "<>&\u2028\u2029"
_SURROGATES = re.compile("[\ud800-\udfff]")


def render_page(summary: Summary, static: str = "") -> str:
    """Write the page.

    Parameters
    ----------
    summary : Summary
        What the page shows.
    static : str
        SVG to show where scripts are off. With it, the page is one for a frame in a notebook, without
        heading.

    Returns
    -------
    str
        A document whose policy runs only our own script and loads nothing.
    """
    # The data is gone before the collector resumes: it would visit all of it once more.
    with paused_collector():
        return _rendered(summary.to_json(), static)


def _rendered(summary: dict[str, Any], static: str) -> str:
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; style-src {_styles_allowed(style, static)}; "
        f"script-src 'sha256-{_digest(script)}'; base-uri 'none'; form-action 'none'"
    )
    values = {
        "policy": policy,
        "title": escape(summary["title"]),
        "headline": escape(summary["lead"][0] if summary["lead"] else ""),
        "lead": escape(" ".join(summary["lead"][1:])),
        "notice": escape(summary["notice"]),
        "style": style,
        "data": island(summary),
        "body": ' class="notebook"' if static else "",
        "static": static or _NEEDS_SCRIPT,
        "script": script,
    }
    # One pass: inserted text is never read as a template again.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _source("page.html"))


def _styles_allowed(style: str, static: str) -> str:
    """Return the styles that the policy allows; a drawing brings its own, and only we write it."""
    return "'unsafe-inline'" if static else f"'sha256-{_digest(style)}'"


def island(content: Any) -> str:
    r"""Write data as JSON that no HTML parser reads as markup.

    Examples
    --------
    >>> island(["</script>", "a & b"])
    '["\\u003c/script\\u003e","a \\u0026 b"]'
    """
    # Plain data has no circles, and looking for them takes a fifth of the time.
    text = json.dumps(
        content, allow_nan=False, ensure_ascii=False, check_circular=False, separators=(",", ":")
    )
    for character in _UNSAFE:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text if _is_unicode(text) else _SURROGATES.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_unicode(text: str) -> bool:
    """Whether a text is free of surrogates. Much faster than to search for them."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@cache
def _style() -> str:
    return "\n" + "\n".join(_source(f"{name}.css") for name in STYLES)


@cache
def _script() -> str:
    predictors = [predictor_source(name) for name in PREDICTORS]
    parts = "\n".join([*predictors, *(_source(f"{name}.js") for name in SCRIPTS)])
    return f'\n"use strict";\n(() => {{\n{parts}\n}})();\n'


def _source(name: str) -> str:
    return files("sightline.report").joinpath("page", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
