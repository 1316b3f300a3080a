"""How models show, export and store themselves: the one link from models to the packages that read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sightline.shared_docs import fill_docstrings


class Shown:
    """Something that :mod:`sightline.show` can display.

    The only place where models import the packages that read them. Each kind documents its own
    ``to_text``, ``plot`` and ``explain`` and hands them to its display.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        fill_docstrings(cls)

    def _display(self) -> Any:
        from sightline import show  # noqa: PLC0415 - nouns load without their readers

        return show.display(self)

    def _repr_html_(self) -> str:
        html: str = self._display().html()
        return html


class Interactive(Shown):
    """A model that notebooks show as interactively as the report."""

    def _repr_html_(self) -> str:
        from sightline.report import notebook_html  # noqa: PLC0415 - nouns load without their readers

        html: str = notebook_html(self)
        return html


class Readable(Shown):
    """A model that can be exported and stored, too."""

    def export(
        self,
        kind: str,
        path: str | Path | None = None,
        *,
        round_thresholds: bool = False,
        X: Any = None,
        ensemble: Any = None,
        **options: Any,
    ) -> Any:
        """Write the model so that other programs can run or draw it.

        Parameters
        ----------
        kind : str
            "sql", "python", "c", "javascript", "onnx", "pmml", "json", "dot", "svg" or "sklearn".
        path : path-like, optional
            A file to write as well. It is replaced only when everything is on disk.
        round_thresholds : bool, default=False
            Write short thresholds; see :func:`sightline.round_thresholds`.
        X, ensemble : optional
            Rows and ensemble that limit the rounding; see :func:`sightline.round_thresholds`.
        **options
            The keywords of the function for the kind, in :mod:`sightline.export`: `to_sql`,
            `to_python`, `to_c`, `to_javascript`, `to_onnx`, `to_pmml`, `to_json`, `to_dot`,
            `to_svg` or `to_sklearn`. Any other keyword is refused by name.

        Returns
        -------
        str, bytes or DecisionTreeClassifier
            What was written.
        """
        from sightline import export  # noqa: PLC0415

        return export.export(
            self, kind, path, round_thresholds=round_thresholds, X=X, ensemble=ensemble, **options
        )

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the model in sightline's own format.

        Parameters
        ----------
        path : path-like, optional
            A file to write as well; it is replaced only when everything is on disk.

        Returns
        -------
        str
            The JSON text. Reading and writing it again gives the same bytes.
        """
        from sightline.model._format import write_model  # noqa: PLC0415 - the format knows every noun

        return write_model(self, path)
