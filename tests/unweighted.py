"""Models of weighted rows beside models of repeated rows."""

import json


def unweighted(weighted):
    """Return the document of a model of weighted rows, without the mark that they had weights."""
    document = documented(weighted)
    assert document.pop("weighted_rows")
    return document


def documented(model):
    """Return the document of a model, without the checksum of its text."""
    document = json.loads(model.to_json())
    del document["checksum"]
    return document
