"""Assembles the static site in build/site/: the shell, the modules, the fonts, the assets. Any file server can host it."""

import html
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Iterator, Mapping, NamedTuple

import lessons
import models
import notice
import npm
import python_scripts
import scripts
import stamps
from places import BUILD, ROOT, SITE
from report import Failure, output, run, step

TEXT_FILES = {".html", ".js", ".mjs", ".css", ".json", ".webmanifest", ".svg", ".txt"}
# The hub, then the hosts to which it redirects: large files are on other hosts.
HUBS = "https://huggingface.co https://*.huggingface.co https://*.hf.co"
FONTS = BUILD / "fonts"
FONT_FILES = ("HelixscopeSans-Regular.ttf", "HelixscopeSans-SemiBold.ttf", "HelixscopeMono-Regular.ttf", "OFL.txt")


class Item(NamedTuple):
    """One file of the site and what it is made from."""

    target: Path
    source: Path
    replace: bool = False


def version() -> str:
    found = re.search(r"project\(helixscope VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not found:
        raise Failure("CMakeLists.txt names no version.")
    return found[1]


def hubs() -> list[str]:
    """The origins a visitor may load models from ($HELIXSCOPE_HUBS, space-separated; empty: none): the hub itself first,
    then the hosts to which it redirects. They go into the page's policy. Only this machine is allowed without TLS, for tests."""
    given = os.environ.get("HELIXSCOPE_HUBS", HUBS).split()
    for origin in given:
        if not re.fullmatch(r"(https://[A-Za-z0-9.*-]+|http://(127\.0\.0\.1|localhost))(:\d+)?", origin):
            raise Failure(f"HELIXSCOPE_HUBS holds {origin!r}; an origin looks like https://host.")
    if given and "*" in given[0]:
        raise Failure(f"HELIXSCOPE_HUBS begins with {given[0]!r}; the first one is the hub itself, without a star.")
    return given


def bundled_entries() -> list[dict[str, object]]:
    """The page's entries for the models that come with it, with their configurations, which saves a request for each."""
    found = models.bundled(ROOT)
    configs = (model.folder / "config.json" for model in found)
    texts = [path.read_text(encoding="utf-8") if path.is_file() else "" for path in configs]
    return [{**entry, "config": text} for entry, text in zip(models.index(found), texts)]


def picture_files() -> Iterator[Path]:
    """The pictures that studies bring for their cards: src/studies/<id>/card-dark.jpg and card-light.jpg."""
    yield from sorted((ROOT / "src" / "studies").glob("*/card-*.jpg"))


def pictures() -> dict[str, dict[str, str]]:
    """Where the page finds the picture of each study, by theme."""
    found: dict[str, dict[str, str]] = {}
    for path in picture_files():
        theme = path.stem.removeprefix("card-")
        found.setdefault(path.parent.name, {})[theme] = f"pictures/{path.parent.name}-{theme}.jpg"
    return {study: themes for study, themes in found.items() if {"dark", "light"} <= themes.keys()}


def commit() -> str:
    """The commit that the site is made from, or "" outside a clone; `+` after it: with changes that are in no commit."""
    found = output(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"]).strip()
    return f"{found}+" if found and output(["git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"]) else found


def live_address() -> str:
    """Where the page will be published ($HELIXSCOPE_ADDRESS), for its About sheet and for citations; "": nowhere in particular."""
    given = os.environ.get("HELIXSCOPE_ADDRESS", "")
    if given and not re.fullmatch(r"https://[^\s\"'<>#?]+/", given):
        raise Failure(f"HELIXSCOPE_ADDRESS is {given!r}; an address looks like https://host/path/.")
    return given


def placeholders() -> dict[str, str]:
    found = hubs()
    bundled = json.dumps(bundled_entries())
    return {
        "%VERSION%": version(),
        "%COMMIT%": commit(),
        "%ADDRESS%": live_address(),
        "%CONNECT_HUBS%": " ".join(found),
        "%HUB%": found[0] if found else "",
        "%BUNDLED%": html.escape(bundled),
        "%PICTURES%": html.escape(json.dumps(pictures())),
        "%SCRIPTS%": html.escape(json.dumps(python_scripts.addresses())),
        "%LESSONS%": html.escape(lessons.index()),
    }


def make_fonts() -> None:
    script = Path(__file__).with_name("fonts.mjs")
    value = stamps.digest(script, ROOT / "package-lock.json")
    if stamps.is_current(FONTS / "stamp", value) and all((FONTS / name).exists() for name in FONT_FILES):
        return
    node = npm.node()
    with step("cutting the fonts to the characters the page shows"):
        run("Making the fonts", [node, script, FONTS], "fonts", cwd=ROOT)
    stamps.write(FONTS / "stamp", value)


def tree(folder: Path) -> Iterator[Path]:
    """The files below a folder, hidden ones left out, as paths relative to it."""
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            yield relative


def items(engines: Mapping[str, Path]) -> Iterator[Item]:
    web = ROOT / "web"
    joined = scripts.make()
    for path in tree(web):
        if path not in joined.inside:
            yield Item(path, web / path, path.suffix in TEXT_FILES)
    for place, path in joined.made.items():
        yield Item(place, path)
    for flavour, folder in engines.items():
        # The script holds the name of its .wasm file and, for its threads, its own: both are replaced when the files are renamed.
        yield Item(Path(f"engine-{flavour}.mjs"), folder / "engine.mjs", True)
        yield Item(Path(f"engine-{flavour}.wasm"), folder / "engine.wasm")
    for name in ("ui.mjs", "ui.wasm"):
        yield Item(Path(name), engines["simd"] / name)
    for name in FONT_FILES:
        yield Item(Path("fonts") / name, FONTS / name)
    yield Item(Path("NOTICE.txt"), notice.make(engines))
    for path in picture_files():
        yield Item(Path("pictures") / f"{path.parent.name}-{path.stem.removeprefix('card-')}.jpg", path)
    for place, path in lessons.made().items():
        yield Item(place, path)
    for place, path in python_scripts.made().items():
        yield Item(place, path)
    for path in tree(ROOT / "assets"):
        if path.parts[0] not in (lessons.SOURCES.name, python_scripts.SOURCES.name):
            yield Item(Path("assets") / path, ROOT / "assets" / path)


def content(item: Item, words: Mapping[str, str]) -> bytes:
    """The content that the file must have; only text with placeholders is made in memory."""
    text = item.source.read_text(encoding="utf-8")
    for word, value in words.items():
        text = text.replace(word, value)
    if item.target.name.startswith("engine-"):
        text = text.replace("engine.wasm", item.target.with_suffix(".wasm").name).replace("engine.mjs", item.target.name)
    # An empty list of hubs leaves a space before it.
    return text.replace("'self' ;", "'self';").encode()


def is_same(item: Item, target: Path) -> bool:
    """Whether a copied file is current: the same size and not older."""
    source = item.source.stat()
    return target.is_file() and target.stat().st_size == source.st_size and target.stat().st_mtime >= source.st_mtime


def place(item: Item, words: Mapping[str, str]) -> None:
    """Writes one file of the site, unless it is current: browsers use its time for caching."""
    if not item.source.is_file():
        raise Failure(f"The site needs {item.source.relative_to(ROOT)}, which is missing.")
    target = SITE / item.target
    target.parent.mkdir(parents=True, exist_ok=True)
    if item.replace:
        write_if_changed(target, content(item, words))
    elif not is_same(item, target):
        shutil.copyfile(item.source, target)


def write_if_changed(target: Path, data: bytes) -> None:
    if not (target.is_file() and target.read_bytes() == data):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def remove_stale(kept: set[Path]) -> None:
    for path in sorted(SITE.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(SITE) not in kept:
            path.unlink()


def assemble(engines: Mapping[str, Path]) -> Path:
    """Brings build/site/ up to date; `engines` maps each flavour to the folder that holds its modules."""
    if not (ROOT / "web" / "index.html").is_file():
        raise Failure("The site needs web/index.html, which is missing.")
    make_fonts()
    with stamps.lock(BUILD / "site.lock", "assembles the site"):
        wanted = list(items(engines))
        words = placeholders()
        for item in wanted:
            place(item, words)
        kept = {item.target for item in wanted}
        bundled = models.index(models.bundled(SITE))
        if bundled:
            kept.add(Path("models/index.json"))
            write_if_changed(SITE / "models" / "index.json", json.dumps(bundled, indent=1).encode())
        remove_stale(kept)
    return SITE


if __name__ == "__main__":
    # Prints a file of web/ as built with this environment's settings: python3 tools/dev/website.py index.html
    sys.stdout.buffer.write(content(Item(Path(sys.argv[1]), ROOT / "web" / sys.argv[1], True), placeholders()))
