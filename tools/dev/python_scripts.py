"""Puts the studies' Python scripts together: assets/python/studies/<id>.py with the parts it imports, in one file that
runs by itself. The page and the program put a view and its numbers into the place @VIEW@.

python3 tools/dev/python_scripts.py FILE.cpp writes all of them as a C++ source, for the program."""

import re
import sys
from pathlib import Path
from typing import Iterator

import stamps
from places import BUILD, ROOT

SOURCES = ROOT / "assets" / "python"
STUDIES, PARTS = SOURCES / "studies", SOURCES / "parts"
OUT = BUILD / "python"
DELIMITER = "PYTHON"

HEAD = '''"""helixscope, study {study}: the numbers of a view, recomputed with numpy.

In a terminal: python3 THIS_FILE MODEL, where MODEL is the model's folder or its .safetensors file.
In a notebook: write that path into MODEL below and run the cell.
The script reads the same weights, computes the numbers of the view and asserts that they agree with helixscope's.
"""
'''
VIEW = '''# The view: its settings, its tokens, its edits, and the numbers that helixscope gave.
# Of an array of more than 1,024 numbers, every k-th is here.
VIEW = json.loads(r"""@VIEW@""")
MODEL = "."  # the path to the model
'''


def split(path: Path) -> tuple[list[str], list[str], str]:
    """A source's imports of its own folder, its other imports, and the rest, its docstring as a comment."""
    text = path.read_text(encoding="utf-8")
    doc = re.match(r'"""(.*?)"""\n', text, re.S)
    if not doc:
        raise ValueError(f"{path} begins with no docstring.")
    own, other, rest = [], [], []
    for line in text[doc.end() :].splitlines():
        found = re.match(r"(?:from|import) (\w+)", line)
        if not found:
            rest.append(line)
        elif (PARTS / f"{found[1]}.py").exists():
            own.append(found[1])
        else:
            other.append(line)
    comment = "".join(f"# {line}\n" for line in doc[1].strip().splitlines())
    return own, other, comment + "\n\n" + "\n".join(rest).strip() + "\n"


def sources_of(path: Path, seen: dict[Path, None]) -> dict[Path, None]:
    """A source and the parts it imports, each after those it needs."""
    for name in split(path)[0]:
        part = PARTS / f"{name}.py"
        if part not in seen:
            sources_of(part, seen)
    seen[path] = None
    return seen


def script(path: Path) -> str:
    """The whole script of a study."""
    every = sources_of(PARTS / "check.py", {})
    check = every.popitem()[0]
    sources_of(path, every)
    imports: set[str] = {"import json"}
    texts = []
    for source in (*every, check):
        _, other, text = split(source)
        imports.update(other)
        texts.append(text)
    head = "\n".join((*sorted(i for i in imports if i.startswith("import") and "numpy" not in i), *sorted(i for i in imports if i.startswith("from")), "", "import numpy as np"))
    body = "\n\n".join(texts)
    return HEAD.format(study=path.stem) + "\n" + head + "\n\n" + VIEW + "\n\n" + body + "\n\ncheck(numbers, TOLERANCE, VIEW, MODEL)\n"


def scripts() -> Iterator[tuple[str, str]]:
    """Each study that has a script, and the script."""
    for path in sorted(STUDIES.glob("*.py")):
        yield path.stem, script(path)


def addresses() -> dict[str, str]:
    """Where the page finds the script of each study that has one."""
    return {path.stem: f"python/{path.name}" for path in sorted(STUDIES.glob("*.py"))}


def made() -> dict[Path, Path]:
    """The files to serve, by their path in the site: build/python/ is brought up to date."""
    read = sorted(SOURCES.rglob("*.py"))
    value = stamps.digest(*map(str, read), *read, Path(__file__))
    if not stamps.is_current(OUT / "stamp", value):
        OUT.mkdir(parents=True, exist_ok=True)
        for study, text in scripts():
            (OUT / f"{study}.py").write_text(text, encoding="utf-8")
        stamps.write(OUT / "stamp", value)
    return {Path(address): OUT / Path(address).name for address in addresses().values()}


def cpp() -> str:
    entries = "".join(f'    {{"{study}", R"{DELIMITER}({text}){DELIMITER}"}},\n' for study, text in scripts())
    return f'#include "cli/python_script.h"\n\nnamespace helix::cli {{\n\nstd::span<const StudyScript> study_scripts() {{\n  static constexpr StudyScript all[] = {{\n{entries}  }};\n  return all;\n}}\n\n}}  // namespace helix::cli\n'


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(cpp(), encoding="utf-8")
