"""The C++ sources' format, by the one clang-format that package-lock.json pins."""

import subprocess
from pathlib import Path

import npm
from places import ROOT
from report import Failure, say

SCRIPT = Path(__file__).with_name("clang_format.mjs")
SUFFIXES = {".h", ".cpp"}


def sources() -> list[str]:
    found = (path for folder in ("src", "tests") for path in (ROOT / folder).rglob("*"))
    return sorted(str(path.relative_to(ROOT)) for path in found if path.suffix in SUFFIXES)


def clang_format(mode: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(npm.node()), str(SCRIPT), mode],
        input="\n".join(sources()),
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        check=False,
    )


def rewrite() -> int:
    answer = clang_format("--write")
    if answer.returncode != 0:
        raise Failure("clang-format failed.", answer.stderr)
    changed = answer.stdout.split()
    say(f"formatted {len(changed)} of {len(sources())} files")
    return 0


def check() -> None:
    answer = clang_format("--check")
    if answer.stderr:
        raise Failure("clang-format failed.", answer.stderr)
    if answer.returncode != 0:
        raise Failure("Some files are not in the project's format; run ./dev format.", answer.stdout)
