"""PMML files: a TreeModel, or a MiningModel of TreeModels.

The semantics are those of the specification, and of JPMML where it leaves something open.
"""

from __future__ import annotations

from typing import ClassVar

from sightline.exceptions import UnsupportedModelError
from sightline.load._assembly import build_sum, build_trees, named_schema
from sightline.load._file import FileImporter, ModelFile, register_file
from sightline.load.pmml._inputs import Inputs
from sightline.load.pmml._model import PmmlModel
from sightline.load.pmml._xml import Xml
from sightline.model import Ensemble

_NOT_MODELS = frozenset(
    {"Header", "MiningBuildTask", "DataDictionary", "TransformationDictionary", "Extension"}
)
_BEGINNING = 4096


@register_file
class PmmlImporter(FileImporter):
    """Reads PMML."""

    format_name: ClassVar[str] = "PMML"

    def recognizes(self, file: ModelFile) -> bool:
        """Check for the root element."""
        start = file.content[:_BEGINNING].replace(b"\0", b"")
        return start.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").startswith(b"<") and b"PMML" in start

    def read(self, file: ModelFile) -> Ensemble:
        """Return the trees and how they are combined."""
        xml = Xml(file.content, file.name)
        if xml.kind(0) != "PMML":
            raise UnsupportedModelError(f"{file.name}: begins like XML, but is not PMML.")
        models = [child for child in xml.children(0) if xml.kind(child) not in _NOT_MODELS]
        if not models or xml.kind(models[0]) not in ("TreeModel", "MiningModel"):
            found = xml.kind(models[0]) if models else "none"
            raise UnsupportedModelError(
                f"{file.name}: the model is {found}. Supported: TreeModel and MiningModel."
            )
        fields = Inputs(xml, models[0])
        model = PmmlModel.of(xml, fields, models[0])
        schema = named_schema(fields.features(), file.name, names_given=True)
        trees = build_trees(model.nodes, schema.n_values, file.name)
        core = build_sum(
            trees,
            file.name,
            n_scores=model.n_scores,
            votes=model.votes,
            tree_weight=model.tree_weight,
            tree_score=model.tree_score,
            base=model.base,
            base_last=True,
            single_precision=model.is_single,
        )
        classes = None if model.classes is None else fields.labels(model.classes)
        return Ensemble(core, schema, classes, model.link)
