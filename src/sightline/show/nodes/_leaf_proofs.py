"""Whether the ensemble provably agrees wherever a row's path leads, each path looked at once."""

from __future__ import annotations

from sightline.model import Ensemble, NodeModel, Status, leaf_agreement

Path = tuple[tuple[int, int], ...]


class LeafProofs:
    """What is proved about the leaves of a tree or graph.

    Parameters
    ----------
    tree : Tree or Graph
        The model.
    ensemble : Ensemble, optional
        What it summarizes, if its trees are known.
    """

    def __init__(self, tree: NodeModel, ensemble: Ensemble | None = None) -> None:
        self.tree = tree
        self.ensemble = ensemble
        self._found: dict[tuple[Path, tuple[str, ...]], Status] = {}

    def is_stored(self, leaf: int, missing: set[str]) -> bool:
        """Return whether the model came with a proof of a leaf that covers these missing values."""
        proof = self.tree.proof
        return proof is not None and bool(proof.is_proved[leaf]) and missing <= set(proof.missing)

    def covered(self, leaf: int, missing: set[str]) -> set[str]:
        """Return the features whose values may be missing in rows that a proof of a leaf covers."""
        proof = self.tree.proof
        return set(proof.missing) if proof is not None and self.is_stored(leaf, missing) else missing

    def status(
        self, leaf: int, path: list[tuple[int, int]], missing: set[str], search: bool = True
    ) -> Status | None:
        """Return what is known about all rows that take a path.

        Parameters
        ----------
        leaf : int
            Where it ends.
        path : list of (int, int)
            Its tests and branches, from the root.
        missing : set of str
            Features whose values may be missing.
        search : bool, default=True
            Whether to search for a proof if the model came without one.

        Returns
        -------
        Status or None
            None if there is nothing to prove: no ensemble, or numbers.
        """
        if self.is_stored(leaf, missing):
            return Status.PROVED
        if self.tree.classes_ is None:
            return None
        if self.ensemble is None:
            return None if self.tree.proof is None else Status.OPEN
        key = tuple(path), tuple(sorted(missing))
        if search and key not in self._found:
            self._found[key] = leaf_agreement(self.tree, self.ensemble, path, key[1])
        return self._found.get(key, Status.OPEN)
