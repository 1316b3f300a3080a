"""Many cases of one test: in one go where each is quick, and some of them only in ``make test-thorough``."""

import functools
import inspect

import pytest


def each(n_quick=None, **cases):
    """Run a test for each value of one argument, as one test: a test costs more than a quick case.

    A failure names the value in its last line. With ``n_quick``, the values after so many are another test,
    for ``make test-thorough``.
    """
    ((name, values),) = cases.items()

    def decorated(test):
        @functools.wraps(test)
        def run_each(part=slice(None), **arguments):
            for value in list(values)[part]:
                try:
                    test(**arguments, **{name: value})
                except BaseException as error:
                    error.add_note(f"The case: {name} = {value!r}")
                    raise

        signature = inspect.signature(test)
        others = [parameter for parameter in signature.parameters.values() if parameter.name != name]
        if n_quick is None:
            run_each.__signature__ = signature.replace(parameters=others)
            return run_each
        part = inspect.Parameter("part", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run_each.__signature__ = signature.replace(parameters=[part, *others])
        parts = thorough_after(1, [slice(n_quick), slice(n_quick, None)])
        return pytest.mark.parametrize("part", parts, ids=["first", "others"])(run_each)

    return decorated


def thorough_after(n_quick, values):
    """Return values to parametrize with, of which only the first few are for ``make test``."""
    thorough = pytest.mark.thorough
    return [
        value if index < n_quick else pytest.param(value, marks=thorough)
        for index, value in enumerate(values)
    ]
