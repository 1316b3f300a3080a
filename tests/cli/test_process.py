"""The command as a process: what it costs to ask it something, and Ctrl-C from its first moment on."""

import random
import subprocess
import sys

import pytest
from cases import thorough_after

import sightline as sl

# Interrupts itself when a module is about to be loaded: that of a name, or the n-th.
INTERRUPTING = """
import signal, sys
moment = sys.argv.pop(1)
class Interrupting:
    count = 0
    def find_spec(self, name, path=None, target=None):
        self.count += 1
        if moment in (name, str(self.count)):
            signal.raise_signal(signal.SIGINT)
from sightline.cli import main
sys.meta_path.insert(0, Interrupting())
main()
"""


def command_interrupted_at(moment, *arguments):
    command = [sys.executable, "-c", INTERRUPTING, moment, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


BY_NAME = [
    "typer",
    "sightline._core",
    "sightline.cli._app",
    "rich.progress",
    "numpy",
    "sklearn.base",
    "importlib.readers",
]
BY_NUMBER = sorted(random.Random(0).sample(range(1, 1200), 5))


@pytest.mark.usefixtures("at_a_terminal")
@pytest.mark.parametrize("moment", thorough_after(2, [*BY_NAME, *map(str, BY_NUMBER)]))
def test_interrupted_while_it_starts(moment, tmp_path):
    done = command_interrupted_at(moment, "demo", "--out", tmp_path / "out")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "sightline: interrupted\n")
    assert not (tmp_path / "out").exists()


def test_who_ignores_interrupts_is_not_interrupted():
    """As a shell does for what it runs in the background."""
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from sightline.cli import main\n"
        "signal.raise_signal(signal.SIGINT); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, f"sightline {sl.__version__}\n")


@pytest.mark.parametrize("arguments", [["--help"], ["distill", "--help"], ["reproduce", "--help"], ["fly"]])
def test_help_and_refusals_load_nothing_large(arguments):
    program = (
        "import atexit, sys; from sightline.cli import main\n"
        "large = ('numpy', 'scipy', 'sklearn', 'matplotlib', 'sightline._core')\n"
        "atexit.register(lambda: print('loaded', [name for name in large if name in sys.modules]))\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "loaded []"


def test_shell_completion_offers_verbs_and_options():
    """As bash asks for it."""
    program = "import sys; from sightline.cli import main; sys.argv[0] = 'sightline'; main()"
    for line, word, expected in [
        ("sightline ce", "1", {"certify"}),
        ("sightline distill --max-r", "2", {"--max-rules"}),
    ]:
        asked = {"_SIGHTLINE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": word}
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=asked
        )
        assert set(done.stdout.split()) == expected
