"""Try an installed clustervet as a user who has nothing else: README, guide and every command.

`make wheel` runs it on the wheel under constraints.txt, where the guide must print what it shows;
`make oldest` runs it under constraints-oldest.txt, where every command must end well. The wheel is
installed with its default dependencies into a new environment, and everything is run there, in a
folder of its own.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MORE_COMMANDS = (
    "--version",
    "demo --report demo.html",
    "measures",
    "measures vi -f json",
    "lab desiderata -m vi,rand",
    "lab dom",
    "lab advise --need metric",
    "lab text --help",
    "table build wines.csv -t cultivar -p ward -o first.json",
    "table build wines.csv -t cultivar -p ward -o second.json",
    "table merge first.json second.json -o both.json",
    "score both.json -f csv",
    "report measured.csv -t seen -p cultivar --features alcohol,ash -o measured.html",
)
USES_TYPES = """
import clustervet as cv

evidence = cv.examine(["a", "b"], {"first": [0, 1]})
cv.write_report(evidence, "types.html")
value: float = cv.adjusted_rand(["a", "b"], [0, 1])
chosen: cv.Tuning = cv.tune("kmeans", [[0.0], [1.0], [2.0]], values=[2])
name: str = cv.measures["vi"].title
cv.plots.points_plot([[0.0, 1.0]], [0])
"""


class Installed:
    """An environment with the wheel, and a folder to work in."""

    def __init__(self, place: Path, wheel: Path, constraints: Path) -> None:
        self.python = place / "env" / "bin" / "python"
        self.folder = place / "work"
        self.folder.mkdir()
        outer = {
            "PYTHONPATH",
            "PYTHONHOME",
            "VIRTUAL_ENV",
        }  # they name the environment of the tests
        self.environment = {name: value for name, value in os.environ.items() if name not in outer}
        self.environment |= {
            "COLUMNS": "120",
            "PYTHONWARNINGS": "error::DeprecationWarning:clustervet",
        }
        self.run(sys.executable, "-m", "venv", str(place / "env"))
        install = ["-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        self.run(str(self.python), *install, "-c", str(constraints), str(wheel))
        self.run(str(self.python), *install, "-c", str(ROOT / "constraints.txt"), *BESIDE)

    def run(self, *command: str) -> str:
        """Return what a command prints; end everything where it fails."""
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=self.folder,
            env=self.environment,
        )
        if done.returncode:
            sys.exit(
                f"{shlex.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}"
            )
        return done.stdout

    def clustervet(self, line: str) -> str:
        """Return what one line of the command prints."""
        return self.run(str(self.python.with_name("clustervet")), *shlex.split(line))


# What a page of the guide says that its example needs.
BESIDE = ("networkx",)
# A figure that is shown opens a browser, so it is only turned into text.
NO_BROWSER = """
import plotly.graph_objects as go

go.Figure.show = lambda figure: figure.to_json()
"""


def blocks(page: Path, kind: str) -> list[str]:
    """The fenced blocks of one kind in a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\s(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def main() -> None:
    """Install the wheel, run everything, and print how much was run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--constraints", type=Path, default=ROOT / "constraints.txt")
    parser.add_argument("--other-numbers", action="store_true", help="the guide may print others")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        tried = Installed(Path(place), options.wheel.resolve(), options.constraints.resolve())
        where = tried.run(str(tried.python), "-c", "import clustervet; print(clustervet.__file__)")
        if not where.startswith(str(tried.python.parent.parent)):
            sys.exit(f"clustervet was imported from {where.strip()}")
        guide = sorted((ROOT / "docs" / "guide").glob("*.md"), key=lambda p: p.stem != "index")
        (readme, *_) = blocks(ROOT / "README.md", "python")
        code = [block for page in guide for block in blocks(page, "python")]
        tried.run(str(tried.python), "-c", readme)
        tried.run(str(tried.python), "-c", NO_BROWSER + "\n".join(code))
        commands = [b for page in guide for b in blocks(page, r"console\n\$ clustervet")]
        shown = [block.partition("\n") for block in commands]
        for command, _, answer in shown:
            printed = tried.clustervet(command)
            if printed.rstrip() != answer.rstrip() and not options.other_numbers:
                sys.exit(f"clustervet {command}\nprinted\n{printed}\nand the guide shows\n{answer}")
        for command in MORE_COMMANDS:
            tried.clustervet(command)
        (tried.folder / "user.py").write_text(USES_TYPES, encoding="utf-8")
        checks = ["-m", "mypy", "--strict", "--cache-dir", place, "--python-executable"]
        tried.run(sys.executable, *checks, str(tried.python), "user.py")
        count = len(shown) + len(MORE_COMMANDS)
        print(f"{options.wheel.name}: {count} commands, the README and a typed script ran.")


if __name__ == "__main__":
    main()
