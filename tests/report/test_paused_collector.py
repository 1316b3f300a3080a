from __future__ import annotations

import gc

import pytest

from sightline.report._paused_collector import paused_collector


def test_the_collector_is_resumed_also_after_an_error():
    with pytest.raises(ZeroDivisionError), paused_collector():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    try:
        with paused_collector(), paused_collector():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_outer_of_two_pauses_resumes_it():
    with paused_collector():
        with paused_collector():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
