"""Files that are replaced in one step, and what killed writers leave behind."""

import os
import time

from sightline.files import atomic_write


def test_leftovers_of_killed_writers_are_swept_by_the_next_one(tmp_path):
    stale, fresh = tmp_path / ".model.json.abcd_123.tmp", tmp_path / ".model.json.abcd_124.tmp"
    foreign = [tmp_path / ".other.json.abcd_123.tmp", tmp_path / ".model.json.tmp", tmp_path / "notes.tmp"]
    for path in (stale, fresh, *foreign):
        path.write_text("half")
        if path != fresh:
            os.utime(path, (time.time() - 7200,) * 2)
    atomic_write(tmp_path / "model.json", "whole")
    assert not stale.exists()
    assert all(path.exists() for path in (fresh, *foreign))
    assert (tmp_path / "model.json").read_text() == "whole"
