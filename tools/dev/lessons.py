"""Compiles the lessons, assets/lessons/, to the files that the page loads when one of them opens."""

import json
from pathlib import Path

import npm
import stamps
from places import BUILD, ROOT
from report import run

SOURCES = ROOT / "assets" / "lessons"
SCRIPTS = [Path(__file__).with_name(name) for name in ("lessons.mjs", "translated.mjs")]
OUT = BUILD / "lessons"


def make() -> None:
    """Brings build/lessons/ up to date. A lesson that names an output that no study has stops the build."""
    studies = ROOT / "src" / "studies"
    read = sorted((*SOURCES.rglob("*.md"), SOURCES / "paths.json", *studies.rglob("*.h"), *(ROOT / "web" / "lessons").glob("*.js"), ROOT / "web" / "words" / "words.js"))
    value = stamps.digest(*map(str, read), *read, *SCRIPTS, studies / "studies.def", ROOT / "package-lock.json")
    if stamps.is_current(OUT / "stamp", value) and (OUT / "index.json").exists():
        return
    for old in OUT.rglob("*.json"):
        old.unlink()
    run("Compiling the lessons", [npm.node(), SCRIPTS[0], OUT], "lessons", cwd=ROOT)
    stamps.write(OUT / "stamp", value)


def index() -> str:
    """The list of lessons as JSON, as the page holds it."""
    make()
    return (OUT / "index.json").read_text(encoding="utf-8")


def made() -> dict[Path, Path]:
    """The files to serve, by their path in the site."""
    make()
    return {Path("lessons") / path.relative_to(OUT): path for path in sorted(OUT.rglob("*.json")) if path.name not in ("index.json", "entries.json")}


def entries(language: str) -> dict[str, dict[str, str]]:
    """{name: {title, summary}} of the lessons that a language has."""
    make()
    return json.loads((OUT / "entries.json").read_text(encoding="utf-8")).get(language, {})
