import io
import sys

from sightline.progress import progress_bar


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_silence_where_nobody_looks(capsys):
    with progress_bar("Counting", 3) as bar:
        bar.update(2, "on the way")
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_a_terminal(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("Counting", 3) as bar:
        bar.update(2, "best [0.5]")
        bar.display.refresh()
    shown = sys.stderr.getvalue()
    assert "Counting" in shown
    assert "2/3" in shown
    assert "best [0.5]" in shown


def test_silence_where_it_is_wanted(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress_bar("Counting", 3, wanted=False) as bar:
        bar.update(3)
    assert sys.stderr.getvalue() == ""


def test_one_bar_at_a_time(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with progress_bar("Outer", 3), progress_bar("Inner", 3) as bar:
        bar.update(2)
    assert "Inner" not in sys.stderr.getvalue()
    with progress_bar("Next", 3):
        pass
    assert "Next" in sys.stderr.getvalue()
