"""Small PMML documents over a number x and a category c."""

from __future__ import annotations

VALUES = '<Value value="u"/><Value value="v"/>'
FIELDS = (
    '<DataField name="x" optype="continuous" dataType="double"/>'
    f'<DataField name="c" optype="categorical" dataType="string">{VALUES}</DataField>'
    '<DataField name="y" optype="continuous" dataType="double"/>'
)
CLASSES = FIELDS.replace(
    '"y" optype="continuous" dataType="double"/>', '"y" optype="categorical" dataType="string">'
)
CLASSES += f"{VALUES}</DataField>"


def schema(c="", more=""):
    return (
        f'<MiningSchema><MiningField name="x"/><MiningField name="c" {c}/>'
        f'<MiningField name="y" usageType="target"/>{more}</MiningSchema>'
    )


def pmml(model, fields=FIELDS, derived=""):
    """Return a document with one model."""
    made = f"<TransformationDictionary>{derived}</TransformationDictionary>"
    return (
        '<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><Header/>'
        f"<DataDictionary>{fields}</DataDictionary>{made if derived else ''}{model}</PMML>"
    )


def document(nodes, attributes="", fields="", c="", derived=""):
    """Return a tree of numbers."""
    model = f'<TreeModel functionName="regression" {attributes}>{schema(c)}{nodes}</TreeModel>'
    return pmml(model, FIELDS + fields, derived)


def one_test(predicate, derived="", attributes=""):
    """Return a tree that answers 1 where the predicate is true, and 2 elsewhere."""
    nodes = f'<Node id="1" score="1">{predicate}</Node><Node id="2" score="2"><True/></Node>'
    return document(f'<Node id="0" score="0"><True/>{nodes}</Node>', attributes, derived=derived)


def simple(field, operator, value=None):
    given = "" if value is None else f' value="{value}"'
    return f'<SimplePredicate field="{field}" operator="{operator}"{given}/>'


def compound(operator, *parts):
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def derived(expression, dtype="double", name="d"):
    return f'<DerivedField name="{name}" optype="continuous" dataType="{dtype}">{expression}</DerivedField>'


def apply(function, *operands):
    return f'<Apply function="{function}">{"".join(operands)}</Apply>'


def constant(value, dtype="double"):
    return f'<Constant dataType="{dtype}">{value}</Constant>'


def table(cells="<row><k>u</k><v>1</v></row>", pairs='<FieldColumnPair field="c" column="k"/>'):
    return f'<MapValues outputColumn="v">{pairs}<InlineTable>{cells}</InlineTable></MapValues>'


X = '<FieldRef field="x"/>'
