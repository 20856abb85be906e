"""Compiles the lessons, assets/lessons/, to the files that the page loads when one of them opens."""

from pathlib import Path

import npm
import stamps
from places import BUILD, ROOT
from report import run

SOURCES = ROOT / "assets" / "lessons"
SCRIPT = Path(__file__).with_name("lessons.mjs")
OUT = BUILD / "lessons"


def make() -> None:
    """Brings build/lessons/ up to date. A lesson that names an output that no study has stops the build."""
    studies = ROOT / "src" / "studies"
    read = sorted((*SOURCES.rglob("*.md"), SOURCES / "paths.json", *studies.rglob("*.h"), *(ROOT / "web" / "lessons").glob("*.js")))
    value = stamps.digest(*map(str, read), *read, SCRIPT, studies / "studies.def", ROOT / "package-lock.json")
    if stamps.is_current(OUT / "stamp", value) and (OUT / "index.json").exists():
        return
    for old in OUT.glob("*.json"):
        old.unlink()
    run("Compiling the lessons", [npm.node(), SCRIPT, OUT], "lessons", cwd=ROOT)
    stamps.write(OUT / "stamp", value)


def index() -> str:
    """The list of lessons as JSON, as the page holds it."""
    make()
    return (OUT / "index.json").read_text(encoding="utf-8")


def made() -> dict[Path, Path]:
    """The files to serve, by their path in the site."""
    make()
    return {Path("lessons") / path.name: path for path in sorted(OUT.glob("*.json")) if path.name != "index.json"}
