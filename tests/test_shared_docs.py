"""Documentation that classes share is written once and shown in full."""

import importlib
import inspect
import re

import pytest

import sightline
from sightline.estimator import SightlineClassifier
from sightline.shared_docs import SHARED_DOCS, fill_slots

PACKAGES = [
    importlib.import_module(f"sightline{stage}")
    for stage in ("", ".model", ".learn", ".distill", ".judge", ".measure", ".inspection", ".show", ".passes")
]
CLASSES = {
    noun.__name__: noun
    for package in PACKAGES
    for noun in (getattr(package, name) for name in package.__all__)
    if inspect.isclass(noun)
}


@pytest.mark.parametrize("noun", CLASSES.values(), ids=CLASSES)
def test_no_slot_is_left_open(noun):
    documented = [noun, *(getattr(noun, name) for name in dir(noun) if name[0] != "_")]
    assert not [found for found in map(inspect.getdoc, documented) if found and "%(" in found]


def test_models_show_the_full_text():
    for model in (sightline.Tree, sightline.Graph, sightline.Ensemble, sightline.RuleSet, sightline.CaseBase):
        assert SHARED_DOCS["rows"] in inspect.getdoc(model.predict)
        assert SHARED_DOCS["n_jobs"] in inspect.getdoc(model.predict_proba)
    assert SHARED_DOCS["node_model"] in inspect.getdoc(sightline.Graph)


def test_methods_show_the_full_text():
    assert SHARED_DOCS["new_X"] in inspect.getdoc(sightline.C45Classifier.predict)
    assert SHARED_DOCS["new_X"] in inspect.getdoc(SightlineClassifier.predict_proba)


def test_slots_of_subclasses_are_filled_with_their_indent():
    class Learner(SightlineClassifier):
        """Learns nothing.

        Parameters
        ----------
        %(n_jobs)s
        """

        def fit(self, X, y):
            """Do nothing.

            Returns
            -------
            %(fitted_self)s
            """

    assert inspect.getdoc(Learner) == "Learns nothing.\n\nParameters\n----------\n" + SHARED_DOCS["n_jobs"]
    assert inspect.getdoc(Learner.fit).endswith("-------\n" + SHARED_DOCS["fitted_self"])


def test_a_slot_without_text_is_an_error():
    with pytest.raises(KeyError, match=r"^'no_such_text'$"):
        fill_slots("    %(no_such_text)s")


def test_percent_signs_elsewhere_stay():
    assert fill_slots("50% of %(n_jobs)s rows") == "50% of %(n_jobs)s rows"


def test_sections_hold_their_entries():
    sections = fill_slots("    %(weighted_fit_sections)s").split("\n\n")
    headings = [section.splitlines()[:2] for section in sections]
    assert headings == [["    Parameters", "    ----------"], ["    Returns", "    -------"]]
    for name, section in (("X", 0), ("y", 0), ("sample_weight", 0), ("fitted_self", 1)):
        assert fill_slots(f"    %({name})s") in sections[section]


@pytest.mark.parametrize("text", SHARED_DOCS.values(), ids=SHARED_DOCS)
def test_texts_are_entries_of_numpydoc(text):
    assert re.match(r"\w+ : \S", text)
    assert all(line.startswith("    ") or re.match(r"\w+ : ", line) for line in text.splitlines())
    assert all(len(line) <= 100 for line in text.splitlines())
