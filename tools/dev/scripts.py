"""The page's modules become one script: forty requests, one after the other, were a third of the way to the first picture."""

import json
from pathlib import Path
from typing import NamedTuple

import npm
import stamps
from places import BUILD, ROOT
from report import run

WEB = ROOT / "web"
OUT = BUILD / "scripts"
ENTRY = "main.js"
# What browsers of the README's versions read; the modules of WebAssembly come from the compiler and stay files of their own.
OPTIONS = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--sourcemap", "--external:./ui.mjs", "--log-level=warning")


class Scripts(NamedTuple):
    """`made`: the files to serve. `inside`: the modules of web/ that are in them, and need not be served."""

    made: tuple[Path, ...]
    inside: frozenset[str]


def make() -> Scripts:
    made = tuple(OUT / name for name in (ENTRY, f"{ENTRY}.map"))
    record = OUT / "inputs.json"
    value = stamps.digest(*OPTIONS, *sorted(WEB.glob("*.js")), ROOT / "package-lock.json")
    if not (stamps.is_current(OUT / "stamp", value) and all(path.exists() for path in (*made, record))):
        program = npm.MODULES / "esbuild" / "bin" / "esbuild"
        run(
            "Joining the page's scripts",
            [npm.node(), program, WEB / ENTRY, *OPTIONS, f"--outfile={made[0]}", f"--metafile={record}"],
            "scripts",
            cwd=ROOT,
        )
        stamps.write(OUT / "stamp", value)
    inputs = json.loads(record.read_text())["inputs"]
    return Scripts(made, frozenset(Path(name).name for name in inputs))
