"""One page that shows a model, how far it can be trusted, and where it is wrong."""

from sightline.report._report import Report, report

__all__ = ["Report", "report"]
