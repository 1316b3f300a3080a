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
