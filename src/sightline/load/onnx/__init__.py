"""ONNX files of trees, with simple steps around them."""

from sightline.load.onnx import _importer  # noqa: F401 - it registers itself
