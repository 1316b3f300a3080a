"""How faithful a model is, with proof where proof is possible."""

from sightline.judge._certificate import Certificate
from sightline.judge._certify import certify

__all__ = ["Certificate", "certify"]
