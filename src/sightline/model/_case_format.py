"""The stored form of ensembles of nearest neighbors, and of case bases over any ensemble."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, ParameterError, SightlineError, UnsupportedModelError
from sightline.model._black_box import BlackBox
from sightline.model._case_base import ORIGINS, CaseBase, CaseJudgement
from sightline.model._document import Document, get, get_array, get_count, get_number
from sightline.model._ensemble import Ensemble
from sightline.model._format import KindFormat, read_document, stores, write_document
from sightline.model._label_format import read_classes, write_classes
from sightline.model._members import n_members
from sightline.model._neighbours import NeighbourEnsemble
from sightline.model._subject import read_schema, write_schema
from sightline.table import Column, Labels, Numbers, Table


def _write_cases(cases: Table, labels: Labels | Numbers) -> Document:
    classes = labels.classes_ if isinstance(labels, Labels) else None
    return {
        **write_schema(cases.schema, classes),
        "has_names": cases.has_names,
        "classes": write_classes(classes),
        "columns": [
            column.values.tolist()
            if column.feature.is_nominal
            else [None if math.isnan(value) else value for value in column.values.tolist()]
            for column in cases.columns
        ],
        "outcome": (labels.codes if isinstance(labels, Labels) else labels.values).tolist(),
    }


def _read_cases(document: Document) -> tuple[Table, Labels | Numbers]:
    classes = read_classes(document)
    schema = read_schema(document, classes)
    outcomes: Labels | Numbers
    if classes is None:
        outcomes = Numbers(get_array(document, "outcome", np.float64))
    else:
        codes = get_array(document, "outcome", np.int32)
        outcomes = Labels(_codes(codes, len(classes), "'outcome'", 0), classes)
    stored = get(document, "columns", list)
    if len(stored) != len(schema):
        raise ModelFormatError(f"there are {len(schema)} features, but {len(stored)} columns")
    columns = []
    for feature, values in zip(schema.features, stored, strict=True):
        what = f"the column {feature.name!r}"
        if not isinstance(values, list) or len(values) != len(outcomes):
            raise ModelFormatError(f"{what} must hold one value for each of the {len(outcomes)} cases")
        if feature.is_nominal:
            column = _codes(get_array({"column": values}, "column", np.int32), feature.n_values, what, -1)
        else:
            known = get_array({"column": [0.0 if v is None else v for v in values]}, "column", np.float64)
            column = np.where([value is None for value in values], np.nan, known)
        columns.append(Column(feature, column))
    if not len(outcomes):
        raise ModelFormatError("there are no cases")
    cases = Table(columns, has_names=get(document, "has_names", bool))
    return cases.about(schema.subject), outcomes


def _codes(codes: NDArray[np.int32], n_values: int, what: str, least: int) -> NDArray[np.int32]:
    if len(codes) and not (codes.min() >= least and codes.max() < n_values):
        raise ModelFormatError(f"{what} names a value that is not declared")
    return codes


@stores(NeighbourEnsemble)
class NeighborsFormat(KindFormat):
    """An ensemble of nearest neighbors, with its cases."""

    kind = "neighbours"

    @staticmethod
    def write(model: NeighbourEnsemble) -> Document:
        """Return the cases and the features of each member."""
        return {
            **_write_cases(model.cases, model.labels),
            "k": model.k,
            "search": model.search,
            "n_search_rows": model.n_search_rows,
            "masks": ["".join("1" if used else "0" for used in mask) for mask in model.masks],
            **({} if model.combine == "mean" else {"combine": model.combine}),
            **({} if model.member_weights is None else {"member_weights": model.member_weights.tolist()}),
        }

    @staticmethod
    def read(document: Document) -> NeighbourEnsemble:
        """Build the ensemble."""
        cases, labels = _read_cases(document)
        if not isinstance(labels, Labels):
            raise ModelFormatError("cases need 'classes'")
        masks = get(document, "masks", list)
        n_features = len(cases.columns)
        if not masks or not all(
            isinstance(mask, str) and len(mask) == n_features and set(mask) <= {"0", "1"} and "1" in mask
            for mask in masks
        ):
            raise ModelFormatError(f"'masks' must hold strings of {n_features} digits 0 and 1, not all 0")
        used = np.array([[digit == "1" for digit in mask] for mask in masks])
        # Files from before there was a choice have neither.
        weights = get_array(document, "member_weights", np.float64) if "member_weights" in document else None
        try:
            return NeighbourEnsemble(
                cases,
                labels,
                used,
                get_count(document, "k"),
                get(document, "search", str),
                get_count(document, "n_search_rows"),
                combine=get(document, "combine", str) if "combine" in document else "mean",
                member_weights=weights,
            )
        except ParameterError as error:
            raise ModelFormatError(str(error)) from error


@stores(CaseBase)
class CaseBaseFormat(KindFormat):
    """A case base, with its ensemble."""

    kind = "cases"

    @staticmethod
    def write(model: CaseBase) -> Document:
        """Return the ensemble, the cases and their descriptions."""
        if isinstance(model.predictor, BlackBox):
            raise UnsupportedModelError(
                f"A file cannot hold the black box ({model.predictor.name}) that gives the labels of this "
                'case base. Fit with predict_with="meta", so that the nearest cases give them, or pickle '
                "the estimator."
            )
        judgement = model.judgement
        # Nearest neighbors hold the cases already.
        is_own = isinstance(model.ensemble, NeighbourEnsemble) and model.ensemble.cases is model.cases
        return {
            "ensemble": write_document(model.ensemble),
            "cases": None if is_own else _write_cases(model.cases, model.labels),
            **({} if model.names is None else {"names": model.names}),
            "members": model.members,
            "n_columns": model.views.shape[2],
            **_write_views(model),
            "origin": model.origin,
            "k_meta": model.k_meta,
            "weighted": model.weighted,
            "predict_with": model.predict_with,
            **({"stand_in": model.stand_in} if model.stand_in else {}),
            "judgement": None
            if judgement is None
            else {
                "n_cases": judgement.n_cases,
                "fidelity": judgement.fidelity,
                "meta_error": judgement.meta_error,
                "ensemble_error": judgement.ensemble_error,
            },
        }

    @staticmethod
    def read(document: Document) -> CaseBase:
        """Build the case base."""
        ensemble = read_document(get(document, "ensemble", dict))
        if not isinstance(ensemble, NeighbourEnsemble | Ensemble):
            raise ModelFormatError("'ensemble' must be one of neighbors or trees")
        cases, labels = _cases_of(document, ensemble)
        members = get_array(document, "members", np.int64)
        n_all = n_members(ensemble)
        if not len(members) or (np.diff(members) <= 0).any() or members[0] < 0 or members[-1] >= n_all:
            raise ModelFormatError(f"'members' must name some of the {n_all} members, ascending")
        shape = (cases.n_rows, len(members), get_count(document, "n_columns"))
        has_centers = "centers" in document  # not in files from before there were any
        views = _read_numbers(document, "centered_views" if has_centers else "views", shape, np.float32)
        origin, predict_with = get(document, "origin", str), get(document, "predict_with", str)
        if origin not in ORIGINS or predict_with not in ("ensemble", "meta"):
            raise ModelFormatError(
                f"there is no origin {origin!r} of views, or no way {predict_with!r} to predict"
            )
        try:
            return CaseBase(
                cases,
                labels,
                ensemble,
                views,
                members=members.tolist(),
                origin=origin,
                k_meta=get_count(document, "k_meta"),
                weighted=get(document, "weighted", bool),
                predict_with=predict_with,
                judgement=_read_judgement(get(document, "judgement", dict, type(None)), labels),
                names=_read_names(document, cases.n_rows),
                centers=_read_numbers(document, "centers", (n_all, shape[2])) if has_centers else None,
                stand_in=get(document, "stand_in", str) if "stand_in" in document else "",
            )
        except ModelFormatError:
            raise
        except SightlineError as error:
            raise ModelFormatError(str(error)) from error


def _write_views(model: CaseBase) -> Document:
    # The shortest decimals that single precision reads back.
    views = model.views.ravel().astype(str).astype(np.float64).tolist()
    if model.centers is None:
        return {"views": views}
    # Readers from before there were centers miss 'views', and refuse instead of measuring from elsewhere.
    return {"centered_views": views, "centers": model.centers.ravel().tolist()}


def _read_numbers(
    document: Document, key: str, shape: tuple[int, ...], dtype: type = np.float64
) -> NDArray[Any]:
    numbers = get_array(document, key, dtype)
    if numbers.size != math.prod(shape):
        raise ModelFormatError(f"{key!r} must hold {math.prod(shape)} numbers, not {numbers.size}")
    return numbers.reshape(shape)


def _read_names(document: Document, n_cases: int) -> list[str | int] | None:
    """Return the names of the cases; files from before there were any have none."""
    if "names" not in document:
        return None
    names = get(document, "names", list)
    if len(names) != n_cases or not all(isinstance(name, str | int) for name in names):
        raise ModelFormatError(f"'names' must hold one name for each of the {n_cases} cases")
    return list(names)


def _cases_of(document: Document, ensemble: NeighbourEnsemble | Ensemble) -> tuple[Table, Labels | Numbers]:
    stored = get(document, "cases", dict, type(None))
    if stored is None:
        if not isinstance(ensemble, NeighbourEnsemble):
            raise ModelFormatError("'cases' are missing")
        return ensemble.cases, ensemble.labels
    cases, labels = _read_cases(stored)
    classes = labels.classes_ if isinstance(labels, Labels) else None
    if cases.schema != ensemble.schema or not np.array_equal(classes, ensemble.classes_):  # type: ignore[arg-type]
        raise ModelFormatError("the cases have different features or classes than the ensemble")
    return cases, labels


def _read_judgement(stored: Document | None, outcomes: Labels | Numbers) -> CaseJudgement | None:
    if stored is None:
        return None
    errors: list[Any] = [get_number(stored, name, least=0) for name in ("meta_error", "ensemble_error")]
    # R² has no least value.
    fidelity = get_number(stored, "fidelity", least=0 if isinstance(outcomes, Labels) else -math.inf)
    return CaseJudgement(get_count(stored, "n_cases"), fidelity, *errors)
