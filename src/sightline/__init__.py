"""Sightline replaces tree ensembles with readable models, measures their fidelity, and shows them."""

from sightline._lazy import load_lazily

TYPE_CHECKING = False
if TYPE_CHECKING:  # The lazy names, for type checkers.
    from sightline.distill import CMMClassifier as CMMClassifier
    from sightline.distill import DistilledGraphClassifier as DistilledGraphClassifier
    from sightline.distill import DistilledTreeClassifier as DistilledTreeClassifier
    from sightline.distill import DistilledTreeRegressor as DistilledTreeRegressor
    from sightline.distill import ISMClassifier as ISMClassifier
    from sightline.distill import ISMRegressor as ISMRegressor
    from sightline.distill import MetaKNNClassifier as MetaKNNClassifier
    from sightline.distill import MetaKNNRegressor as MetaKNNRegressor
    from sightline.distill import RuleSetClassifier as RuleSetClassifier
    from sightline.distill import RuleSetRegressor as RuleSetRegressor
    from sightline.distill import merge as merge
    from sightline.exceptions import BudgetExceeded as BudgetExceeded
    from sightline.exceptions import DataError as DataError
    from sightline.exceptions import DataWarning as DataWarning
    from sightline.exceptions import ModelFormatError as ModelFormatError
    from sightline.exceptions import ParameterError as ParameterError
    from sightline.exceptions import SightlineError as SightlineError
    from sightline.exceptions import UnsupportedModelError as UnsupportedModelError
    from sightline.export import Rounding as Rounding
    from sightline.export import round_thresholds as round_thresholds
    from sightline.judge import Certificate as Certificate
    from sightline.judge import Counterfactual as Counterfactual
    from sightline.judge import Counterfactuals as Counterfactuals
    from sightline.judge import certify as certify
    from sightline.judge import compare as compare
    from sightline.judge import counterfactuals as counterfactuals
    from sightline.learn import BaggedTreesClassifier as BaggedTreesClassifier
    from sightline.learn import BoostedTreesClassifier as BoostedTreesClassifier
    from sightline.learn import C45Classifier as C45Classifier
    from sightline.learn import GeneticSearch as GeneticSearch
    from sightline.learn import SetGenClassifier as SetGenClassifier
    from sightline.learn import StumpEnsembleClassifier as StumpEnsembleClassifier
    from sightline.learn import SubspaceKNNClassifier as SubspaceKNNClassifier
    from sightline.load import load as load
    from sightline.measure import measure as measure
    from sightline.model import BlackBox as BlackBox
    from sightline.model import CaseBase as CaseBase
    from sightline.model import Ensemble as Ensemble
    from sightline.model import Graph as Graph
    from sightline.model import RuleSet as RuleSet
    from sightline.model import Tree as Tree
    from sightline.model import read_model as read_model
    from sightline.report import Report as Report
    from sightline.report import report as report
    from sightline.table import Labels as Labels
    from sightline.table import Rows as Rows
    from sightline.table import Table as Table
    from sightline.table import make_loans as make_loans
    from sightline.table import read_table as read_table

    __version__: str

_names = load_lazily(
    __name__,
    table="Labels Rows Table make_loans read_table",
    model="BlackBox CaseBase Ensemble Graph RuleSet Tree read_model",
    learn="BaggedTreesClassifier BoostedTreesClassifier C45Classifier GeneticSearch "
    "SetGenClassifier StumpEnsembleClassifier SubspaceKNNClassifier",
    load="load",
    distill="CMMClassifier DistilledGraphClassifier DistilledTreeClassifier DistilledTreeRegressor "
    "ISMClassifier ISMRegressor MetaKNNClassifier MetaKNNRegressor RuleSetClassifier RuleSetRegressor merge",
    measure="measure",
    inspection="",
    judge="Certificate Counterfactual Counterfactuals certify compare counterfactuals",
    show="",
    export="Rounding round_thresholds",
    report="Report report",
    exceptions="BudgetExceeded DataError DataWarning "
    "ModelFormatError ParameterError SightlineError UnsupportedModelError",
    estimator="",
    files="",
)
__all__ = list(_names)
