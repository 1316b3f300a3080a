"""A static HTML page: headings, paragraphs, tables and drawings, without scripts or network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --ink: #1c2026; --soft: #5b636e; --line: #d9dde3; --paper: #ffffff;
  --mark: #eef3f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --soft: #a3abb6; --line: #3a414b; --paper: #16191e; --mark: #222a33; }
}
body { font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.4rem; }
p, li { max-width: 46rem; } .soft, figcaption { color: var(--soft); }
.finding { font-size: 1.1rem; font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--paper); }
thead th { vertical-align: bottom; white-space: normal; }
tr.chosen td { background: var(--mark); font-weight: 600; }
td small { display: block; font-size: .75rem; color: var(--soft); white-space: normal; font-weight: 400; }
td:first-child small { min-width: 11rem; max-width: 16rem; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
@media print { body { max-width: none; } }
"""


def page(title: str, sections: Sequence[str]) -> str:
    """Return a self-contained page.

    Parameters
    ----------
    title : str
        Title; any text.
    sections : sequence of str
        HTML, in order.

    Returns
    -------
    str
        The document.

    Examples
    --------
    >>> page("a < b", ["<p>text</p>"]).startswith("<!doctype html>")
    True
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="generator" content="sightline">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{chr(10).join(sections)}\n</body></html>\n"
    )


def paragraph(text: str, css: str = "") -> str:
    """Return text as a paragraph.

    Examples
    --------
    >>> paragraph("1 < 2")
    '<p>1 &lt; 2</p>'
    """
    return f'<p class="{css}">{escape(text)}</p>' if css else f"<p>{escape(text)}</p>"


def figure(svg: str, caption: str) -> str:
    """Return a drawing with its caption."""
    # Inside a page, the XML declaration before <svg> is not allowed.
    drawing = svg[svg.index("<svg") :]
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"
