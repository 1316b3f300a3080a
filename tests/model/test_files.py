import errno
import os
import stat
import subprocess
import sys

import pytest
from absent import NO_POSIX

from sightline.exceptions import SightlineError
from sightline.files import atomic_write


@pytest.mark.parametrize(
    ("content", "expected"), [("naïve\n", "naïve\n".encode()), (b"\x00\xff", b"\x00\xff")]
)
def test_file_is_made_and_replaced(tmp_path, content, expected):
    path = tmp_path / "file"
    for _ in range(2):
        atomic_write(path, content)
        assert path.read_bytes() == expected
        assert os.listdir(tmp_path) == ["file"]  # noqa: PTH208
        path.write_text("something else")


def test_path_may_be_text(tmp_path):
    atomic_write(str(tmp_path / "file"), "x")
    assert (tmp_path / "file").read_text() == "x"


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_new_file_has_the_permissions_of_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        atomic_write(tmp_path / "file", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o640


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
@pytest.mark.parametrize(
    ("error", "seen"),
    [
        (OSError(errno.ENOSPC, "disk full"), r"file: cannot be written \(disk full\)\.$"),
        (KeyboardInterrupt(), None),
    ],
)
def test_failure_keeps_the_old_file_and_leaves_nothing(tmp_path, monkeypatch, call, error, seen):
    path = tmp_path / "file"
    atomic_write(path, "old")

    def fail(*_):
        raise error

    monkeypatch.setattr(call, fail)
    raised = SightlineError if isinstance(error, OSError) else type(error)
    with pytest.raises(raised, match=seen):
        atomic_write(path, "new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_full_disk_keeps_the_old_file(tmp_path):
    """A limit of the file size stands for a disk without room."""
    import resource  # not on Windows

    path = tmp_path / "file"
    atomic_write(path, "old")
    code = f"""
import resource, signal
from sightline import SightlineError
from sightline.files import atomic_write
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    atomic_write({str(path)!r}, "x" * 100_000)
except SightlineError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}: cannot be written (File too large).\n"
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_folder_must_exist(tmp_path):
    with pytest.raises(SightlineError, match=r"file: cannot be written \(No such file or directory\)\.$"):
        atomic_write(tmp_path / "nowhere" / "file", "x")


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_folder_is_not_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(SightlineError, match=r"folder: cannot be written \(Is a directory\)\.$"):
        atomic_write(tmp_path / "folder", "x")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_text_without_utf8_form_touches_nothing(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        atomic_write(tmp_path / "file", "\ud800")
    assert list(tmp_path.iterdir()) == []


def test_long_name_is_no_obstacle(tmp_path):
    """The temporary name must not be longer than file systems allow."""
    path = tmp_path / ("x" * 255)
    atomic_write(path, "x")
    assert path.read_text() == "x"


@pytest.mark.skipif(os.name != "posix", reason=NO_POSIX)
def test_link_keeps_pointing(tmp_path):
    """The link is followed, not replaced by a file."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    atomic_write(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
