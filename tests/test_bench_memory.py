from __future__ import annotations

import sys

import numpy as np
import pytest
from absent import NO_LINUX

from benchmarks._memory import added_bytes, peak_bytes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason=NO_LINUX)


def test_memory_of_the_process_that_measures_does_not_count():
    held = np.ones(40_000_000)
    assert peak_bytes("") < held.nbytes / 2
    assert added_bytes("", "x = bytes(bytearray(50_000_000))") > 50_000_000


def test_what_a_job_adds_leaves_out_its_setup():
    setup = "x = b'1' * 60_000_000"
    assert added_bytes(setup, "y = b'1' * 20_000_000") == pytest.approx(20e6, rel=0.1)
