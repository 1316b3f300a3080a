"""What a report measures and prints, without a browser."""

import hashlib
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from show.hand_trees import leaf, number, plant, threshold

import sightline as sl
from sightline.report import _page
from sightline.report._effects import _Axis
from sightline.report._page import island
from sightline.report._words import NUMBER_SENTENCES, SENTENCES, UNITS
from sightline.table import Feature, Table

X = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 1.0], [4.0, 1.0]] * 5)
Y = np.array(["no", "no", "yes", "yes"] * 5)


def stump(at=2.5):
    return plant(threshold(0, at, leaf(9, 1), leaf(2, 8)), [Feature("x0"), Feature("x1")], ["no", "yes"])


def summary_of(report):
    return json.loads(re.search(r'id="data">(.*?)</script>', report.to_html(), re.DOTALL)[1])


def test_equal_models_are_proved_equal():
    report = sl.report(stump(), X, Y, ensemble=stump())
    assert report.to_text().splitlines() == [
        "This tree of 2 leaves gives the same label as the other tree on 100.0% of 20 rows "
        "(always no: 50.0%).",
        "Proved: it gives the same label to every possible row without missing values.",
        "Accuracy: the other tree 100.0%, this tree 100.0%, always no 50.0%.",
        "AUC: the other tree 1.000, this tree 1.000, always no 0.500.",
    ]
    assert report.metrics["proof"] == {
        "equivalent": True,
        "leaves": {"proved": 2, "refuted": 0, "open": 0},
        "share_of_rows": 1.0,
        "missing": [],
    }


def test_leaves_are_proved_one_by_one():
    report = sl.report(stump(2.5), X, Y, ensemble=stump(3.5), rows="sample")
    assert report.to_text().splitlines() == [
        "This tree of 2 leaves gives the same label as the other tree on 75.0% of 20 rows "
        "(95% interval 53.1% to 88.8%; always no: 75.0%).",
        "Proved in 1 leaf (50% of the rows): it gives the same label to every possible row there "
        "without missing values.",
        "Accuracy: the other tree 75.0%, this tree 100.0%, always no 50.0%.",
        "AUC: the other tree 0.750, this tree 1.000, always no 0.500.",
        "Compared with the other tree: accuracy 25.0 points higher (95% interval 1.2 to 44.3 points "
        "higher); AUC 0.250 higher (95% interval 0.087 to 0.413 higher).",
    ]
    summary = summary_of(report)
    model = summary["models"][0]
    assert model["proof"] == [None, "proved", "refuted"]
    assert model["seen"] == [20, 10, 10]
    assert model["agreed"] == [15, 10, 5]
    groups = next(part for part in summary["parts"] if part["kind"] == "disagreement")["groups"]
    assert [(group["leaf"], len(group["rows"])) for group in groups] == [(2, 5)]


def test_without_an_ensemble_or_labels_less_is_reported():
    assert sl.report(stump(), X, Y).to_text().splitlines() == [
        "Accuracy on 20 rows: this tree of 2 leaves 100.0%, always no 50.0%.",
        "AUC on 20 rows: this tree of 2 leaves 1.000, always no 0.500.",
    ]
    report = sl.report(stump(), X)
    assert report.metrics["accuracy"] is report.metrics["fidelity"] is report.metrics["proof"] is None
    assert [part["kind"] for part in summary_of(report)["parts"]] == ["tree", "whatif", "leaves", "card"]


def test_estimators_bring_their_ensemble_and_sizes():
    tree = sl.DistilledTreeClassifier(max_leaves=3, random_state=0).fit(X, Y)
    report = sl.report(tree, X, Y, sizes=(2,), baseline=sl.C45Classifier().fit(X, Y))
    assert report.metrics["baseline_accuracy"]["share"] == 1.0
    assert report.metrics["curve"]["unit"] == "leaves"
    assert "an ordinary tree of 2 leaves 100.0%" in report.to_text()


def test_an_ordinary_tree_of_the_same_size_is_learned_where_the_training_rows_are_known():
    tree = sl.DistilledTreeClassifier(max_leaves=2, random_state=0).fit(X, Y)
    assert "an ordinary tree of 2 leaves" in sl.report(tree, X, Y, sizes=()).to_text()
    without_labels = sl.DistilledTreeClassifier(tree.ensemble_, max_leaves=2, random_state=0).fit(X)
    assert "ordinary tree" not in sl.report(without_labels, X, Y, sizes=()).to_text()


def test_every_model_predicts_once(monkeypatch):
    """Certificate, curve, disagreements, sample, page and metrics reuse the labels."""
    asked = []

    def counting(kind, name):
        predict = getattr(kind, name)

        def counted(self, rows, *options, **more):
            # Shuffled rows are other rows.
            if len(rows) == len(X) and np.array_equal(np.asarray(rows, dtype=float), X):
                asked.append(self)
            return predict(self, rows, *options, **more)

        monkeypatch.setattr(kind, name, counted)

    estimator = sl.DistilledTreeClassifier(max_leaves=3, random_state=0).fit(X, Y)
    counting(sl.Tree, "predict")
    counting(sl.Ensemble, "answers")
    report = sl.report(estimator, X, Y, sizes=(2, 3))
    report.to_html()
    assert report.metrics["rows"] == 20
    assert len(asked) == len({id(model) for model in asked})
    assert asked.count(estimator.ensemble_) == asked.count(estimator.tree_) == 1


def test_page_has_the_words_that_its_scripts_use():
    folder = Path(_page.__file__).parent / "page"
    scripts = "\n".join(path.read_text() for path in folder.glob("*.js"))
    used = set(re.findall(r'"(\w+)"', scripts)) | {
        f"{start}_{end}"
        for start, end in itertools.chain(
            itertools.product(["path", "root"], ["leaf", "test"]),
            itertools.product(["proved", "refuted", "open"], ["leaf", "below"]),
        )
    }
    known = SENTENCES.keys() | NUMBER_SENTENCES.keys()
    assert set(re.findall(r'\bsay\("(\w+)"', scripts)) <= known <= used
    assert set(re.findall(r'\bcount\([^()]*, "(\w+)"\)', scripts)) == UNITS.keys()


def test_only_tested_columns_are_on_the_page():
    wide = plant(threshold(7, 0.5, leaf(1, 0), leaf(0, 1)), [Feature(f"c{i}") for i in range(50)], [0, 1])
    report = sl.report(wide, np.random.default_rng(0).uniform(size=(300, 50)), rows="sample")
    summary = summary_of(report)
    assert [column["name"] for column in summary["columns"]] == ["c7"]
    assert summary["models"][0]["feature"] == [0, -1, -1]
    assert len(summary["rows"]["cells"]) == 200
    assert (
        summary["parts"][-1]["limits"][-1]
        == "This page carries 200 of the 300 rows. All of them were measured."
    )


def test_same_input_same_bytes(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    pages = {
        sl.report(sl.ISMClassifier(max_leaves=3, random_state=0).fit(X, Y), X, Y).to_html() for _ in range(2)
    }
    assert len(pages) == 1


def test_columns_with_extreme_and_missing_values():
    table = Table.from_any([[-1.7e308, None], [1.7e308, None], [0.0, None]], feature_names=["x0", "x1"])
    summary = summary_of(sl.report(stump(), table))
    assert summary["columns"][0]["bins"][0] == summary["columns"][0]["bins"][-1] == 1
    summary = summary_of(
        sl.report(stump(), [[1.7e308, 0.0], [1.5e308, 1.0], [-1.7e308, 1.0], [1.6e308, 0.0]])
    )
    assert summary["columns"][0]["middle"] == 1.55e308


def test_notes_join_the_card():
    card = summary_of(sl.report(stump(), X, Y, notes={"Data": {"Name": "toys"}, "More": {"a": "b"}}))[
        "parts"
    ][-1]
    assert card["sections"][0]["lines"][0] == ["Name", "toys"]
    assert card["sections"][-1] == {"heading": "More", "lines": [["a", "b"]]}


def test_card_has_an_audit_trail(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    tree = stump()
    card = summary_of(sl.report(tree, X, Y, notes={"Audit trail": {"Command": "make"}}))["parts"][-1]
    trail = dict(next(part["lines"] for part in card["sections"] if part["heading"] == "Audit trail"))
    assert trail["Command"] == "make"
    assert trail["Made on"] == "1970-01-02 00:00 UTC"
    assert trail["SHA-256 of model.json"] == hashlib.sha256(tree.to_json().encode()).hexdigest()
    assert re.fullmatch(r"[0-9a-f]{64}", trail["SHA-256 of the rows"])
    assert trail["Versions"].startswith(f"sightline {sl.__version__}, numpy {np.__version__}, ")


def test_progress_names_the_steps():
    steps = []
    sl.report(stump(), X, Y, ensemble=stump(), progress=steps.append)
    assert steps == ["predicting", "searching for proofs"]


def test_notebooks_show_sentences_and_model():
    report = sl.report(stump(), X, Y)
    assert report._repr_html_().startswith("<div><p>Accuracy on 20 rows: this tree of 2 leaves 100.0%, ")
    assert repr(report) == "Report(Tree(2 leaves, depth 1, 2 features), 20 rows)"


def test_data_cannot_leave_its_island():
    text = island({"</script>": "<!-- & \u2028 \ud800"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"</script>": "<!-- & \u2028 \ud800"}
    text.encode()


def test_page_allows_only_itself():
    page = sl.report(stump(), X).to_html()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (
            lambda: sl.report(stump(), X, Y[:3]),
            sl.DataError,
            "X has 20 rows, but y has 3 labels. Pass one label per row.",
        ),
        (
            lambda: sl.report(stump(), X, [0, 1] * 10),
            sl.DataError,
            "y has the labels 0 and 1, but the classes of the model are 'no' and 'yes': 20 of 20 rows have a "
            "label that the model does not know. If y is coded differently, rename its labels, for example "
            "with y.map({0: 'no', 1: 'yes'}), or name the ensemble's classes as in y: "
            "sl.load(ensemble, classes=[…]). Otherwise drop these rows.",
        ),
        (
            lambda: sl.report(sl.BaggedTreesClassifier(n_trees=3, random_state=0).fit(X, Y), X, Y),
            sl.UnsupportedModelError,
            "There is no report for an ensemble. Distill it first, for example with "
            "sl.DistilledTreeClassifier(ensemble).fit(X, y).",
        ),
        (
            lambda: sl.report(stump(), X, max_seconds=0),
            sl.ParameterError,
            "The 'max_seconds' parameter of report must be positive. Got 0 instead.",
        ),
        (
            lambda: sl.report(stump(), X, path="/nowhere/at/all.html"),
            sl.SightlineError,
            "/nowhere/at/all.html: cannot be written (No such file or directory).",
        ),
        (
            lambda: sl.report(stump(), X, path=1),
            sl.ParameterError,
            "A path must be a string or a pathlib.Path. Got 1 instead.",
        ),
        (
            lambda: sl.report(sl.DistilledTreeClassifier(random_state=0).fit(X, Y), X, Y, sizes=1),
            sl.ParameterError,
            "sizes must be a list of numbers: [1], not 1.",
        ),
    ],
)
def test_errors(make, error, text):
    with pytest.raises(error) as raised:
        make()
    assert str(raised.value) == text


def test_a_model_that_is_too_large_for_a_page_is_refused(monkeypatch):
    monkeypatch.setattr("sightline.report._kind.Kind.max_size", 1)
    text = (
        "A report shows at most 1 leaf, but this tree has 2. Use a smaller one, or write this one to a file "
        "with export or to_json."
    )
    with pytest.raises(sl.UnsupportedModelError, match=f"^{re.escape(text)}$"):
        sl.report(stump(), X, Y)


def test_a_page_carries_all_rules_only_if_they_are_few(monkeypatch):
    rules = sl.RuleSetClassifier(max_rules=2, random_state=0).fit(X, Y)
    n_all = rules.rule_pool_.every_rule.n_rules
    assert n_all in rules.summaries_by_size()
    monkeypatch.setattr("sightline.distill._rule_distiller.MAX_DEFAULT_RULES", n_all - 1)
    assert max(rules._default_sizes()) == 200


@pytest.mark.parametrize("ensemble", [None, stump(1e6)])
def test_nodes_that_no_row_reaches_say_so_instead_of_an_empty_chart(ensemble):
    far = threshold(1, 5, leaf(3, 1), leaf(1, 3))
    tree = plant(threshold(0, 100, leaf(9, 1), far), [Feature("x0"), Feature("x1")], ["no", "yes"])
    model = summary_of(sl.report(tree, X, Y, ensemble=ensemble))["models"][0]
    assert model["seen"] == [20, 20, 0, 0, 0]
    assert [box["chart"] is not None for box in model["boxes"]] == [True, False, False, False, False]
    says_so = [any("no row of this report" in text for text, _ in box["lines"]) for box in model["boxes"]]
    # Leaves of classes never have a chart. They say it where others say how often they agree.
    assert says_so == [False, False, True, *[ensemble is not None] * 2]


def marks_of(report):
    """Return the end of each leaf's box."""
    return [box["lines"][-1][0].rpartition("· ")[2] for box in summary_of(report)["models"][0]["boxes"][1:]]


@pytest.mark.parametrize(("n_rows", "mark"), [(2, "0 of 1 agree"), (36, "9 of 18 agree"), (40, "50% agree")])
def test_few_rows_behind_a_share_are_counted(n_rows, mark):
    rows = np.tile(X[[0, 2, 1, 3]], (10, 1))[:n_rows]
    assert marks_of(sl.report(stump(), rows, ensemble=stump(3.5))) == ["✓ proved", mark]


def test_few_rows_behind_a_mean_are_counted():
    columns = [Feature("x0"), Feature("x1")]
    one, other = (plant(threshold(0, at, number(1, 9), number(2, 3)), columns, None) for at in (3.5, 2.5))
    rows = np.concatenate([X, X[:3], X[:3]])
    assert marks_of(sl.report(one, rows, ensemble=other)) == ["off by 0.33", "equal in 5 rows"]


def test_leaves_of_numbers_that_no_row_reaches_say_so():
    tree = plant(threshold(0, 100, number(1, 9), number(2, 3)), [Feature("x0"), Feature("x1")], None)
    boxes = summary_of(sl.report(tree, X, np.arange(20.0), sizes=()))["models"][0]["boxes"]
    assert [box["chart"] is not None for box in boxes] == [True, True, False]
    says_so = [any("no row of this report" in text for text, _ in box["lines"]) for box in boxes]
    assert says_so == [False, False, True]


@pytest.mark.parametrize(
    ("values", "are_shares", "ticks", "ends"),
    [
        ([0.011, 0.0294], True, ["1%", "1.5%", "2%", "2.5%", "3%"], ["1.1%", "2.9%"]),
        ([0.13, 0.82], True, ["0%", "25%", "50%", "75%", "100%"], ["13%", "82%"]),
        ([0.99951, 0.9998], True, ["99.95%", "99.96%", "99.97%", "99.98%"], ["99.95%", "99.98%"]),
        ([0.01234567, 0.01234567], True, ["1.23%"], ["1.23%", "1.23%"]),
        ([20.112, 20.138], False, ["20.11", "20.12", "20.13", "20.14"], ["20.11", "20.14"]),
        ([120, 3990], False, ["0", "1,000", "2,000", "3,000", "4,000"], ["120", "3,990"]),
        ([5.125, 5.125], False, ["5.12"], ["5.12", "5.12"]),
    ],
)
def test_ticks_of_effects_differ(values, are_shares, ticks, ends):
    """Ticks at half percents read 1%, 2%, 2%, 2%, 3%."""
    axis = _Axis(values, are_shares)
    assert [axis.tick_text(tick) for tick in axis.ticks] == ticks
    assert [axis.text(value) for value in values] == ends


@pytest.mark.parametrize(
    ("n_rows", "at", "text"),
    [
        (20, 2.5, "They agree on all 20 rows."),
        (1, 2.5, "They agree on the only row."),
        (20, 3.5, "They differ on 5 rows."),
    ],
)
def test_the_link_says_on_how_many_rows_they_agree(n_rows, at, text):
    report = sl.report(stump(), X[:n_rows], Y[:n_rows], ensemble=stump(at), sizes=())
    assert summary_of(report)["difference_link"] == text
