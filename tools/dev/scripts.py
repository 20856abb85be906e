"""Joins the page's modules into one script, and those of what opens later into others: forty sequential requests took a third of the
time to the first picture."""

import json
from pathlib import Path
from typing import NamedTuple

import npm
import stamps
from places import BUILD, ROOT
from report import Failure, run

WEB = ROOT / "web"
OUT = BUILD / "scripts"
FILES = Path("start/files.js")
# The lessons, presenter's mode, the link builder and the teacher's page are scripts of their own, which load when one of them opens.
# No module knows where a file of the page is: the page has a table of their names (web/start/files.js).
ENTRIES = (Path("start/main.js"), *(Path(name, f"{name}.js") for name in ("lessons", "present", "share", "teach")))
# The syntax of the README's browser versions; the WebAssembly modules come from the compiler and stay separate files.
OPTIONS = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--sourcemap", "--log-level=warning")


class Scripts(NamedTuple):
    """`made`: the files to serve, by their path in the site. `inside`: the modules that are joined into them and need not be
    served, by their path in web/."""

    made: dict[Path, Path]
    inside: frozenset[Path]


def make() -> Scripts:
    made = {place: OUT / place for entry in ENTRIES for place in (entry, entry.with_name(f"{entry.name}.map"))}
    record = OUT / "inputs.json"
    modules = sorted(WEB.rglob("*.js"))
    for module in modules:
        if "import.meta.url" in module.read_text(encoding="utf-8") and module.relative_to(WEB) != FILES:
            raise Failure(f"{module.relative_to(ROOT)} uses import.meta.url; the page's files are at addressOf(name) of web/{FILES}.")
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


def minified(script: Path) -> str:
    """One script by itself."""
    place = OUT / script.name
    run(f"Shortening {script.name}", [npm.node(), npm.MODULES / "esbuild" / "bin" / "esbuild", script, "--minify", "--target=es2022", "--log-level=warning", f"--outfile={place}"], "scripts", cwd=ROOT)
    return place.read_text(encoding="utf-8").strip()
