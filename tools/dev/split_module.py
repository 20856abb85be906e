"""Splits the page's module: what the opening view needs stays in it, and the other studies' views and the comparisons go into a
second one, which the page brings after the first picture. CMake runs this after the link (cmake/Modules.cmake); the module must still
have its functions' names.

What goes is what nothing else reaches: the functions of those views, whose addresses are in the table of studies, and all that only they
call. So the division needs no list of functions, but for a few that the first view reaches only when it is compared or touched (AFTER_FIRST).
The page must not call what has not arrived: web/shell/ui_module.js says how it keeps to that.
"""

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterable, NamedTuple

NAME = r'\$(?:"(?:[^"\\]|\\.)*"|[^\s()]+)'
# Named by what stays, but never called while the first view is drawn: figures of a change, figures beside each other, what a gesture does,
# and of ImGui its menu and tooltip, its tables, which only its recovery from errors names, and its settings, which the page does not keep.
AFTER_FIRST = re.compile(r"helix::studies::(figure_of_change|change_\w+)\(|helix::figure::beside\(|helix::app::(App::take_difference|Canvas::perform)\(|"
                         r"helix::protocol::(entries_along|difference)\(|ImGui::(EndTable|Selectable|MenuItemEx|SetTooltip)\(|SettingsHandler_")
# What the page calls of the module for keys, fingers and exports, which it takes only once everything is there.
INPUT = re.compile(r"\$ui_(key|shift|pointer|cancel_press|pinch|holds|holds_two|pull|end_pull|takes_touch|takes_pinch|double_click|wheel|open_menu|act|csv|markdown|npz)$")
# What the module's own code may use; the tools would otherwise ask for all that a module holds.
FEATURES = ["bulk-memory", "mutable-globals", "multivalue", "nontrapping-float-to-int", "reference-types", "sign-ext", "simd"]
LEAST = 200  # functions: if fewer go, the names have changed and nothing was recognised


class Module(NamedTuple):
    """Whom each function calls or names, which functions' addresses are in the table, and where the outside comes in."""

    calls: dict[str, set[str]]
    in_table: list[str]
    entries: list[str]


def read(text: str) -> Module:
    """From the text form of a module (wasm-dis)."""
    calls: dict[str, set[str]] = {}
    in_table: list[str] = []
    entries: list[str] = []
    for part in re.split(r"\n (?=\()", text):
        if part.startswith("(func "):
            names = re.findall(rf"\((?:call|return_call|ref\.func) ({NAME})", part)
            calls[re.findall(NAME, part)[0]] = set(names)
        elif part.startswith("(elem"):
            in_table += re.findall(NAME, part)[1:]
        elif part.startswith("(export"):
            entries += re.findall(rf"\(func ({NAME})", part)
        elif part.startswith("(start"):
            entries += re.findall(NAME, part)
    return Module(calls, in_table, entries)


def late(module: Module, studies: Iterable[str]) -> list[str]:
    """The functions that go, in their order; `studies`: those whose views go."""
    view = re.compile(rf"helix::studies::({'|'.join(studies)})::(?!.*describe\()(?!view_study\()")
    stays = [name for name in module.in_table if not view.search(name)] + [name for name in module.entries if not INPUT.search(name)]
    open_ends = [name for name in stays if name in module.calls and not AFTER_FIRST.search(name)]
    reached = set(open_ends)
    while open_ends:
        for name in module.calls[open_ends.pop()]:
            if name in module.calls and name not in reached and not AFTER_FIRST.search(name):
                reached.add(name)
                open_ends.append(name)
    return [name for name in module.calls if name not in reached]


def plain(name: str) -> str:
    """A name of the text form as the tools take it in a list."""
    return re.sub(r"\\(.)", r"\1", name[2:-1] if name.startswith('$"') else name[1:])


def studies_of(list_file: Path) -> list[str]:
    return re.findall(r"^STUDY\((\w+)\)", list_file.read_text(), re.MULTILINE)


def split(whole: Path, rest: Path, tools: Path, list_file: Path) -> None:
    features = [f"--enable-{name}" for name in FEATURES]

    def tool(name: str, *arguments: object) -> None:
        subprocess.run([tools / name, *features, *map(str, arguments)], check=True)

    text, names = whole.with_suffix(".wat"), whole.with_suffix(".late")
    tool("wasm-dis", whole, "-o", text)
    found = late(read(text.read_text()), studies_of(list_file)[1:])
    text.unlink()
    if len(found) < LEAST:
        sys.exit(f"split_module.py: only {len(found)} functions belong to later views; have their names changed?")
    names.write_text("".join(f"{plain(name)}\n" for name in found))
    first = whole.with_suffix(".first.wasm")
    tool("wasm-split", whole, f"--split-funcs=@{names}", "--no-placeholders", "--export-prefix=%", "-g", "-o1", first, "-o2", rest)
    tool("wasm-opt", first, "-Oz", "--strip-debug", "--strip-producers", "-o", whole)
    tool("wasm-opt", rest, "-Oz", "--strip-debug", "--strip-producers", "-o", rest)
    first.unlink()
    names.unlink()


if __name__ == "__main__":
    split(*map(Path, sys.argv[1:]))
