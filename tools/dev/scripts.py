"""Joins the page's modules into one script, and those of what opens later into others: forty sequential requests took a third of the
time to the first picture."""

import json
from pathlib import Path
from typing import NamedTuple

import npm
import stamps
from places import BUILD, ROOT
from report import run

WEB = ROOT / "web"
OUT = BUILD / "scripts"
# A script lies where its first module does, one folder below the page. Every address in a module begins with "../", the
# page's folder, whether the module is loaded alone or as part of the script. The lessons, presenter's mode, the link builder and
# the teacher's page are scripts of their own, which load when one of them opens.
ENTRIES = (Path("start/main.js"), *(Path(name, f"{name}.js") for name in ("lessons", "present", "share", "teach")))
# The syntax of the README's browser versions; the WebAssembly modules come from the compiler and stay separate files.
OPTIONS = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--sourcemap", "--external:../ui.mjs",
           *(f"--external:../{entry}" for entry in ENTRIES[1:]), "--log-level=warning")


class Scripts(NamedTuple):
    """`made`: the files to serve, by their path in the site. `inside`: the modules that are joined into them and need not be
    served, by their path in web/."""

    made: dict[Path, Path]
    inside: frozenset[Path]


def make() -> Scripts:
    made = {place: OUT / place for entry in ENTRIES for place in (entry, entry.with_name(f"{entry.name}.map"))}
    record = OUT / "inputs.json"
    modules = sorted(WEB.rglob("*.js"))
    value = stamps.digest(*OPTIONS, *map(str, modules), *modules, ROOT / "package-lock.json")
    if not (stamps.is_current(OUT / "stamp", value) and all(path.exists() for path in (*made.values(), record))):
        program = npm.MODULES / "esbuild" / "bin" / "esbuild"
        run(
            "Joining the page's scripts",
            [npm.node(), program, *(WEB / entry for entry in ENTRIES), *OPTIONS, f"--outbase={WEB}", f"--outdir={OUT}",
             f"--metafile={record}"],
            "scripts",
            cwd=ROOT,
        )
        stamps.write(OUT / "stamp", value)
    inputs = json.loads(record.read_text())["inputs"]
    return Scripts(made, frozenset((ROOT / name).relative_to(WEB) for name in inputs if name.startswith(f"{WEB.name}/")))
