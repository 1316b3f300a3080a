"""One node of an ONNX graph: its name in messages, and its attributes as arrays."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sightline.exceptions import ModelFormatError, UnsupportedModelError

_STANDARD = frozenset({"", "ai.onnx", "ai.onnx.ml"})


class OnnxNode:
    """A node and its attributes.

    Parameters
    ----------
    proto : onnx.NodeProto
        As parsed by the library.
    index : int
        Index in the graph, for nodes without a name.
    file : str
        Name of the file.
    """

    def __init__(self, proto: Any, index: int, file: str) -> None:
        self.inputs = [checked_text(name, file) for name in proto.input]
        self.outputs = [checked_text(name, file) for name in proto.output]
        self.kind = checked_text(proto.op_type, file)
        self.is_standard = checked_text(proto.domain, file) in _STANDARD
        name = checked_text(proto.name, file)
        self.where = f"{file}: node {name or index!r} ({self.kind})"
        self._attributes = {checked_text(entry.name, file): entry for entry in proto.attribute}
        if len(self._attributes) < len(proto.attribute):
            raise self.fault("an attribute occurs twice")

    def unsupported(self, sentence: str) -> UnsupportedModelError:
        """Return an error about something that is not understood."""
        return UnsupportedModelError(f"{self.where}: {sentence}.")

    def fault(self, sentence: str) -> ModelFormatError:
        """Return an error about something that is wrong."""
        return ModelFormatError(f"{self.where}: {sentence}.")

    def allow(self, *names: str) -> None:
        """Refuse attributes that are not listed."""
        unknown = sorted(set(self._attributes) - set(names))
        if unknown:
            raise self.unsupported(f"the attribute {unknown[0]!r} is not supported")

    def pair(self, inputs: list[Any]) -> list[Any]:
        """Return the inputs of a node that needs two."""
        if len(inputs) != 2:
            raise self.fault(f"it needs 2 inputs, but has {len(inputs)}")
        return inputs

    def __contains__(self, name: str) -> bool:
        return name in self._attributes

    def ints(self, name: str, length: int | None = None) -> NDArray[np.int64]:
        """Return an attribute of whole numbers, empty if it is absent."""
        stored = self._attributes.get(name)
        numbers = np.array([] if stored is None else stored.ints, dtype=np.int64)
        return self._checked(name, numbers, length)

    def integer(self, name: str, default: int) -> int:
        """Return a whole number."""
        stored = self._attributes.get(name)
        return default if stored is None else int(stored.i)

    def number(self, name: str, default: float) -> float:
        """Return a number."""
        stored = self._attributes.get(name)
        return default if stored is None else float(stored.f)

    def text(self, name: str, default: str, choices: Collection[str] | None = None) -> str:
        """Return a string, which must be one of the choices if there are some."""
        stored = self._attributes.get(name)
        value = default if stored is None else stored.s.decode(errors="replace")
        if choices is not None and value not in choices:
            raise self.unsupported(f"{name} {value!r} is not supported")
        return value

    def strings(self, name: str) -> list[str]:
        """Return an attribute of strings, empty if it is absent."""
        stored = self._attributes.get(name)
        try:
            return [] if stored is None else [value.decode() for value in stored.strings]
        except UnicodeDecodeError as error:
            raise self.fault(f"{name!r} is not UTF-8") from error

    def raw_strings(self, name: str, length: int) -> NDArray[np.bytes_]:
        """Return many short strings as an array of bytes."""
        stored = self._attributes.get(name)
        found: NDArray[np.bytes_] = np.array([] if stored is None else list(stored.strings), dtype="S12")
        return self._checked(name, found, length)

    def floats(self, name: str, length: int | None = None) -> NDArray[np.float64]:
        """Return numbers, stored either as floats or as a tensor in single or double precision."""
        tensor = f"{name}_as_tensor"
        if tensor in self._attributes:
            return self._checked(tensor, self.tensor(tensor).astype(np.float64, copy=False).ravel(), length)
        stored = self._attributes.get(name)
        numbers = np.array([] if stored is None else stored.floats, dtype=np.float32)
        return self._checked(name, numbers.astype(np.float64), length)

    def tensor(self, name: str) -> NDArray[Any]:
        """Return a tensor."""
        stored = self._attributes.get(name)
        if stored is None:
            raise self.fault(f"{name!r} is missing")
        return tensor_values(stored.t, f"{self.where}: {name!r}")

    def _checked(self, name: str, values: NDArray[Any], length: int | None) -> NDArray[Any]:
        if length is not None and len(values) != length:
            raise self.fault(f"{name!r} has {len(values)} entries instead of {length}")
        return values


def checked_text(text: str | bytes, file: str) -> str:
    """Return a string of the file; the library gives bytes where it is not UTF-8."""
    if isinstance(text, bytes):
        raise ModelFormatError(f"{file}: contains a name that is not UTF-8 ({text[:20]!r}).")
    return text


def tensor_values(proto: Any, where: str) -> NDArray[Any]:
    """Return the values of a tensor; strings as objects."""
    import onnx.numpy_helper  # noqa: PLC0415 - optional, and imported before

    if proto.external_data or proto.data_location == onnx.TensorProto.EXTERNAL:
        raise UnsupportedModelError(f"{where}: is stored in another file, which is not supported.")
    try:
        values = np.asarray(onnx.numpy_helper.to_array(proto))
    except Exception as error:  # the library raises anything on damaged tensors
        raise ModelFormatError(f"{where}: is damaged ({type(error).__name__}: {error}).") from error
    if values.dtype.kind not in "biufOSU":
        raise UnsupportedModelError(f"{where}: has values of type {values.dtype}, which are not supported.")
    return values
