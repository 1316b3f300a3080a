"""The Java machine that runs the reference implementation of PMML in the process of the tests."""

from functools import cache, partial
from unittest.mock import patch

import jpmml_evaluator as jpmml
import jpype

# It runs for seconds: compiling to the utmost, in further threads, would take twice the time.
_OPTIONS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


@cache
def jpmml_backend():
    with patch.object(jpype, "startJVM", partial(jpype.startJVM, *_OPTIONS)):
        return jpmml.make_backend("jpype")
