"""No module imports the private module of another package.

import-linter checks which package may import which (see pyproject.toml); this checks that they do so by
their public names: ``from sightline.model import Tree``, not ``from sightline.model._tree import Tree``.
"""

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cases import each

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src/sightline", "benchmarks", "fuzz", "docs/tools")
OURS = ("sightline", "benchmarks", "fuzz")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "src" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the dotted names that a file imports; of ``from a.b import c``, a.b and a.b.c."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            yield str(node.module)
            yield from (f"{node.module}.{name.name}" for name in node.names if name.name.startswith("_"))


def is_private_to_others(imported: str, importer: str) -> bool:
    """A private module belongs to the package that it lies in, and to the packages inside that.

    Those of other libraries belong to one guarded place.
    """
    package, *rest = imported.split(".")
    if package not in OURS and importer == "sightline.sklearn_internals":
        return False
    for part in rest:
        if part.startswith("_") and not part.startswith("__"):
            return package != "sightline" and not importer.startswith(package + ".") and importer != package
        package += "." + part
    return False


@each(path=FILES)
def test_no_module_imports_a_private_module_of_another_package(path):
    importer = module_name(path)
    assert not [name for name in imported_modules(path) if is_private_to_others(name, importer)]


@each(path=sorted((ROOT / "src/sightline/load").glob("*/*.py")))
def test_importers_of_one_library_do_not_import_those_of_another(path):
    """What they share is one folder up. scikit-learn's models may have a pipeline in front."""
    folder = path.parent.name
    imported = {name.split(".")[2] for name in imported_modules(path) if name.startswith("sightline.load.")}
    others = {name for name in imported if (path.parents[1] / name).is_dir()} - {folder}
    assert others <= ({"pipeline"} if folder == "sklearn" else set())


@pytest.mark.parametrize(
    ("imported", "importer", "is_breach"),
    [
        ("sightline.model._tree", "sightline.show._text", True),
        ("sightline.model._tree", "sightline.estimator", True),
        ("sightline.model._tree", "benchmarks.model", True),
        ("sightline.model._tree", "sightline.model._graph", False),
        ("sightline.model._tree", "sightline.model", False),
        ("sightline.lab._record", "sightline.lab.papers.rules", False),
        ("sightline.learn.setgen._search", "sightline.learn._c45", True),
        ("sightline.model", "sightline.show._text", False),
        ("sightline._core", "sightline.show._text", False),
        ("sklearn.utils._param_validation", "sightline.estimator", True),
        ("sklearn.utils._param_validation", "sightline.sklearn_internals", False),
        ("__future__", "sightline.estimator", False),
    ],
)
def test_the_rule(imported, importer, is_breach):
    assert is_private_to_others(imported, importer) is is_breach


def test_a_scikit_learn_that_moved_its_private_modules_is_named(monkeypatch):
    importlib.import_module("sightline.sklearn_internals")  # With scikit-learn's own users of it.
    monkeypatch.setitem(sys.modules, "sklearn.utils._param_validation", None)
    monkeypatch.delitem(sys.modules, "sightline.sklearn_internals")
    with pytest.raises(ImportError, match=r"^scikit-learn [\d.]+ no longer has .*'scikit-learn=="):
        importlib.import_module("sightline.sklearn_internals")
