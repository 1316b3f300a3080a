"""
Kernels of sightline. Input is validated by the Python classes in front of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, overload

import numpy
import numpy.typing
from numpy.typing import NDArray


class StopFlag:
    """Stops the kernels that hold it."""

    def __init__(self) -> None: ...

    def request(self) -> None:
        """Stop every kernel that holds the flag."""

class Columns:
    """
    Typed columns borrowed from numpy: float64 numbers, or int32 codes of declared values.
    """

    def __init__(self, arrays: Sequence[Annotated[NDArray, dict(writable=False)]], n_values: Sequence[int], n_rows: int) -> None:
        """Borrow one-dimensional arrays; n_values is 0 for a numeric column."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def part(self, begin: int, end: int) -> Columns:
        """Rows begin to end alone, borrowed from the same arrays."""

    def __len__(self) -> int: ...

class StrayCell:
    """A cell or line that stands out, and how often it occurs."""

    @property
    def text(self) -> str:
        """The text."""

    @property
    def line(self) -> int:
        """Line of the file where it occurs first."""

    @property
    def count(self) -> int:
        """Number of times that it occurs."""

class ParsedColumn:
    """How a column of a text file was read."""

    @property
    def name(self) -> str:
        """Name of the column."""

    @property
    def is_named(self) -> bool:
        """Whether the file gives this name."""

    @property
    def is_nominal(self) -> bool:
        """Whether the column holds codes rather than numbers."""

    @property
    def values(self) -> list[str]:
        """Values that the codes of a nominal column stand for."""

    @property
    def is_doubtful(self) -> bool:
        """Whether another decimal mark is possible."""

    @property
    def unit(self) -> str:
        """What every number carries, such as % or kg."""

    @property
    def strays(self) -> list[StrayCell]:
        """Some cells that are not numbers in a column of numbers."""

    @property
    def n_strays(self) -> int:
        """Number of cells that are not numbers in a column of numbers."""

    @property
    def inexact(self) -> StrayCell:
        """Whole numbers that a double cannot hold."""

    @property
    def other_mark(self) -> StrayCell:
        """Numbers with the other decimal mark, read by it."""

    @property
    def undecided(self) -> StrayCell:
        """Numbers that fit both marks of such a column; they are missing."""

    @property
    def converted(self) -> StrayCell:
        """Numbers in another unit, converted."""

    @property
    def without_currency(self) -> StrayCell:
        """Numbers without the currency of the others."""

    @property
    def code(self) -> StrayCell:
        """Cells with a leading zero, if the others look like numbers."""

    @property
    def power(self) -> StrayCell:
        """Cells such as 1E5, which might be codes."""

    @property
    def magnitude(self) -> StrayCell:
        """Cells such as 3M, which might be codes."""

    @property
    def grade(self) -> StrayCell:
        """Cells such as 2-, which might be grades."""

    @property
    def missing_words(self) -> list[StrayCell]:
        """Cells such as NA and NULL, which are missing values."""

    @property
    def error(self) -> StrayCell:
        """
        Errors of a spreadsheet program, such as #VALUE!, which are missing values.
        """

    @property
    def has_quotes(self) -> bool:
        """Whether some cells are in quotes, as text is."""

    @property
    def block(self) -> int:
        """Number of empty columns, or runs of them, to the left of it."""

    @property
    def decimal(self) -> str:
        """Decimal mark."""

    @property
    def thousands(self) -> str:
        """Mark between thousands, '' if there is none."""

class ParsedTable:
    """Typed columns of a text file, not yet split into features and target."""

    @property
    def name(self) -> str:
        """Name that the file gives itself, or ''."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> ParsedColumn:
        """A column."""

    @property
    def decimal(self) -> str:
        """Decimal mark of all columns, '' if they have none or different ones."""

    @property
    def thousands(self) -> str:
        """Mark between thousands in most columns, '' if there is none."""

    @property
    def has_row_names(self) -> bool:
        """Whether the header has no name for the first column."""

    @property
    def last_note(self) -> StrayCell:
        """The last row of two columns, if it may be a note."""

    @property
    def second_header(self) -> int:
        """Line that may belong to the header above it, or 0."""

    @property
    def later_header(self) -> int:
        """Line that may be the header instead, or 0."""

    @property
    def comment_header(self) -> int:
        """Line of a # header that may be a comment instead, or 0."""

    @property
    def skipped(self) -> list[StrayCell]:
        """Lines that are no part of the table: titles and footers."""

    def cells(self, index: int) -> numpy.typing.NDArray:
        """Numbers (NaN is missing) or codes (-1 is missing) of a column."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Weights of the rows; empty where the file gives none."""

def parse_delimited(text: bytes, decimal: str = '', thousands: str = '', target: str = '', plain_columns: Sequence[str] = [], numeric_columns: Sequence[str] = []) -> ParsedTable:
    """
    Parse delimited text (UTF-8) with a header. Marks that are '' are found out; thousands 'n' means none.
    """

def is_missing_word(cell: str) -> bool:
    """
    Whether people write this for a missing value: unknown, k.A., -, (null) and so on, in any case.
    """

def is_missing_marker(cell: str) -> bool:
    """
    Whether programs write this for a missing value, in this spelling: NA, NULL, (null) and so on, or nothing.
    """

def is_spreadsheet_error(cell: str) -> bool:
    """
    Whether a spreadsheet program shows this instead of a result: #VALUE!, #N/A and so on.
    """

def parse_arff(text: bytes) -> ParsedTable:
    """Parse the text (UTF-8) of an ARFF file."""

class Routes:
    """The different ways that rows take through a tree or graph, each once."""

    @property
    def n_routes(self) -> int:
        """Number of different routes."""

    @property
    def route_of(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per row: its route."""

    @property
    def begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per route, and one more: first edge."""

    @property
    def node(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per edge: the test that it leaves, ascending in a route."""

    @property
    def branch(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per edge: the branch of that test."""

    @property
    def missing(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Per edge: 1 if the tested value is missing."""

    @property
    def part(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per edge: how much of a row takes it."""

class DecisionNodes:
    """
    Decision nodes as parallel arrays, valid by construction, children behind parents.
    """

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""

    @property
    def depth(self) -> int:
        """Tests on the longest path."""

    @property
    def n_features(self) -> int:
        """Number of features that nodes may test."""

    @property
    def n_outputs(self) -> int:
        """Number of values that a leaf gives."""

    @property
    def used_features(self) -> list[int]:
        """Features that some node tests, ascending."""

    @property
    def n_values(self) -> list[int]:
        """Declared values per feature, 0 where numeric."""

    @property
    def test(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Per node: 0 leaf, 1 threshold, 2 subset, 3 multiway."""

    @property
    def level(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per node: tests between the root and it."""

    @property
    def feature(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per node: the tested feature, -1 at leaves."""

    @property
    def threshold(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: branch 0 is x <= threshold."""

    @property
    def branch_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per node, and one more: first branch."""

    @property
    def child(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per branch: the node it leads to."""

    @property
    def share(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per branch: its share of rows whose value is missing."""

    @property
    def category_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per node, and one more: first category."""

    @property
    def category(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Categories of subset tests that take branch 0."""

    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: training weight."""

    @property
    def output(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: n_outputs values."""

    @property
    def counts(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: training class counts, or no rows if unknown."""

    def find_leaves(self, rows: Columns, n_threads: int) -> NDArray[numpy.int32]:
        """Leaf of every row; a missing value follows the largest share."""

    def find_whole_leaves(self, rows: Columns, n_threads: int) -> NDArray[numpy.int32]:
        """Leaf of every row, -1 where a missing value spreads it over several."""

    def find_routes(self, rows: Columns) -> Routes:
        """
        The way of every row: the edges that it takes, several where a missing value spreads it.
        """

    def passing(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_labels: int = 1, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> NDArray[numpy.float64]:
        """
        Per node and label: the weight of the rows that pass it; parts of rows where missing values spread them.
        """

    def shared(self) -> Graph:
        """The graph that stores equal subtrees once."""

LEAF: int = 0

THRESHOLD: int = 1

SUBSET: int = 2

MULTIWAY: int = 3

class Tree(DecisionNodes):
    """
    A decision tree as parallel node arrays, valid by construction, nodes depth first.
    """

    def __init__(self, n_values: Sequence[int], n_outputs: int, test: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], branch_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check and build. Nodes may come in any order, the root first; ValueError names the node at fault.
        """

    def with_output(self, output: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Tree:
        """The tree with another output per node, and without counts."""

def binary_trees(n_values: Sequence[int], n_outputs: int, is_leaf: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_goes_left: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_subset: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leaves_only: bool, tree_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, first: int = 0) -> list[Tree]:
    """
    Check and build trees of nodes with two children. Tree k has the nodes from tree_begin[k] to tree_begin[k + 1]; without tree_begin, all are one tree. Errors count trees from `first` on. With leaves_only, inner outputs become means of the leaves'.
    """

@overload
def single_at_most(thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

@overload
def single_at_most(thresholds: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """d with float32(x) <= threshold exactly where x <= d."""

@overload
def single_below(thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]: ...

@overload
def single_below(thresholds: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
    """d with float32(x) < threshold exactly where x <= d."""

class Graph(DecisionNodes):
    """
    A decision graph: a node may have several parents and comes after all of them.
    """

    def __init__(self, n_values: Sequence[int], n_outputs: int, test: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], branch_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check and build. Nodes may come in any order, the root first; ValueError names the node at fault.
        """

    @property
    def n_paths(self) -> float:
        """Paths to leaves: the leaves of the tree that the graph stands for."""

    @property
    def n_conditions(self) -> float:
        """Tests on all those paths together."""

    def outputs(self, rows: Columns, n_threads: int) -> NDArray[numpy.float64]:
        """Output of every row, mixed where a value is missing."""

class Ensemble:
    """Trees and how their outputs are added up."""

    def __init__(self, trees: Sequence[Tree], n_scores: int, votes: bool, tree_weight: Sequence[float], vote_against: Sequence[float], tree_score: Sequence[int], base: Sequence[float], single_precision: Sequence[bool], tie_tolerance: float, base_last: Sequence[bool]) -> None:
        """Check and build; ValueError names the tree at fault."""

    @property
    def trees(self) -> list[Tree]:
        """The trees."""

    @property
    def n_nodes(self) -> int:
        """Nodes of all trees together."""

    @property
    def n_scores(self) -> int:
        """Scores per row."""

    @property
    def votes(self) -> bool:
        """Whether trees vote for one class instead of adding their outputs."""

    @property
    def tree_weight(self) -> list[float]:
        """Factor per tree."""

    @property
    def vote_against(self) -> list[float]:
        """Per tree: what it adds to the classes it does not vote for."""

    @property
    def tree_score(self) -> list[int]:
        """Per tree: the score it adds to, -1 for all."""

    @property
    def base(self) -> list[float]:
        """Scores before the first tree."""

    @property
    def base_last(self) -> list[bool]:
        """Per score: whether the base is added after the last tree."""

    @property
    def single_precision(self) -> list[bool]:
        """Per score: whether its sum is rounded to float after each tree."""

    @property
    def tie_tolerance(self) -> float:
        """How much a tree's vote must exceed the classes before it."""

    def scores(self, rows: Columns, n_threads: int) -> NDArray[numpy.float64]:
        """Scores of every row: base first, then the trees in their order."""

    def tree_outputs(self, rows: Columns, n_threads: int) -> NDArray[numpy.float64]:
        """Output of every tree for every row: (rows, trees, outputs)."""

    def find_leaves(self, rows: Columns, n_threads: int) -> NDArray[numpy.int32]:
        """
        Leaf of every tree for every row; a missing value follows the largest share.
        """

class Formula:
    """How scores become class probabilities and a label, step by step."""

    def __init__(self, steps: Sequence[tuple[str, Sequence[int], Sequence[float], Sequence[int], bool]], n_scores: int, probabilities: int, label: int, arbiter: object | None = None) -> None:
        """Check and build; ValueError names the step at fault."""

    def width(self, step: int) -> int:
        """How many numbers a step gives."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""

    def evaluate(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], step: int, given: Sequence[int], values: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> NDArray[numpy.float64]:
        """
        The numbers of one step for every row of scores; those of some steps are given.
        """

class TestedTrees:
    """Trees and their distinct tests, to be rebuilt over other columns."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        """Collect the tests."""

    @property
    def kind(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Per test: 1 threshold, 2 subset, 3 multiway."""

    @property
    def feature(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per test: the tested feature."""

    @property
    def threshold(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per test: branch 0 is x <= threshold."""

    @property
    def missing(self) -> Annotated[NDArray[numpy.int8], dict(writable=False)]:
        """Per test: the branch of missing values, -1 if several share them."""

    @property
    def category_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per test, and one more: first category."""

    @property
    def category(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Categories of subset tests that take branch 0."""

    def retested(self, n_values: Sequence[int], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_branch: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], bound_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], max_nodes: int) -> list[Tree]:
        """
        The trees with another test of another column in place of each distinct test.
        """

class Box:
    """
    What is still possible per feature: an interval (low, high] or a set of categories, and missing.
    """

    def __init__(self, n_values: Sequence[int]) -> None:
        """Every row over these features (0 declared values: numeric)."""

    def interval(self, feature: int) -> tuple[float, float]:
        """Bounds of a numeric feature: low excluded, high included."""

    def categories(self, feature: int) -> list[int]:
        """Values that a nominal feature may still have."""

    def may_be_missing(self, feature: int) -> bool:
        """Whether the value may be missing."""

    def may_be_known(self, feature: int) -> bool:
        """Whether some value is possible."""

    @property
    def empty(self) -> bool:
        """Whether no row is left."""

    def contains(self, row: Sequence[float]) -> bool:
        """
        Whether a row (codes for nominal values, NaN for missing) lies in the box.
        """

    def decide(self, tree: DecisionNodes, node: int) -> int:
        """The branch that every row takes, or -1."""

    def narrow(self, tree: DecisionNodes, node: int, branch: int) -> None:
        """Keep the rows that take this branch."""

    def forbid_missing(self, feature: int) -> None:
        """Keep the rows whose value is known."""

    def require_whole(self, feature: int) -> None:
        """
        Keep the rows whose value is a whole number, or missing. Call it before narrowing.
        """

    def witness(self) -> list[float]:
        """Some row of the box."""

class LabelRule:
    """How scores become a label or a number."""

    def __init__(self, above: bool, label_above: float, divide_by: Sequence[float], formula: Formula | None = None, ties: str = 'scores', answer: str = 'label') -> None:
        """
        Label 1 above a score, or the first of the largest scores, after the divisions; or as a formula decides.
        """

    def labels(self, scores: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)]) -> NDArray[numpy.int32]:
        """The label of each row of scores."""

class BoxedModel:
    """A model as a proof sees it: what it gives to the rows of a box."""

    @staticmethod
    def of_ensemble(ensemble: Ensemble, rule: LabelRule) -> BoxedModel:
        """An ensemble, by bounds of its scores."""

    @staticmethod
    def of_tree(tree: Tree, tie_tolerance: float) -> BoxedModel:
        """A tree, leaf by leaf."""

    @staticmethod
    def of_lines(tree: Tree, lines: LeafLines) -> BoxedModel:
        """A tree of numbers with lines in its leaves, leaf by leaf."""

    @staticmethod
    def of_graph(graph: Graph, tie_tolerance: float) -> BoxedModel:
        """A graph, leaf by leaf."""

    @staticmethod
    def of_rules(rules: RuleSet, pc: float, factor: float, fallback: float, base: Sequence[float], prior: Sequence[float]) -> BoxedModel:
        """Rules that vote, by bounds of their votes."""

class Orders:
    """The sort order of each numeric column, shared by several learners."""

    def __init__(self, rows: Columns) -> None:
        """Sort every numeric column once."""

class C45Options:
    """The options of C4.5, checked and with clamped limits."""

    def __init__(self, binary_splits: bool = False, prune: bool = True, confidence: float = 0.25, min_leaf: float = 2.0, subtree_raising: bool = True, collapse: bool = True, mdl_correction: bool = True, laplace: bool = False, max_depth: int | None = None, max_leaves: int | None = None, tabulated_limits: bool = False) -> None:
        """As in C45Classifier."""

    @property
    def z(self) -> float:
        """The normal quantile of 1 - confidence, finite for every confidence."""

class C45Growth:
    """A C4.5 tree before pruning. It can be pruned with several confidences."""

    def __init__(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, options: C45Options, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, bag: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, orders: Orders | None = None, stop: StopFlag | None = None) -> None:
        """
        Grow and collapse a tree. A bag lists rows, repeated as often as drawn. Features are the columns to test, ascending.
        """

    def tree(self, confidence: float | None = None, stop: StopFlag | None = None) -> Tree:
        """The pruned tree, with the confidence of the options or another one."""

class ArtificialRows:
    """Columns of artificial rows."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def cells(self, index: int) -> numpy.typing.NDArray:
        """
        Numbers (NaN is missing; empty if not needed) or codes (-1 is missing) of a column.
        """

class RowSource:
    """Observed rows, drawn by weight, from which artificial rows are made."""

    def __init__(self, rows: Columns, order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Rows are drawn along this order, so that the order of the table does not matter.
        """

    def jittered(self, n_rows: int, noise: float, replace: float, seed: int, n_threads: int = 1, first_row: int = 0, needed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> ArtificialRows:
        """Observed rows with noise, and with some categories of other rows."""

    def swapped(self, n_rows: int, replace: float, seed: int, n_threads: int = 1, first_row: int = 0, needed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> ArtificialRows:
        """Observed rows with some cells of other rows."""

    def cmm_rows(self, ensemble: Ensemble, n_rows: int, seed: int, n_threads: int = 1, quota: str = 'drawn') -> ArtificialRows:
        """
        Rows uniform in leaves of the ensemble's trees, by training weight, as in CMM.
        """

class Bins:
    """The candidate tests of a distilled tree."""

    @overload
    def __init__(self, rows: Columns, ensemble: Ensemble, answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Sequence[int] = []) -> None:
        """
        Cuts between observed values that the ensemble separates. If a column has very many values, those with similar answers are treated alike. Numbers of the features `times` are seconds.
        """

    @overload
    def __init__(self, rows: Columns, answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, times: Sequence[int] = []) -> None:
        """
        Cuts between any observed values, at most 254: then at quantiles of the rows.
        """

    def cuts(self, feature: int) -> list[float]:
        """Thresholds of a numeric feature, ascending."""

class Objective:
    """
    What a small tree is charged for: wrong labels, distant numbers, or both.
    """

    def __init__(self, label: float = 1.0, target: float = 0.0, absolute: bool = False, center: float = 0.0, scale: float = 1.0, class_weight: Sequence[float] = [], worth: Sequence[float] = []) -> None:
        """
        Costs of a wrong label and of the squared (or absolute) distance from the target.
        """

class Limits:
    """
    Which columns a small tree may test, how often, and how deep it may be.
    """

    def __init__(self, min_leaf: float = 0.0, max_depth: int = 0, max_columns: int = 0, banned: Sequence[int] = [], preferred: Sequence[int] = [], group: Sequence[int] = []) -> None:
        """Zeros and empty lists set no limit."""

class DistillationRows:
    """Binned rows with the ensemble's answers."""

    def __init__(self, bins: Bins, n_classes: int, objective: Objective = ..., limits: Limits = ...) -> None:
        """
        An empty set of rows; without classes the ensemble answers with numbers.
        """

    def add(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], observed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], charges: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Add rows, except those of weight 0. The observed label of an artificial row is -1. Leaves average the answers; distances are charged from the targets, by default the answers.
        """

    def set_min_leaf(self, min_leaf: float) -> None:
        """Change the minimum weight of the training rows in a leaf."""

class SmallTree:
    """A mutable tree over binned rows."""

    @overload
    def __init__(self) -> None:
        """A single leaf."""

    @overload
    def __init__(self, other: SmallTree) -> None:
        """A copy."""

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""

    @property
    def n_tests(self) -> int:
        """Number of tests."""

    def nodes(self) -> list[tuple[int, list[int], int, int, int, list[float]]]:
        """
        Per node: feature (-1 at leaves), codes that take branch 0, both branches, label, value.
        """

    def loss(self, rows: DistillationRows) -> float:
        """Sum of the losses of all rows."""

    def grow(self, rows: DistillationRows, n_leaves: int, mixed: bool = False, min_weight: float = 1.0, n_threads: int = 1) -> None:
        """Split best-first."""

    def alternate_once(self, rows: DistillationRows, n_threads: int = 1) -> tuple[float, bool]:
        """
        Optimize every test in turn; return the loss and whether anything changed.
        """

    def prune_to(self, rows: DistillationRows, n_leaves: int) -> None:
        """Collapse and raise nodes at the smallest loss."""

    def tree(self, rows: DistillationRows) -> Tree:
        """The tree as a model."""

    def shrink_to(self, rows: DistillationRows, n_tests: int) -> None:
        """Replace tests by other nodes at the smallest loss."""

    def graph(self, rows: DistillationRows) -> Graph:
        """The graph as a model, if nodes have several parents."""

    def probabilities(self, rows: DistillationRows) -> list[float]:
        """Per node, one after the other: the ensemble's mean probabilities."""

def distill_tree(rows: DistillationRows, n_leaves: int, refine: bool = True, search_rounds: int = 0, n_threads: int = 1) -> SmallTree:
    """The best tree found with at most so many leaves."""

def distill_graph(rows: DistillationRows, n_tests: int, refine: bool = True, search_rounds: int = 0, n_threads: int = 1) -> SmallTree:
    """The best graph found with at most so many tests."""

class LeafLines:
    """Lines in the leaves of a tree of numbers."""

    def __init__(self, tree: Tree, term_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], center: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Check and build; ValueError names the node at fault."""

    @staticmethod
    def fit(tree: Tree, rows: Columns, answers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_columns: int = 2) -> LeafLines:
        """Fit a line to the rows of every leaf where that pays."""

    @property
    def term_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per node, and one more: first term."""

    @property
    def feature(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per term: the feature, numeric."""

    @property
    def slope(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per term: what one unit of the feature adds."""

    @property
    def center(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per term: where it adds nothing, as if missing."""

    @property
    def low(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: the smallest answer."""

    @property
    def high(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: the largest answer."""

    def outputs(self, rows: Columns, n_threads: int) -> NDArray[numpy.float64]:
        """Answer for every row, mixed where a tested value is missing."""

class IsmOptions:
    """How ISM grows its tree; see ISMClassifier."""

    def __init__(self, *, variant: str, mixture_gain: bool, gain_ratio: bool, split_without_gain: bool = True, literal_matching: bool, pooled_probability: bool, stop_on_rows: bool, m: float, min_deviation: float = 0.0, max_leaves: int, join_siblings: bool = False, max_nodes: int, max_depth: int, max_seconds: float, min_leaf: float = 0.0, banned: Sequence[int] = []) -> None: ...

class IsmGrowth:
    """The tree that ISM grew."""

    def __init__(self, tree: Tree, step: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rest: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], complete: bool) -> None:
        """Rebuild a growth from its parts."""

    @property
    def tree(self) -> Tree:
        """The tree."""

    @property
    def complete(self) -> bool:
        """Whether growth hit no limit of nodes or time."""

    @property
    def step(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """
        Per node: in which step it was split, the most useful first; -1 at leaves.
        """

    @property
    def rest(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """
        Per node: 0 split, 1 proved, 2 rows agree, 3 no test left, 4 limit, 5 one label below.
        """

    @property
    def source(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per node: which one it is of the tree that this one was cut from."""

    def truncated(self, max_leaves: int, join_siblings: bool) -> IsmGrowth:
        """The tree of the most useful splits, with at most so many leaves."""

    def joined(self) -> IsmGrowth:
        """With one leaf for every subtree whose leaves have the same label."""

    def pruned(self, options: C45Options) -> IsmGrowth:
        """
        Without splits that do not lower the expected errors, estimated as in C4.5 with its options.
        """

    def pruned_numbers(self) -> IsmGrowth:
        """
        Without splits that do not lower the expected distance of numbers, estimated as in M5.
        """

class IsmEnsemble:
    """An ensemble whose tests are numbered for ISM."""

    def __init__(self, ensemble: Ensemble, link: str, divide_by: Sequence[float], label_above: float, max_thresholds: int, formula: Formula | None = None, ties: str = 'scores') -> None:
        """
        Number the tests: all (max_thresholds 0), or so many per numeric feature.
        """

    @property
    def n_tests(self) -> int:
        """Number of tests."""

    @property
    def test_feature(self) -> list[int]:
        """Feature per test."""

    @property
    def test_kind(self) -> list[int]:
        """Kind per test: 1 threshold, 2 subset, 3 multiway."""

    def test_categories(self, test: int) -> list[int]:
        """Categories of a subset test that take branch 0."""

    @property
    def test_threshold(self) -> list[float]:
        """
        Threshold per test; infinite at the sentinel behind each numeric feature.
        """

    def grow(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: IsmOptions) -> IsmGrowth:
        """Grow one tree from the ensemble's predictions for the rows."""

    def gains(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], options: IsmOptions, path: Sequence[tuple[int, int]]) -> list[float]:
        """
        Gain of every test after a path of (test, branch) pairs; NaN if it is not considered.
        """

    def expected(self, path: Sequence[tuple[int, int]], literal_matching: bool = False) -> list[float]:
        """
        Class distribution that the ensemble expects behind a path of (test, branch) pairs.
        """

def merge_to_tree(ensemble: Ensemble, rule: LabelRule, n_classes: int, may_be_missing: Sequence[bool], max_nodes: int, max_seconds: float, rows: Columns | None, tolerance: float = 0.0, smallest: bool = False, weigh_rows: bool = False, max_states: int = 4194304) -> tuple[Tree, NDArray[numpy.bool_], bool, int, float, float]:
    """
    The tree or graph with the ensemble's labels (numbers if it has no classes), which nodes are proved, whether all is, the boxes it took and, from a search for the smallest, its cost and the least that any costs.
    """

def merge_to_graph(ensemble: Ensemble, rule: LabelRule, n_classes: int, may_be_missing: Sequence[bool], max_nodes: int, max_seconds: float, rows: Columns | None, tolerance: float = 0.0, smallest: bool = False, weigh_rows: bool = False, max_states: int = 4194304) -> tuple[Graph, NDArray[numpy.bool_], bool, int, float, float]:
    """
    The tree or graph with the ensemble's labels (numbers if it has no classes), which nodes are proved, whether all is, the boxes it took and, from a search for the smallest, its cost and the least that any costs.
    """

class Certified:
    """Whether two models give the same labels, leaf by leaf."""

    @property
    def status(self) -> dict[int, int]:
        """
        By leaf of the first model (-1: rows spread over several): 0 proved, 1 refuted, 2 open.
        """

    @property
    def witness(self) -> dict[int, list[float]]:
        """By refuted leaf: a row on which the labels differ."""

    @property
    def complete(self) -> bool:
        """Whether everything is proved or refuted."""

    @property
    def n_boxes(self) -> int:
        """Number of boxes examined."""

def certify(first: BoxedModel, second: BoxedModel, box: Box, first_label: Sequence[int], second_label: Sequence[int], max_boxes: int, max_seconds: float, stop_at_first: bool, one_part_per_leaf: bool, refuted: Sequence[int]) -> Certified:
    """
    Whether two models give every row of a box the same label, leaf by leaf of the first.
    """

class LargestDifference:
    """How far the numbers of two models are apart, leaf by leaf."""

    @property
    def bounds(self) -> dict[int, tuple[float, float]]:
        """
        By leaf of the first model (-1: rows spread over several): what a row differs by, and what none exceeds.
        """

    @property
    def witness(self) -> dict[int, list[float]]:
        """By leaf: the row that differs most of those that the search found."""

    @property
    def elsewhere(self) -> float:
        """What no row of the other leaves exceeds."""

    @property
    def n_boxes(self) -> int:
        """Number of boxes examined."""

def largest_difference(first: BoxedModel, second: BoxedModel, box: Box, max_boxes: int, max_seconds: float, tolerance: float, every_leaf: bool, one_part_per_leaf: bool, seen: Mapping[int, float]) -> LargestDifference:
    """
    Bounds of the difference between the numbers of two models over the rows of a box; a negative tolerance is none.
    """

class Demand:
    """
    What a model must answer: one of some labels, or a number within a range.
    """

    @staticmethod
    def of_labels(model: BoxedModel, labels: Sequence[int]) -> Demand:
        """One of these labels."""

    @staticmethod
    def of_numbers(model: BoxedModel, low: float, high: float) -> Demand:
        """A number from low to high, both included."""

class ColumnChange:
    """What a counterfactual may do to one column."""

    def __init__(self, own: float, anchor: float, scale: float, unit: float, low: float, high: float, values: Sequence[int], n_values: int, may_become_missing: bool, is_fixed: bool) -> None:
        """
        Own value, and what new values may be: numbers from low to high, or categories, the preferred one first.
        """

class Counterfactual:
    """A row that meets the demands."""

    @property
    def row(self) -> list[float]:
        """Numbers, codes of categories, NaN where missing."""

    @property
    def cost(self) -> float:
        """What its changes cost together."""

    @property
    def bound(self) -> tuple[int, float]:
        """Changed columns, then cost, that no row undercuts."""

    @property
    def is_nearest(self) -> bool:
        """Whether no row is nearer."""

class Counterfactuals:
    """The nearest rows that meet the demands."""

    @property
    def rows(self) -> list[Counterfactual]:
        """The nearest first."""

    @property
    def complete(self) -> bool:
        """Whether there is no further row with other changed columns."""

    @property
    def bound(self) -> tuple[int, float]:
        """Changed columns, then cost, that no further row undercuts."""

    @property
    def n_boxes(self) -> int:
        """Number of boxes examined."""

def counterfactuals(demands: Sequence[Demand], columns: Sequence[ColumnChange], max_rows: int, max_changes: int, fewest_columns_first: bool, plausible: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', writable=False)], width: Sequence[float], max_boxes: int, max_seconds: float) -> Counterfactuals:
    """
    The nearest rows that meet all demands, with different changed columns.
    """

class RuleSet:
    """
    Rules as arrays: shared conditions, and per rule its conditions, class and weight.
    """

    def __init__(self, n_values: Sequence[int], n_classes: int, n_trees: int, feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], accepts_missing: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], condition_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], condition: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Check and build; ValueError names the condition or the rule at fault."""

    @property
    def n_rules(self) -> int:
        """Number of rules."""

    @property
    def n_conditions(self) -> int:
        """Number of different conditions."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""

    @property
    def n_trees(self) -> int:
        """Trees that the rules come from."""

    def selected(self, rules: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RuleSet:
        """Some of the rules, in this order."""

    def reweighted(self, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> RuleSet:
        """The same rules with other weights."""

    def count_votes(self, rows: Columns, levels: Sequence[float], out_of_bag: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, n_threads: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Full votes (rows, classes) and partial ones (levels, rows, classes). With `out_of_bag` (trees, rows), a rule votes only on rows that one of its source trees was not trained on.
        """

    def holds(self, rows: Columns) -> NDArray[numpy.uint8]:
        """Whether each condition holds for each row: (rows, conditions)."""

    def vote(self, rows: Columns, pc: float, factor: float, fallback: float, base: Sequence[float], prior: Sequence[float], n_threads: int) -> NDArray[numpy.float64]:
        """Votes of every row for every class."""

    @staticmethod
    def winners(votes: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], prior: Sequence[float]) -> NDArray[numpy.int64]:
        """
        The class with most votes per row; ties go to the larger prior, then the first.
        """

    def simplified(self, pc: float, factor: float, fallback: float, base: Sequence[float], prior: Sequence[float]) -> RuleSet:
        """Fewer rules and conditions that give every row the same class."""

    @property
    def feature(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per condition: the feature it tests."""

    @property
    def low(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per condition: numbers must be above this."""

    @property
    def high(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per condition: numbers must be at most this."""

    @property
    def accepts_missing(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Per condition: 1 if a missing value satisfies it."""

    @property
    def category_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per condition, and one more: first category."""

    @property
    def category(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Categories that satisfy conditions on nominal features."""

    @property
    def condition_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per rule, and one more: first condition."""

    @property
    def condition(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The conditions of the rules."""

    @property
    def label(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per rule: the class it votes for."""

    @property
    def weight(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per rule: the weight of a full match; negative votes against."""

    @property
    def source_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """Per rule, and one more: first source tree."""

    @property
    def source(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """The trees that the rules were found in."""

VOTE_TIE: float = 1e-09

NO_VOTE: float = 1e-12

SHARE_ROUNDING: float = 1e-09

def conditions_needed(pc: float, length: int) -> int:
    """
    Satisfied conditions that a rule of this length needs for a share of at least pc.
    """

class RuleCandidates:
    """The rules of an ensemble's nodes, from which a few are selected."""

    def __init__(self, ensemble: Ensemble, rows: Columns, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_classes: int, raw: bool, min_weight: float, max_entries: int) -> None:
        """
        One rule per node whose rows weigh at least min_weight; rules with the same rows are one. OverflowError if the lists of their rows would be longer than max_entries.
        """

    @property
    def rules(self) -> RuleSet:
        """The rules, without a class."""

    def select(self, rows: Columns, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, base: Sequence[float], least: float, max_rules: int, shorten: bool, penalty: float, similar: float) -> RuleSet:
        """
        The rules whose votes come closest to the probabilities, best first, with their classes and weights. The rows must be those of the constructor.
        """

def vote_weights(rules: RuleSet, rows: Columns, probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, base: Sequence[float], least: float, penalty: float) -> list[float]:
    """
    The weights of rules with which their votes come closest to the probabilities.
    """

def rules_of_ensemble(ensemble: Ensemble, n_classes: int, adds_scores: bool, raw: bool, max_conditions: int) -> RuleSet:
    """
    One rule per leaf; equal rules are merged and their weights added. OverflowError if there are too many conditions.
    """

def cover_counts(rules: RuleSet, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out_of_bag: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> NDArray[numpy.float64]:
    """
    Weight of the rows of each class that satisfy each rule: (rules, classes).
    """

def number_rules_of_ensemble(ensemble: Ensemble, raw: bool, max_conditions: int) -> tuple[RuleSet, list[float]]:
    """
    One rule per leaf of a regression, weighted by its trees, and the number of each. Equal rules are merged.
    """

def cover_numbers(rules: RuleSet, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Columns, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, out_of_bag: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None) -> NDArray[numpy.float64]:
    """
    Per rule, of the rows that satisfy it: weight, sum of numbers, of squares, and of distances from the rule's value.
    """

def greedy_means(rules: RuleSet, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Columns, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, max_rules: int) -> list[int]:
    """
    Indices of the rules whose weighted means are closest to the numbers, best first.
    """

def with_shortened_numbers(rules: RuleSet, rows: Columns, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> RuleSet:
    """
    The rules, and each without the conditions that do not make its numbers closer; equal rules are merged.
    """

def grid_errors(full: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], partial: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], levels: Sequence[int], factors: Sequence[float], fallback: int | None, base: Sequence[float], prior: Sequence[float], labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, n_threads: int) -> NDArray[numpy.float64]:
    """
    Weight of the misclassified rows per level and factor; rows of label -1 are skipped.
    """

class SetGenBreeder:
    """Makes genomes: lists of features, which may repeat, and blanks (-1)."""

    def __init__(self, n_features: int, genome_size: int, seed: int, crossover_rate: float, mutation_rate: float, blank_rate: float, operators: Sequence[float], one_point: bool = False, bits: bool = False) -> None:
        """operators: relative frequency of crossover, mutation and deletion."""

    def fill(self, first: int, n: int) -> NDArray[numpy.int32]:
        """Random genomes with the numbers first, first + 1, …."""

    def breed(self, first: int, n: int, genomes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], likelihood: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
        """
        Children with the numbers first, first + 1, … of genomes drawn in proportion to their likelihood.
        """

class SetGenForecast:
    """
    A Gaussian process over feature sets. Two sets are as similar as the share of features they have in common.
    """

    def __init__(self, n_features: int, noise: float) -> None:
        """
        noise: variance that similarity does not explain, relative to the variance it explains.
        """

    def learn(self, sets: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], fitness: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add sets, one per row of the matrix, and their fitness."""

    def forecast(self, sets: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """The expected fitness of each set; 0 before anything is learned."""

class SetGenCrossValidation:
    """
    Cross-validation of C4.5 trees on feature sets, always with the same folds.
    """

    def __init__(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, fold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_folds: int, options: C45Options, accuracy_weight: float, size_weight: float, ratio_of_means: bool, cache_bytes: int) -> None:
        """
        Sort every numeric column once. fold is the fold of each row, cache_bytes the memory for cached trees.
        """

    def evaluate(self, sets: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], confidence: float, abandon_below: float | None = None, rivals: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, stop: StopFlag | None = None) -> NDArray[numpy.float64]:
        """
        Folds done, accuracy, nodes, leaves and fitness of each set, one per row. A set is abandoned if it can neither reach abandon_below nor escape a rival (accuracy, nodes, features); its numbers are then bounds.
        """

    def evaluate_confidences(self, confidences: Sequence[float]) -> NDArray[numpy.float64]:
        """
        The same numbers for the set of all features, pruned with several confidences. The trees are grown once.
        """

class StumpPool:
    """All stumps of a table, and the search for a good ensemble of them."""

    def __init__(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, max_depth: int = 2, min_leaf: int = 2, binary_nominal: bool = False, orders: Orders | None = None) -> None:
        """Create an empty pool."""

    def generate(self, weights: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_threads: int = 1) -> None:
        """Add every new stump. The weights say how often each row counts."""

    def __len__(self) -> int: ...

    @property
    def right(self) -> NDArray[numpy.int64]:
        """Number of rows that each stump votes for correctly."""

    def votes(self, stumps: Sequence[int]) -> NDArray[numpy.int32]:
        """The class index that each stump votes for, by training row."""

    def grown(self, members: Sequence[int], candidates: Sequence[int], min_size: int, max_size: int, passes: int, replace_on_tie: bool) -> list[int]:
        """
        The ensemble after trying the candidates; a max_size of 0 means no limit.
        """

    def pruned(self, members: Sequence[int]) -> list[int]:
        """The ensemble without the stumps that make it worse."""

    def loss(self, members: Sequence[int]) -> tuple[int, int]:
        """
        The loss of an ensemble: the numerator, and the square root of the denominator.
        """

    def tree(self, stump: int) -> Tree:
        """
        A stump with the class counts of the training rows. Each leaf has probability 1 for its vote.
        """

    def constant(self) -> Tree:
        """A single leaf that votes for the most frequent class."""

class VotingTrees:
    """Trees whose leaves give whole points to one class each."""

    def __init__(self, ensemble: Ensemble, points: Sequence[int], by_priority: Sequence[int]) -> None:
        """Points per tree, and the classes in the order in which they win ties."""

    @property
    def stacked_size(self) -> float:
        """Nodes of the tree before any step."""

    def stacked(self, step: int, missing: bool, max_nodes: int) -> Tree | None:
        """
        The tree after a step (0 stacked, 1 rounded, 2 possible, 3 equal), or None beyond the budget.
        """

    def graph(self, missing: bool, search: bool, max_nodes: int, max_states: int, search_states: int) -> tuple[Graph, list[int], int] | None:
        """
        The graph, the order of its features and the number of orders tried, or None beyond the budget.
        """

def bytes_filled_by(size: int, fill: Callable) -> bytes:
    """
    Return the bytes that `fill` writes to a buffer of this size, as `readinto` of a file does: it returns their number.
    """

class NestedNodes:
    """Nested nodes as columns, tree after tree; the root comes first."""

    @property
    def tree_begin(self) -> Annotated[NDArray[numpy.int64], dict(writable=False)]:
        """The first node of each tree, and the number of nodes."""

    @property
    def left(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per node: the left child, counted from the root; -1: none."""

    @property
    def right(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per node: the right child, counted from the root; -1: none."""

    def numbers(self, field: int) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """A column of numbers; NaN if a node has none."""

    def strings(self, field: int) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """
        A column of strings, as indices into `distinct`; -1 if a node has none.
        """

    @property
    def distinct(self) -> list[str]:
        """The distinct strings."""

    @property
    def vector(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Per node: the numbers of the vector field."""

class JsonValue:
    """A value in a parsed document."""

    def value(self, kept: str = '') -> Any:
        """
        As Python objects; arrays of numbers as numpy arrays, unread objects and arrays under the key `kept` as JsonValue.
        """

    def __len__(self) -> int:
        """The entries of an array."""

    def members(self, key: str) -> list[Any] | None:
        """A member of every object of an array; None if one has no such member."""

    def integers(self, key: str, first: int, lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64] | None:
        """
        The arrays of whole numbers that objects of an array, from the first on, have under a key, one after the other. None unless all have one, of these lengths.
        """

    def singles(self, key: str, first: int, lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32] | None:
        """
        The same for numbers, in single precision: those beyond it become infinite.
        """

    def flags(self, key: str, first: int, lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.bool_] | None:
        """The same for numbers that are 0 or 1."""

    def parsed_wholes(self, inner: str, key: str) -> NDArray[numpy.int64] | None:
        """
        The whole numbers, perhaps stored as strings of digits, under a key of the object that every object of an array has under `inner`. None unless all have one.
        """

    def keys(self) -> list[str]:
        """The keys of an object; empty for any other value."""

def flattened(trees: Sequence[JsonValue], left: str, right: str, numbers: Sequence[str], strings: Sequence[str], ignored: Sequence[str] = [], vector: str = '', width: int = 1) -> NestedNodes:
    """
    Read the nested nodes of unread trees. ValueError names the node or the byte at fault, and the tree if they are several.
    """

def parse_json(text: bytes, unread: Sequence[str] = [], with_nan: Sequence[str] = []) -> JsonValue:
    """
    Parse strict JSON (UTF-8); ValueError names the byte at fault. Objects at the given paths (dotted keys) stay unread, for `flattened`. Arrays of numbers under the keys `with_nan` may contain NaN and minus infinity.
    """

def parse_ubjson(text: bytes, with_nan: Sequence[str] = []) -> JsonValue:
    """
    Parse UBJSON; ValueError names the byte at fault. Arrays of numbers under the keys `with_nan` may contain NaN and minus infinity.
    """

def read_numbers(text: bytes) -> NDArray[numpy.float64]:
    """Read numbers separated by single spaces."""

def read_integers(text: bytes) -> NDArray[numpy.int64]:
    """Read integers separated by single spaces."""

class XmlElements:
    """The elements of an XML document, in the order of their start tags."""

    def __init__(self, content: bytes) -> None:
        """Read UTF-8; ValueError names the byte."""

    def string(self, index: int) -> str:
        """A name, value or text; UnicodeDecodeError unless it is UTF-8."""

    def find(self, string: str) -> int:
        """The index of a string, -1 if it does not occur."""

    def number(self, string: int) -> float:
        """The number that a string spells, NaN if none."""

    def numbers(self) -> NDArray[numpy.float64]:
        """Per string: the number that it spells, NaN if none."""

    def singles(self) -> NDArray[numpy.float64]:
        """The same in single precision, rounded only once."""

    def attributes(self, element: int) -> dict:
        """The attributes of an element."""

    def attribute(self, element: int, key: int) -> int:
        """The string of an attribute of an element, -1 if it is absent."""

    def column(self, key: int) -> NDArray[numpy.int32]:
        """Per element: the string of an attribute, -1 if it is absent."""

    @property
    def name(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per element: its name, without a prefix."""

    @property
    def parent(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per element: the element around it, -1 for the root."""

    @property
    def end(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per element: one behind its last descendant."""

    @property
    def text(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """Per element: the text directly inside, -1 if there is none."""

class SubspaceKNNSearch:
    """The feature subsets found by hill climbing."""

    @property
    def masks(self) -> Annotated[NDArray[numpy.uint8], dict(writable=False)]:
        """Whether each member uses each feature: (members, features)."""

    @property
    def shares(self) -> Annotated[NDArray[numpy.int32], dict(writable=False)]:
        """
        Leave-one-out class shares, flat: (rows, members, classes), in multiples of 2^-30.
        """

    @property
    def n_passes(self) -> int:
        """Number of passes over all members and features."""

    @property
    def is_settled(self) -> bool:
        """Whether the last pass changed nothing."""

class SubspaceKNNCases:
    """
    Labeled rows, scaled by the ranges of their columns, for nearest neighbors.
    """

    def __init__(self, rows: Columns, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> None: ...

    @property
    def ranges(self) -> list[float]:
        """Range of every column; 1 if it is constant or nominal."""

    def member_shares(self, rows: Columns | None, masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, n_threads: int) -> NDArray[numpy.int32]:
        """
        Class shares of every member for every row, in multiples of 2^-30: (rows, members, classes). Without rows, those of the cases; no case is its own neighbor.
        """

    def nearest_other(self, rows: Columns, codes: numpy.typing.NDArray, n_threads: int) -> tuple[numpy.typing.NDArray, numpy.typing.NDArray]:
        """
        The nearest case of a class other than the given one (-1: none), and its distance.
        """

    def distances(self, rows: Columns, lists: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> NDArray[numpy.float64]:
        """
        Distances between every row and its own list of cases (-1: none, infinitely far).
        """

    def search(self, masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], k: int, with_ambiguity: bool, threshold: float, max_passes: int, n_threads: int) -> SubspaceKNNSearch:
        """Improve masks by hill climbing on leave-one-out measures."""

class CaseViews:
    """Cases described by the predictions of an ensemble's members."""

    def __init__(self, views: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> None: ...

    def nearest(self, views: numpy.typing.NDArray, k: int, itself: numpy.typing.NDArray | None = None, codes: numpy.typing.NDArray | None = None, n_threads: int = 1) -> tuple[numpy.typing.NDArray, numpy.typing.NDArray]:
        """
        The k nearest cases of every row (-1 if there are fewer) and their squared distances, without the row itself, and only of the given class.
        """

    def select(self, k: int, n_columns: int, weighted: bool, n_threads: int) -> list[int]:
        """
        Drop the members without which the leave-one-out error is not larger; return the others, ascending.
        """
