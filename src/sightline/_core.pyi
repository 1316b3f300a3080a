"""
Kernels of sightline. Input is validated by the Python classes in front of them.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
import numpy.typing
from numpy.typing import NDArray


class StopFlag:
    """Tells the kernels that were given it to stop."""

    def __init__(self) -> None: ...

    def request(self) -> None:
        """Ask every kernel that holds the flag to stop."""

    @property
    def requested(self) -> bool:
        """Whether a stop was asked for."""

class Columns:
    """
    Typed columns borrowed from numpy: float64 numbers, or int32 codes of declared values.
    """

    def __init__(self, arrays: Sequence[Annotated[NDArray, dict(writable=False)]], n_values: Sequence[int], n_rows: int) -> None:
        """Borrow one-dimensional arrays; n_values is 0 for a numeric column."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def __len__(self) -> int: ...

class ParsedTable:
    """
    Typed columns of a text file, not yet told apart into features and target.
    """

    @property
    def name(self) -> str:
        """Name that the file gives itself, or ''."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def __len__(self) -> int: ...

    def column_name(self, index: int) -> str:
        """Name of a column."""

    def is_nominal(self, index: int) -> bool:
        """Whether a column holds codes rather than numbers."""

    def values(self, index: int) -> list[str]:
        """Values that the codes of a nominal column stand for."""

    def cells(self, index: int) -> numpy.typing.NDArray:
        """Numbers (NaN is missing) or codes (-1 is missing) of a column."""

    @property
    def weights(self) -> Annotated[NDArray[numpy.float64], dict(writable=False)]:
        """Weights of the rows; empty where the file gives none."""

def parse_delimited(text: bytes) -> ParsedTable:
    """Parse comma-separated text (UTF-8) with a header."""

def parse_arff(text: bytes) -> ParsedTable:
    """Parse the text (UTF-8) of an ARFF file."""

class Tree:
    """
    A decision tree as parallel node arrays, valid by construction, nodes depth first.
    """

    def __init__(self, n_values: Sequence[int], n_outputs: int, test: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], branch_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], share: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], category_begin: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], category: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], output: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Check and build. Nodes may come in any order, the root first; ValueError names the node at fault.
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
        """Number of features that the tree may test."""

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

class Ensemble:
    """Trees and how their outputs are added up."""

    def __init__(self, trees: Sequence[Tree], n_scores: int, votes: bool, tree_weight: Sequence[float], vote_against: Sequence[float], tree_score: Sequence[int], base: Sequence[float], single_precision: bool, tie_tolerance: float) -> None:
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
        """Per tree: what the classes get that it does not vote for."""

    @property
    def tree_score(self) -> list[int]:
        """Per tree: the score it adds to, -1 for all."""

    @property
    def base(self) -> list[float]:
        """Scores before the first tree."""

    @property
    def single_precision(self) -> bool:
        """Whether sums are rounded to float after each tree."""

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

    def decide(self, tree: Tree, node: int) -> int:
        """The branch that every row takes, or -1."""

    def narrow(self, tree: Tree, node: int, branch: int) -> None:
        """Keep the rows that take this branch."""

    def forbid_missing(self, feature: int) -> None:
        """Keep the rows whose value is known."""

    def witness(self) -> list[float]:
        """Some row of the box."""

class Orders:
    """
    Rows in ascending order of each numeric column, shared by several learners.
    """

    def __init__(self, rows: Columns) -> None:
        """Sort every numeric column once."""

class C45Growth:
    """A C4.5 tree before pruning; it can be pruned at several levels."""

    def __init__(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, bag: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, orders: Orders | None = None, binary_splits: bool = False, min_leaf: float = 2.0, mdl_correction: bool = True, collapse: bool = True, max_depth: int = -1, stop: StopFlag | None = None) -> None:
        """
        Grow, and collapse unless told otherwise. A bag lists rows, repeated ones as often as drawn; features are the columns that may be tested, ascending.
        """

    def tree(self, prune: bool, confidence: float, z: float, subtree_raising: bool, laplace: bool, max_leaves: int | None = None, stop: StopFlag | None = None) -> Tree:
        """The finished tree. z is the normal quantile of 1 - confidence."""

class SetGenBreeder:
    """Makes genomes: lists of features, repeated at will, and blanks (-1)."""

    def __init__(self, n_features: int, genome_size: int, seed: int, crossover_rate: float, mutation_rate: float, blank_rate: float, operators: Sequence[float]) -> None:
        """operators: how often crossover, mutation and deletion make a child."""

    def fill(self, first: int, n: int) -> NDArray[numpy.int32]:
        """Random genomes number first, first + 1, …."""

    def breed(self, first: int, n: int, genomes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], likelihood: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
        """
        Children number first, first + 1, … of genomes drawn in proportion to their likelihood.
        """

class SetGenCrossValidation:
    """
    Cross-validation of C4.5 trees over sets of features, always with the same folds.
    """

    def __init__(self, rows: Columns, labels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, fold: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_folds: int, binary_splits: bool, min_leaf: float, mdl_correction: bool, collapse: bool, max_depth: int, accuracy_weight: float, size_weight: float) -> None:
        """Sort every numeric column once. fold holds the fold of each row."""

    def evaluate(self, sets: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], prune: bool, confidence: float, z: float, subtree_raising: bool, max_leaves: int | None, abandon_below: float | None = None, rivals: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, stop: StopFlag | None = None) -> NDArray[numpy.float64]:
        """
        Folds done, accuracy, nodes, leaves and fitness of each set, a row of the matrix. A set that can neither reach abandon_below nor escape a rival (accuracy, nodes, features) is given up; its numbers are then bounds.
        """

    def evaluate_levels(self, prune: bool, levels: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], subtree_raising: bool, max_leaves: int | None, stop: StopFlag | None = None) -> NDArray[numpy.float64]:
        """
        The same numbers for all features at several levels of pruning (confidence, z), growing once.
        """
