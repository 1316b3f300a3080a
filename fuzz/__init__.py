"""Targets for fuzzers; each corpus is replayed by the tests."""
