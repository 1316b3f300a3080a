"""x."""

from sightline.load import load as load
