"""The error about models that are not fitted."""

from sklearn.exceptions import NotFittedError

from sightline.exceptions import SightlineError


class UnfittedModelError(SightlineError, NotFittedError):
    """A model that is not fitted. Also scikit-learn's ``NotFittedError``, which its tools expect.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> import sightline as sl
    >>> try:
    ...     sl.load(DecisionTreeClassifier())
    ... except sl.SightlineError as error:
    ...     print(error)
    This DecisionTreeClassifier is not fitted. Call 'fit' before you load it.
    """

    @classmethod
    def of(cls, model: object) -> "UnfittedModelError":
        """Return the error about a model."""
        return cls(f"This {type(model).__name__} is not fitted. Call 'fit' before you load it.")
