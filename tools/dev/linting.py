"""Finds faults in the JavaScript and Python sources, by the linters and the type checker that package-lock.json pins."""

import subprocess
from pathlib import Path
from typing import Sequence

import npm
from places import ROOT
from report import Failure, say

PYTHON = ("assets", "tools", "tests")
TYPES = npm.MODULES / "typescript" / "bin" / "tsc"


def node(script: Path, *arguments: str, names: Sequence[str] = ()) -> str:
    """What the script printed if it found anything, else nothing. `names` go to its standard input."""
    done = subprocess.run(
        [str(npm.node()), str(script), *arguments],
        input="\n".join(names),
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return "" if done.returncode == 0 else done.stdout.strip()


def python_sources() -> list[str]:
    return sorted(str(path.relative_to(ROOT)) for folder in PYTHON for path in (ROOT / folder).rglob("*.py"))


def check() -> None:
    """Runs every linter, even after one has found something."""
    found = [
        node(npm.MODULES / "eslint" / "bin" / "eslint.js", "--max-warnings=0", "."),
        node(TYPES, "--project", "tsconfig.json", "--pretty", "false"),
        node(Path(__file__).with_name("ruff.mjs"), names=python_sources()),
    ]
    if any(found):
        raise Failure("The linters found faults.", "\n".join(filter(None, found)))


def lint() -> int:
    check()
    say("the linters found nothing")
    return 0
