"""What everything that reads like a model can do: be shown, explained and stored."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sightline.exceptions import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_UNKNOWN_OPTION = re.compile(r"unexpected keyword argument '(\w+)'")


class Shown:
    """Doorway from the nouns to the verb *show*.

    The only place where a noun knows of its readers: each method hands itself to the
    function of the same name in :mod:`sightline.show`, imported when it is called.
    """

    def to_text(self, **options: Any) -> str:
        """Write the model as indented text.

        Parameters
        ----------
        **options
            Passed to :func:`sightline.show.to_text`, for instance ``style="weka"``.

        Returns
        -------
        str
            The text, ending with a newline.
        """
        from sightline import show  # noqa: PLC0415 - nouns load without their readers

        text: str = _asked(show.to_text, self, options)
        return text

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the model with matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure of fitting size by default.
        **options
            Passed to :func:`sightline.show.plot`.

        Returns
        -------
        matplotlib Axes
            The axes that hold the drawing.
        """
        from sightline import show  # noqa: PLC0415

        axes: Axes = _asked(show.plot, self, options, ax=ax)
        return axes

    def _repr_html_(self) -> str:
        from sightline import show  # noqa: PLC0415

        return show.to_html(self)


class Readable(Shown):
    """What a model can do besides: explain a row, and be stored."""

    def explain(self, row: Any, **options: Any) -> str:
        """Say in plain sentences how the model decides about one row.

        Parameters
        ----------
        row : dict, sequence, or table of one row
            The values, by name or in the order of the features.
        **options
            Passed to :func:`sightline.show.explain`.

        Returns
        -------
        str
            A few sentences.
        """
        from sightline import show  # noqa: PLC0415

        text: str = _asked(show.explain, self, options, row=row)
        return text

    def export(self, kind: str, path: str | Path | None = None, **options: Any) -> Any:
        """Write the model so that other programs can run or draw it.

        Parameters
        ----------
        kind : str
            "sql", "python", "c", "javascript", "onnx", "pmml", "json", "dot", "svg" or "sklearn".
        path : path-like, optional
            A file to write as well; it is replaced only when everything is on disk.
        **options
            Passed to :func:`sightline.export.export`, for instance ``dialect="duckdb"``.

        Returns
        -------
        str, bytes or DecisionTreeClassifier
            What was written.
        """
        from sightline import export  # noqa: PLC0415

        return export.export(self, kind, path, **options)

    def to_frame(self, library: str = "pandas", **options: Any) -> Any:
        """Return the model as a data frame, one row per rule.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose frame it is.
        **options
            Passed to :func:`sightline.show.to_frame`.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The rules. Other models have no such form.
        """
        from sightline import show  # noqa: PLC0415

        return _asked(show.to_frame, self, options, library=library)

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


def _asked(verb: Callable[..., Any], model: Any, options: dict[str, Any], **given: Any) -> Any:
    """Call a verb with the user's options; one that it does not know gets a sentence."""
    try:
        return verb(model, **given, **options)
    except TypeError as error:
        unknown = _UNKNOWN_OPTION.search(str(error))
        if unknown is None or unknown[1] not in options:
            raise
        name = verb.__name__
        raise ParameterError(
            f"{type(model).__name__}.{name} has no option {unknown[1]!r}: "
            f"see help(sightline.show.{name}) for those it has."
        ) from None
