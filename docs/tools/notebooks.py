"""Run the notebooks of docs/gallery and keep what they show.

``python docs/tools/notebooks.py`` runs all of them and stores their outputs. With ``--check`` nothing is
written: the process fails if a notebook fails, or if it shows something else than what is stored.

All cells run in this process, in a fresh namespace per notebook: starting a kernel for each would take longer
than the notebooks do.
"""

from __future__ import annotations

import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable
from difflib import unified_diff
from io import BytesIO
from pathlib import Path
from typing import Any

import nbformat
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from nbformat import NotebookNode
from PIL import Image
from traitlets.config import Config

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # for a run as a script

from docs.tools.imported_versions import imported_versions

GALLERY = Path(__file__).resolve().parents[1] / "gallery"
# The first of these that an output has is stored; a drawing as text is smaller than one as pixels.
KEPT = ("image/svg+xml", "image/png", "text/html", "text/plain")


def main(check: bool) -> None:
    """Run every notebook; store or compare its outputs."""
    stale = []
    for path in sorted(GALLERY.glob("*.ipynb")):
        stored = nbformat.read(path, as_version=4)
        fresh = run(stored)
        if not check:
            nbformat.write(fresh, path)
        elif difference := list(differences(stored, fresh)):
            stale.append("\n".join([f"{path.name} shows something else now:", *difference]))
    if stale:
        sys.exit("\n".join([*stale, "Run python docs/tools/notebooks.py to store the new outputs."]))


def run(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook with the outputs of its cells, and with the versions that they depend on."""
    shell = _fresh_shell()
    fresh = nbformat.v4.new_notebook(
        metadata={
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {"name": "python"},
            "versions": imported_versions(_code(notebook)),
        }
    )
    for number, cell in enumerate(notebook.cells):
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        fresh.cells.append(make(cell.source, id=f"cell-{number}"))
        if cell.cell_type == "code":
            fresh.cells[-1].outputs = list(_outputs(shell, cell.source))
    return fresh


def _code(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")


def differences(stored: NotebookNode, fresh: NotebookNode) -> Iterable[str]:
    """Yield the lines in which the outputs differ.

    With other versions of the libraries, models may differ, and so may every number: then only the kinds of
    outputs are compared. Pixels are never compared, because fonts change them.
    """
    same_libraries = stored.metadata.get("versions") == fresh.metadata.versions
    for before, after in zip(stored.cells, fresh.cells, strict=True):
        if before.cell_type == "code":
            lines = (_compared(cell, same_libraries) for cell in (before, after))
            yield from unified_diff(*lines, "stored", "now", n=1, lineterm="")


def _compared(cell: NotebookNode, with_content: bool) -> list[str]:
    lines = []
    for output in cell.outputs:
        kind, content = _content(output)
        lines.append(f"[{kind}]")
        if with_content and kind != "image/png":
            lines.extend(content.splitlines())
    return lines


def _content(output: NotebookNode) -> tuple[str, str]:
    """Return the kind and the text of an output that has one."""
    if output.output_type == "stream":
        return output.name, output.text
    (pair,) = output.data.items()
    return pair


class Shell(InteractiveShell):
    """IPython without a window: figures of pyplot are outputs of the cell."""

    def enable_gui(self, gui: Any = None) -> None:
        pass

    def system(self, cmd: str) -> None:
        """Run a line that starts with an exclamation mark: what it prints is an output of the cell."""
        line = self.var_expand(cmd, depth=1)
        # The commands of this environment first, also if it is not activated.
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            line, shell=True, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
        )
        sys.stdout.write(done.stdout)
        sys.stderr.write(done.stderr)


def _fresh_shell() -> Shell:
    """Return the one shell of this process, with an empty namespace."""
    if Shell.initialized():
        Shell.instance().reset()
    else:
        Shell.instance(config=Config({"HistoryManager": {"enabled": False}})).enable_matplotlib("inline")
    return Shell.instance()


def _outputs(shell: Shell, source: str) -> Iterable[NotebookNode]:
    with capture_output() as captured:
        shell.display_trap.hook = sys.displayhook  # the capturing one
        shell.run_cell(source).raise_error()
    if captured.stderr:
        raise SystemExit(f"{source}\n\nwrote to stderr:\n{captured.stderr}")
    if captured.stdout:
        yield nbformat.v4.new_output("stream", name="stdout", text=captured.stdout)
    for shown in captured.outputs:
        kind = next(kind for kind in KEPT if kind in shown.data)
        yield nbformat.v4.new_output("display_data", data={kind: _text(shown, kind)})


def _text(shown: Any, kind: str) -> str:
    content = shown.data[kind]
    if kind != "image/png":
        return str(content)
    # 64 colors are enough for charts, and make a fifth of the bytes.
    pixels = BytesIO()
    Image.open(BytesIO(b64decode(content))).convert("RGB").quantize(64).save(pixels, "PNG", optimize=True)
    return b64encode(pixels.getvalue()).decode()


if __name__ == "__main__":
    main(check="--check" in sys.argv[1:])
