"""CatBoost models with categories as people train them: CTRs, one-hot tests, and both."""

import json
import re

import catboost as cb
import numpy as np
import pandas as pd
import pytest
from cases import thorough_after
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from source_tests import neighbours

import sightline as sl
from sightline.exceptions import DataError, ModelFormatError, UnsupportedModelError
from sightline.load import load
from sightline.table import Table

SMALL = {"verbose": 0, "thread_count": 1, "allow_writing_files": False, "max_ctr_complexity": 1}
LARGEST = 3e38
POLICIES = ["SymmetricTree", "Lossguide", "Depthwise"]
TASKS = ["number", "two classes", "three classes"]
CTRS = [
    None,
    ["Borders:TargetBorderCount=3:Prior=0.1/1:CtrBorderCount=40", "Counter:Prior=3.7/1"],
    ["Buckets:TargetBorderCount=2:Prior=-1/1", "BinarizedTargetMeanValue:TargetBorderCount=4:Prior=0.5/1"],
]


class Loans:
    """A table with categories of several types, and targets that depend on them."""

    def __init__(self, seed, n_rows=220):
        rng = np.random.default_rng(seed)
        purposes = ["car", "house", "", "a name of some thirty letters..", "é", "boat", "x" * 70]
        self.frame = pd.DataFrame(
            {
                "purpose": rng.choice(purposes, n_rows),
                "age": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(size=n_rows)),
                "branch": rng.integers(-2, 40, n_rows),
                "owner": rng.random(n_rows) < 0.5,
                "rate": np.round(rng.normal(size=n_rows), 1),
            }
        )
        self.categorical = ["purpose", "branch", "owner"]
        effect = self.frame["branch"] % 5 + self.frame["purpose"].str.len() % 3 - 2 * self.frame["owner"]
        self.number = effect + self.frame["rate"] + rng.normal(size=n_rows)
        self.labels = np.where(self.number > self.number.median(), "yes", "no")
        self.rng = rng

    def fitted(self, task, **options):
        options = {"cat_features": self.categorical, **SMALL, **options}
        if task == "number":
            return cb.CatBoostRegressor(**options).fit(self.frame, self.number)
        if task == "two classes":
            return cb.CatBoostClassifier(**options).fit(self.frame, self.labels)
        labels = pd.qcut(self.number, 3, labels=["c", "a", "b"]).astype(str)
        return cb.CatBoostClassifier(**options).fit(self.frame, labels)

    def rows(self, ensemble):
        """Return rows with unseen categories, and with numbers on every threshold and beside it."""
        unseen = self.frame.assign(purpose="never seen", branch=self.rng.choice([1, 77], len(self.frame)))
        blocks = [self.frame, unseen]
        tests = {
            (int(feature), float(threshold))
            for tree in ensemble.core.trees
            for feature, threshold in zip(tree.feature, tree.threshold, strict=True)
            if feature >= 0 and ensemble.schema.n_values[feature] == 0 and abs(threshold) < LARGEST
        }
        for feature, threshold in sorted(tests):
            values = neighbours(threshold)
            block = self.frame.iloc[self.rng.integers(len(self.frame), size=len(values))].copy()
            block[self.frame.columns[feature]] = values
            blocks.append(block)
        return pd.concat(blocks)


def assert_same(ensemble, model, rows, ulps=0):
    expected = np.asarray(model.predict(rows, prediction_type="RawFormulaVal"))
    found = ensemble.scores(rows).reshape(expected.shape)
    np.testing.assert_allclose(found, expected, rtol=ulps * 1e-16, atol=ulps * 1e-16)
    if ensemble.classes_ is not None and not ulps:
        np.testing.assert_array_equal(ensemble.predict(rows), np.ravel(model.predict(rows)))
        np.testing.assert_allclose(
            ensemble.predict_proba(rows), model.predict_proba(rows), rtol=1e-15, atol=1e-15
        )


@pytest.fixture(scope="module")
def loans():
    return Loans(0)


@pytest.fixture(scope="module")
def model(loans):
    return loans.fitted("two classes", iterations=12, depth=3)


def exported(model, tmp_path):
    path = tmp_path / "model.json"
    model.save_model(str(path), format="json")
    return path, json.loads(path.read_text())


def used_kinds(model, tmp_path):
    return {ctr["ctr_type"] for ctr in exported(model, tmp_path)[1]["features_info"].get("ctrs", [])}


@pytest.mark.parametrize("policy", thorough_after(1, POLICIES))
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("ctrs", CTRS, ids=["default", "borders", "buckets"])
def test_same_answers_as_the_library(policy, task, ctrs):
    if ctrs is not None and task == "two classes":
        ctrs = [re.sub("TargetBorderCount=.", "TargetBorderCount=1", ctr) for ctr in ctrs]
    for seed in range(3):
        loans = Loans(seed)
        model = loans.fitted(
            task,
            iterations=10,
            depth=4,
            random_seed=seed,
            grow_policy=policy,
            one_hot_max_size=[1, 2, 8][seed],
            counter_calc_method=["SkipTest", "Full"][seed % 2],
            **({} if ctrs is None else {"simple_ctr": ctrs}),
        )
        ensemble = load(model)
        rows = loans.rows(ensemble)
        assert_same(ensemble, model, rows)
        assert_same(load(model, categories=loans.frame), model, rows)


def test_every_type_of_ctr_was_used(tmp_path):
    loans, kinds = Loans(1), set()
    for ctrs in CTRS[1:]:
        kinds |= used_kinds(loans.fitted("number", iterations=20, depth=4, simple_ctr=ctrs), tmp_path)
    assert kinds == {"Borders", "Buckets", "BinarizedTargetMeanValue", "Counter"}


def first_ctr(document):
    return document["features_info"]["ctrs"][0]


def first_table(document):
    """Return a table without the empty buckets."""
    table = document["ctr_data"][first_ctr(document)["identifier"]]
    cells = table["hash_map"]
    used = [key for key in range(0, len(cells), 3) if cells[key] != str(2**64 - 1)]
    table["hash_map"] = [cell for key in used for cell in cells[key : key + 3]]
    return table


def from_json(path, kind=cb.CatBoostClassifier):
    """Let the library read its JSON. It rounds the last digits of numbers: compare with some ulps."""
    return kind().load_model(str(path), format="json")


@pytest.mark.parametrize(
    ("old", "new"), [("Counter", "FeatureFreq"), ("BinarizedTargetMeanValue", "FloatTargetMeanValue")]
)
def test_types_of_ctrs_that_only_gpus_train(old, new, loans, tmp_path):
    model = loans.fitted("number", iterations=20, depth=3, simple_ctr=[f"{old}:CtrBorderCount=30"])
    path, _ = exported(model, tmp_path)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert_same(load(path), from_json(path, cb.CatBoostRegressor), loans.rows(load(path)), ulps=99)


@pytest.mark.parametrize("constant", ["prior_numerator", "prior_denomerator", "scale", "shift"])
def test_constants_of_ctrs(constant, loans, model, tmp_path):
    path, document = exported(model, tmp_path)
    for number, ctr in enumerate(document["features_info"]["ctrs"]):
        ctr[constant] = float(np.float32(ctr[constant] + 0.1 + number / 7))
    path.write_text(json.dumps(document))
    ensemble = load(path)
    changed = ensemble.scores(loans.frame)[:, 0] - model.predict(loans.frame, "RawFormulaVal")
    assert abs(changed).max() > 0.01
    assert_same(ensemble, from_json(path), loans.rows(ensemble), ulps=99)


def test_ctrs_that_equal_their_border(loans, model, tmp_path):
    """A border moved onto the CTR of a category, and by one ulp to either side of it."""
    document = exported(model, tmp_path)[1]
    ctr, table = first_ctr(document), first_table(document)["hash_map"]
    single = np.float32
    value = (single(table[2]) + single(ctr["prior_numerator"])) / (single(table[1] + table[2]) + single(1))
    value = (value + single(ctr["shift"])) * single(ctr["scale"])
    assert value > ctr["borders"][-2]
    scores = []
    for border in (np.nextafter(value, single(-9)), value, np.nextafter(value, single(99))):
        text = json.dumps(document).replace(repr(ctr["borders"][-1]), repr(float(border)))
        (tmp_path / "moved.json").write_text(text)
        ensemble = load(tmp_path / "moved.json")
        assert_same(ensemble, from_json(tmp_path / "moved.json"), loans.frame, ulps=99)
        scores.append(ensemble.scores(loans.frame))
    assert not (scores[0] == scores[1]).all()
    np.testing.assert_array_equal(scores[1], scores[2])


def test_categories_take_the_names_of_the_rows(loans, model):
    named = load(model, categories=loans.frame)
    assert set(named.schema.features[0].categories) == set(loans.frame["purpose"])
    assert set(named.schema.features[2].categories) == set(loans.frame["branch"])
    unnamed = load(model)
    assert unnamed.schema.features[0].categories[0].startswith("hash ")
    assert load(model, categories=Table.from_any(loans.frame)).to_json() == named.to_json()
    assert load(model, categories=loans.frame.to_numpy(dtype=object)).scores(loans.frame).shape == (220, 1)


def test_models_of_arrays(loans):
    cells = loans.frame.to_numpy(dtype=object)
    model = cb.CatBoostClassifier(cat_features=[0, 2, 3], iterations=5, **SMALL).fit(cells, loans.number > 0)
    ensemble = load(model, categories=loans.frame)
    assert "car" in ensemble.schema.features[0].categories
    expected = model.predict(cells, "RawFormulaVal")
    np.testing.assert_array_equal(ensemble.scores(cells)[:, 0], expected)
    np.testing.assert_array_equal(ensemble.scores(loans.frame)[:, 0], expected)


def test_whole_numbers_and_their_strings_are_the_same_category(loans, model):
    ensemble = load(model)
    strings = loans.frame.assign(branch=loans.frame["branch"].astype(str))
    assert_same(ensemble, model, strings)
    as_numbers = loans.frame.assign(
        branch=loans.frame["branch"].astype(float), owner=loans.frame["owner"] * 1
    )
    np.testing.assert_array_equal(ensemble.scores(as_numbers), ensemble.scores(loans.frame))


def test_identifiers_that_doubles_do_not_distinguish(loans):
    frame = pd.DataFrame({"id": 2**60 + loans.frame["branch"] % 4, "rate": loans.frame["rate"]})
    model = cb.CatBoostRegressor(cat_features=["id"], iterations=9, **SMALL).fit(frame, loans.number)
    assert_same(load(model), model, frame)
    named = load(model, categories=frame)
    assert_same(named, model, frame)
    assert set(named.schema.features[0].categories) == set(frame["id"])


def test_rows_that_the_library_refuses(loans, model):
    ensemble = load(model)
    for cells, message in [
        (
            {"purpose": [None, *loans.frame["purpose"][1:]]},
            "'purpose' has no value in row 0, but CatBoost does",
        ),
        (
            {"branch": loans.frame["branch"] + 0.5},
            "'branch' holds -1.5, but Ensemble expects strings or whole",
        ),
    ]:
        rows = loans.frame.assign(**cells)
        with pytest.raises((cb.CatBoostError, TypeError)):
            model.predict(rows)
        with pytest.raises(DataError, match=message):
            ensemble.predict(rows)


def test_categorical_features_that_no_test_uses(loans):
    frame = loans.frame.assign(purpose="car", other=["u", "v"] * 110)
    options = {**SMALL, "cat_features": ["purpose", "other"], "ignored_features": ["other"], "iterations": 3}
    model = cb.CatBoostRegressor(**options).fit(frame.drop(columns="owner"), loans.number)
    rows = frame.drop(columns="owner")
    for ensemble in (load(model), load(model, categories=rows)):
        np.testing.assert_array_equal(ensemble.predict(rows), model.predict(rows))
    assert ensemble.schema.features[-1].categories == ("u", "v")


def test_trees_of_a_single_leaf(loans, tmp_path):
    model = loans.fitted("number", iterations=3, depth=2)
    path, document = exported(model, tmp_path)
    document["oblivious_trees"][1] = {"leaf_values": [0.5], "leaf_weights": [9], "splits": None}
    path.write_text(json.dumps(document))
    assert_same(load(path), from_json(path, cb.CatBoostRegressor), loans.frame, ulps=99)


def test_categories_that_pass_through_a_pipeline(loans):
    frame, columns = loans.frame.drop(columns="owner"), ["purpose", "branch"]
    step = make_column_transformer(
        (StandardScaler(), ["rate", "age"]), ("passthrough", columns), verbose_feature_names_out=False
    ).set_output(transform="pandas")
    model = cb.CatBoostClassifier(cat_features=columns, iterations=6, **SMALL)
    pipeline = make_pipeline(step, model).fit(frame, loans.labels)
    unseen = frame.assign(purpose="never seen")
    for ensemble in (
        load(pipeline, categories=frame),
        load(pipeline, categories={c: frame[c].unique() for c in columns}),
    ):
        for rows in (frame, unseen):
            np.testing.assert_array_equal(ensemble.predict(rows), pipeline.predict(rows))
    assert refusal(pipeline).startswith(
        "The pipeline's model knows categories of 'purpose' only by their hash."
    )
    summary = sl.DistilledTreeClassifier(pipeline, max_leaves=6, random_state=0).fit(frame)
    assert isinstance(summary.ensemble_, sl.BlackBox)


def refusal(model):
    with pytest.raises(UnsupportedModelError) as caught:
        load(model)
    return str(caught.value)


def test_tests_that_list_too_many_categories(model, monkeypatch):
    monkeypatch.setattr("sightline.load.catboost._tests.MAX_LISTED", 100)
    assert re.fullmatch(
        r"CatBoostClassifier: tree \d: up to here, tests list 1\d\d categories, which is too many for "
        r"readable trees. Use sl.BlackBox\(model\).",
        refusal(model),
    )


def test_combinations_with_numbers_are_refused(model, tmp_path):
    path, document = exported(model, tmp_path)
    number = {"border": 0.5, "combination_element": "float_feature", "float_feature_index": 1}
    first_ctr(document)["elements"].append(number)
    path.write_text(json.dumps(document))
    assert refusal(path).startswith(
        f"{path}: ctrs 0: combines features ('purpose' and 'rate'), so its tests are"
    )


def test_what_is_refused_by_name(loans):
    combined = loans.fitted("two classes", iterations=60, max_ctr_complexity=3)
    text = refusal(combined)
    assert text.startswith("CatBoostClassifier: ctrs ")
    assert "combines features ('" in text
    assert text.endswith("Train with max_ctr_complexity=1. Or use sl.BlackBox(model).")
    lost = loans.fitted(
        "number", iterations=5, simple_ctr=["Borders:TargetBorderCount=1", "Borders:TargetBorderCount=3"]
    )
    assert refusal(lost) == (
        "CatBoostRegressor: has CTRs of type 'Borders' with different 'TargetBorderCount', but CatBoost "
        "exports "
        "only one of them. Use one per type. Or use sl.BlackBox(model)."
    )
    skipped = loans.fitted("two classes", iterations=5, final_ctr_computation_mode="Skip")
    assert refusal(skipped) == (
        "CatBoostClassifier: was trained with final_ctr_computation_mode='Skip', so it has no tables for its "
        "categories and cannot predict. Train it with 'Default'."
    )


@pytest.mark.parametrize("kind", thorough_after(1, ["text", "embedding"]))
def test_text_and_embeddings_are_refused(kind, tmp_path):
    cells = ["good loan", "bad bad loan", "unpaid", "fine"] * 30
    if kind == "embedding":
        cells = list(np.random.default_rng(0).normal(size=(120, 3)))
    frame = pd.DataFrame({"note": cells, "x": np.arange(120.0)})
    model = cb.CatBoostClassifier(iterations=3, **{f"{kind}_features": ["note"]}, **SMALL)
    model.fit(frame, [0, 1, 1, 0] * 30)
    sentence = (
        f"CatBoost cannot describe this model (Can save model with {kind} features only in cbm format). "
        f"Use sl.BlackBox(model)."
    )
    assert refusal(model) == f"CatBoostClassifier: {sentence}"
    model.save_model(str(tmp_path / "model.cbm"))
    assert refusal(tmp_path / "model.cbm") == f"{tmp_path / 'model.cbm'}: {sentence}"


def change_cell(index, cell):
    return lambda document: first_table(document)["hash_map"].__setitem__(index, cell)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("ctr_data"), "'ctr_data' is missing."),
        (lambda d: first_table(d)["hash_map"].pop(), "'hash_map' must hold rows of 3 entries."),
        (lambda d: first_table(d).__setitem__("hash_map", []), "'hash_map' must hold rows of 3 entries."),
        (lambda d: first_table(d).__setitem__("hash_stride", 1), "'hash_stride' must be a whole number"),
        (
            change_cell(0, 3),
            "a key of 'hash_map' must be a whole number",
        ),
        (
            change_cell(0, "1" * 20),
            "must hold different keys of categories",
        ),
        (
            change_cell(0, "9" * 20),
            "a key of 'hash_map' must be a whole",
        ),
        (change_cell(1, "3"), "must hold numbers after each key."),
        (change_cell(1, -3), "counts must be whole numbers."),
        (lambda d: first_table(d).update(hash_map=first_table(d)["hash_map"] * 2), "different keys of"),
        (
            lambda d: first_ctr(d).__setitem__("target_border_idx", 7),
            "'hash_stride' does not match",
        ),
        (
            lambda d: first_ctr(d).__setitem__("ctr_type", "New"),
            "a CTR of type 'New' is not",
        ),
        (
            lambda d: first_ctr(d).__setitem__("ctr_type", "Counter"),
            "'hash_stride' does not match",
        ),
        (lambda d: first_ctr(d)["borders"].__setitem__(0, 1e9), "'borders' must be ascending."),
        (lambda d: first_ctr(d)["borders"].__setitem__(0, -1e9), "its CTR does not exist."),
        (lambda d: d["features_info"]["ctrs"].pop(), "its CTR does not exist."),
        (
            lambda d: first_ctr(d)["elements"][0].__setitem__("cat_feature_index", 9),
            "from 0 to 2",
        ),
        (lambda d: d["features_info"].pop("categorical_features"), "there are no 'categorical_features'."),
    ],
)
def test_damaged_tables(loans, model, tmp_path, change, message):
    path, document = exported(model, tmp_path)
    change(document)
    path.write_text(json.dumps(document))
    with pytest.raises((ModelFormatError, UnsupportedModelError)) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert message in str(caught.value)


def test_binary_files(loans, model, tmp_path):
    path = tmp_path / "a model"
    model.save_model(str(path))
    assert load(path).to_json() == load(model).to_json()


def test_damaged_binary_files(model, tmp_path, monkeypatch):
    path = tmp_path / "model.cbm"
    path.write_bytes(b"CBM1\x00\x01")
    with pytest.raises(ModelFormatError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: CatBoost cannot read this file (")
    monkeypatch.setattr("sightline.load.catboost._binary.find_spec", lambda name: None)
    with pytest.raises(UnsupportedModelError) as caught:
        load(path)
    assert str(caught.value) == (
        f"{path}: is a binary CatBoost model, which only CatBoost can decode. Install catboost, "
        f"or save the model with format='json'."
    )


def test_a_tree_in_place_of_the_model(loans, model):
    def distilled(ensemble):
        return sl.DistilledTreeClassifier(ensemble, max_leaves=8, random_state=0).fit(loans.frame)

    summary = distilled(model)
    assert "hash " not in summary.to_text()
    assert distilled(load(model)).to_text() == summary.to_text()
    assert sl.certify(summary, model).equivalent is False
    page = sl.report(summary, loans.frame, loans.labels, ensemble=model)
    assert page.metrics["fidelity"]["share"] > 0.8


def test_a_merged_model_is_proved_and_exported(loans):
    model = loans.fitted("two classes", iterations=3, depth=2)
    tree = sl.merge(model, X=loans.frame)
    assert tree.complete
    assert sl.certify(tree, model)
    assert sl.certify(model, tree)
    assert "hash " not in tree.export("sql")
    unnamed = sl.merge(model)
    np.testing.assert_array_equal(unnamed.predict(loans.frame), tree.predict(loans.frame))
    with pytest.raises(DataError, match="An export needs the names of all categories of"):
        unnamed.export("sql")


def test_rules_of_a_model_that_scikit_learn_cannot_clone(loans, model):
    rules = sl.RuleSetClassifier(ensemble=model, n_folds=2, random_state=0).fit(loans.frame, loans.labels)
    assert (rules.predict(loans.frame) == model.predict(loans.frame)).mean() > 0.8
