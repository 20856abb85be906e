"""Chooses tests whose file or title contains one of the given words, in Python, C++ and JavaScript."""

import ast
import re
from pathlib import Path
from typing import Iterator, NamedTuple, Sequence

from places import ROOT

TESTS = ROOT / "tests"
CPP_TITLE = re.compile(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)')
JAVASCRIPT_TITLE = re.compile(r"\b(?:test|describe)\(\s*(?:\"([^\"\n]*)\"|'([^'\n]*)'|`([^`]*)`)")
LEAST_PIECE = 6  # the fewest letters of a title's fixed part that count as a match


class Chosen(NamedTuple):
    """The chosen tests. `whole`: JavaScript files whose name matches; `parts`: files that may hold a matching title."""

    python: dict[Path, list[str]]
    cpp: list[str]
    whole: list[Path]
    parts: list[Path]

    def __bool__(self) -> bool:
        return any(self)


def has(text: str, names: Sequence[str]) -> bool:
    return any(name.lower() in text.lower() for name in names)


def file_name(path: Path) -> str:
    return path.relative_to(TESTS).as_posix()


def python_ids(path: Path) -> Iterator[str]:
    for holder in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(holder, ast.ClassDef):
            for part in holder.body:
                if isinstance(part, ast.FunctionDef) and part.name.startswith("test"):
                    yield f"{path.stem}.{holder.name}.{part.name}"


def python_tests(path: Path, names: Sequence[str]) -> list[str]:
    """The patterns for `unittest -k`. A title may be given with spaces."""
    if has(file_name(path), names):
        return [f"{path.stem}."]
    return [each for each in python_ids(path) if has(each, names) or has(each.replace("_", " "), names)]


def cpp_titles(path: Path, names: Sequence[str]) -> Iterator[str]:
    for literals in CPP_TITLE.findall(path.read_text(encoding="utf-8")):
        title = "".join(ast.literal_eval(text) for text in re.findall(r'"(?:[^"\\]|\\.)*"', literals))
        if has(f"{file_name(path)}\n{title}", names):
            yield title


def may_hold(path: Path, names: Sequence[str]) -> bool:
    """Titles are composed at run time, so a file matches if it holds the name or a piece that the name contains."""
    text = path.read_text(encoding="utf-8")
    titles = ["".join(found) for found in JAVASCRIPT_TITLE.findall(text)]
    pieces = [piece.strip() for title in titles for piece in re.split(r"\$\{[^}]*\}", title)]
    return has(text, names) or any(len(p) >= LEAST_PIECE and p.lower() in n.lower() for p in pieces for n in names)


def choose(names: Sequence[str]) -> Chosen:
    python = {path: python_tests(path, names) for path in sorted(TESTS.rglob("*_test.py"))}
    cpp = [title for path in sorted(TESTS.rglob("*_test.cpp")) for title in cpp_titles(path, names)]
    javascript = sorted(TESTS.rglob("*_test.mjs"))
    whole = [path for path in javascript if has(file_name(path), names)]
    parts = [path for path in javascript if path not in whole and may_hold(path, names)]
    return Chosen({path: found for path, found in python.items() if found}, cpp, whole, parts)


def title_pattern(names: Sequence[str]) -> str:
    """For node's --test-name-pattern."""
    plain = (re.sub(r"[\\^$.*+?()\[\]{}|/]", lambda found: "\\" + found[0], name) for name in names)
    return f"/{'|'.join(plain)}/i"
