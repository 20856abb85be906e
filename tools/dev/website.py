"""Assembles the static site in build/site/: the shell, the modules, the fonts, the assets. Any file server can host it."""

import hashlib
import html
import json
import os
import re
import sys
from pathlib import Path
from typing import Callable, Iterable, Iterator, Mapping, NamedTuple, Sequence

import lessons
import models
import naming
import notice
import npm
import python_scripts
import scripts
import server
import stamps
import translations
from places import BUILD, ROOT, SITE
from report import Failure, output, run, step

# The hub, then the hosts to which it redirects: large files are on other hosts.
HUBS = "https://huggingface.co https://*.huggingface.co https://*.hf.co"
FONTS = BUILD / "fonts"
FONT_FILES = ("HelixscopeSans-Regular.ttf", "HelixscopeSans-SemiBold.ttf", "HelixscopeMono-Regular.ttf", "OFL.txt")


PAGE, WORKER, LIST = Path("index.html"), Path("isolation_worker.js"), Path("models/index.json")
HOST_HEADERS = Path("_headers")
KEPT = {PAGE, WORKER, LIST, HOST_HEADERS}  # the files that keep their names
PACKED = (".br", ".gz")
COMPRESSIBLE = {".html", ".js", ".mjs", ".css", ".json", ".wasm", ".svg", ".ttf", ".txt", ".py", ".webmanifest"}
ISOLATION = """/*
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Cross-Origin-Resource-Policy: same-origin
  X-Content-Type-Options: nosniff
"""


class Item(NamedTuple):
    """One file of the site and what it is made from."""

    target: Path
    source: Path


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


def bundled_models(names: Mapping[Path, Path]) -> list[models.Model]:
    """The models that come with the page, at their place in the site."""
    found = models.bundled(ROOT)
    return [model._replace(path=f"{names[Path(model.path) / model.files[0]].parent.as_posix()}/") for model in found]


def bundled_entries(found: Sequence[models.Model]) -> list[dict[str, object]]:
    """The page's entries for the models that come with it, with their configurations, which saves a request for each."""
    configs = (model.folder / "config.json" for model in found)
    texts = [path.read_text(encoding="utf-8") if path.is_file() else "" for path in configs]
    return [{**entry, "config": text} for entry, text in zip(models.index(found), texts)]


def picture_files() -> Iterator[Path]:
    """The pictures that studies bring for their cards: src/studies/<id>/card-dark.jpg and card-light.jpg."""
    yield from sorted((ROOT / "src" / "studies").glob("*/card-*.jpg"))


def picture_place(path: Path) -> Path:
    return Path("pictures") / f"{path.parent.name}-{path.stem.removeprefix('card-')}.jpg"


def pictures(names: Mapping[Path, Path]) -> dict[str, dict[str, str]]:
    """Where the page finds the picture of each study, by theme."""
    found: dict[str, dict[str, str]] = {}
    for path in picture_files():
        theme = path.stem.removeprefix("card-")
        found.setdefault(path.parent.name, {})[theme] = names[picture_place(path)].as_posix()
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


def asked_by_name(names: Mapping[Path, Path]) -> dict[str, str]:
    """The table of names in the page, for its scripts (web/start/files.js): what they ask for and index.html does not name."""
    left_out = {"pictures", "assets"}
    wanted = (".js", ".mjs", ".wasm", ".css", ".json", ".ttf", ".py")
    return {place.as_posix(): made.as_posix() for place, made in sorted(names.items())
            if place.parts[0] not in left_out and (place.suffix in wanted or place.parts[0] == "words")}


def placeholders(names: Mapping[Path, Path], bundled: Sequence[models.Model], build: str) -> dict[str, str]:
    found = hubs()
    return {
        "%VERSION%": version(),
        "%COMMIT%": commit(),
        "%ADDRESS%": live_address(),
        "%BUILD%": build,
        "%CONNECT_HUBS%": " ".join(found),
        "%HUB%": found[0] if found else "",
        "%BUNDLED%": html.escape(json.dumps(bundled_entries(bundled))),
        "%PICTURES%": html.escape(json.dumps(pictures(names))),
        "%SCRIPTS%": html.escape(json.dumps(python_scripts.addresses())),
        "%LESSONS%": html.escape(lessons.index()),
        "%LANGUAGES%": html.escape(translations.names()),
        "%FILES%": html.escape(json.dumps(asked_by_name(names))),
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
            yield Item(path, web / path)
    for place, path in joined.made.items():
        yield Item(place, path)
    for flavour, folder in engines.items():
        for ending in ("mjs", "wasm"):
            yield Item(Path(f"engine-{flavour}.{ending}"), folder / f"engine.{ending}")
    for name in ("ui.mjs", "ui.wasm", "ui_rest.wasm"):
        yield Item(Path(name), engines["simd"] / name)
    for name in FONT_FILES:
        yield Item(Path("fonts") / name, FONTS / name)
    yield Item(Path("NOTICE.txt"), notice.make(engines))
    for path in picture_files():
        yield Item(picture_place(path), path)
    for place, path in (*lessons.made().items(), *translations.made().items()):
        yield Item(place, path)
    for place, path in python_scripts.made().items():
        yield Item(place, path)
    for path in tree(ROOT / "assets"):
        if path.parts[0] not in (lessons.SOURCES.name, translations.SOURCES.name, python_scripts.SOURCES.name):
            yield Item(Path("assets") / path, ROOT / "assets" / path)


def read(item: Item) -> bytes:
    if not item.source.is_file():
        raise Failure(f"The site needs {item.source.relative_to(ROOT)}, which is missing.")
    return item.source.read_bytes()


def is_model_file(place: Path) -> bool:
    return place.parts[:2] == ("assets", "models")


def model_folders(files: Mapping[Path, bytes]) -> dict[Path, Path]:
    """The models' files, by their place: the folder of each model lies in one whose name is a hash of all of them. They keep their own
    names, which are those of the hub's form and of packs."""
    folders: dict[str, list[Path]] = {}
    for place in sorted(files):
        folders.setdefault(place.parts[2], []).append(place)
    found = {}
    for places in folders.values():
        total = hashlib.sha256()
        for place in places:
            total.update(place.as_posix().encode() + hashlib.sha256(files[place]).digest())
        for place in places:
            found[place] = Path(*place.parts[:2], total.hexdigest()[: naming.DIGITS], *place.parts[2:])
    return found


def make_files(wanted: Sequence[Item]) -> dict[Path, naming.Made]:
    """Every file of the site but those that keep their names, by its place in the sources. A file that names others comes after them."""
    data = {item.target: read(item) for item in wanted if item.target not in KEPT}
    made: dict[Path, naming.Made] = {}
    in_models = {place: content for place, content in data.items() if is_model_file(place)}
    for place, there in model_folders(in_models).items():
        made[place] = naming.kept(there, data.pop(place))
    for place in [p for p in data if p.suffix == ".mjs"]:
        # For its threads an engine's script asks for itself, by the name that it had when it was built.
        text = data[place].replace(b'new URL("engine.mjs",import.meta.url)', b"new URL(import.meta.url)")
        modules = [each for each in (place.with_suffix(".wasm"), place.with_name(f"{place.stem}_rest.wasm")) if each in data]
        data.update(zip([place, *modules], naming.paired(text, *(data[each] for each in modules))))
    names: dict[Path, Path] = {}
    for place in sorted(data, key=lambda p: (p.suffix in (".js", ".css", ".webmanifest"), p)):
        content = data[place]
        if place.with_name(f"{place.name}.map") in names:
            content = naming.with_map(content, names[place.with_name(f"{place.name}.map")])
        if place.suffix == ".css":
            content = naming.with_addresses(content, names, place)
        if place.suffix == ".webmanifest":
            content = naming.with_icons(content, names)
        made[place] = naming.named(place, content)
        names[place] = made[place].place
    return made


def offline(names: Mapping[Path, Path], page: bytes) -> dict[str, str]:
    """What the service worker keeps, as it lies in the site: at once, the engine that the browser can run, and when it is first used."""

    def listed(wanted: Callable[[Path], bool]) -> str:
        return " ".join(made.as_posix() for place, made in sorted(names.items()) if wanted(place))

    def of_engine(flavour: str) -> Callable[[Path], bool]:
        return lambda place: place.stem == f"engine-{flavour}"

    def is_first(place: Path) -> bool:
        looks = place.suffix in (".js", ".css", ".ttf", ".svg", ".png", ".webmanifest") or place.parts[0] in ("lessons", "words") or place.stem in ("ui", "ui_rest")
        beside = is_model_file(place) and place.name in models.BESIDE and place.suffix != ".safetensors"
        return (looks or beside) and place.suffix != ".map"

    def is_later(place: Path) -> bool:
        return not is_first(place) and place.suffix not in (".map", ".safetensors")

    return {"%PAGE%": hashlib.sha256(page).hexdigest()[: naming.DIGITS], "%FIRST%": listed(is_first), "%LATER%": listed(is_later),
            "%SIMD%": listed(of_engine("simd")), "%RELAXED%": listed(of_engine("relaxed"))}


def filled(text: str, words: Mapping[str, str], names: Mapping[Path, Path]) -> bytes:
    """index.html or the service worker, with what the build knows."""
    for word, value in words.items():
        text = text.replace(word, value)
    # An empty list of hubs leaves a space before it.
    return naming.with_names(text, names).replace("'self' ;", "'self';").encode()


def write_if_changed(target: Path, data: bytes) -> None:
    """A file that is current is left alone: browsers use its time for caching."""
    if not (target.is_file() and target.stat().st_size == len(data) and target.read_bytes() == data):
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def host_headers(places: Iterable[Path]) -> bytes:
    """The file _headers, which some hosts read (docs/hosting.md): what can be cached for ever, and what makes the page isolated."""
    lasting = sorted({f"/{place.parts[0]}/*" if len(place.parts) > 1 else f"/{place}" for place in places})
    rules = [f"{path}\n  Cache-Control: {server.FOR_EVER}\n" for path in lasting]
    fresh = ("/", *(f"/{place.as_posix()}" for place in sorted((PAGE, WORKER, LIST))))
    return (ISOLATION + "".join(f"{path}\n  Cache-Control: no-cache\n" for path in fresh) + "".join(rules)).encode()


def compress(site: Path) -> None:
    """Puts compressed copies beside the files, for hosts that send them as they lie. Takes half a minute, once for each content."""
    files = [path.relative_to(site) for path in sorted(site.rglob("*")) if path.suffix in COMPRESSIBLE and path.is_file()]
    with step("compressing the site's files"):
        run("Compressing the site", [npm.node(), Path(__file__).with_name("compress.mjs"), site, BUILD / "compressed", *files], "compress", cwd=ROOT)


def is_kept(path: Path, kept: set[Path]) -> bool:
    """A compressed copy stays with a file whose contents never change."""
    plain = path.with_suffix("") if path.suffix in PACKED else path
    return plain in kept and (plain is path or plain not in KEPT)


def remove_stale(site: Path, kept: set[Path]) -> None:
    for path in sorted(site.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif not is_kept(path.relative_to(site), kept):
            path.unlink()


def assemble(engines: Mapping[str, Path], site: Path = SITE, compressed: bool = False) -> Path:
    """Brings build/site/ up to date; `engines` maps each flavour to the folder that holds its modules. index.html is written last: it
    never names a file that is not there yet."""
    web = ROOT / "web"
    if not (web / "index.html").is_file():
        raise Failure("The site needs web/index.html, which is missing.")
    make_fonts()
    with stamps.lock(BUILD / "site.lock", "assembles the site"):
        made = make_files(list(items(engines)))
        names = {place: file.place for place, file in made.items()}
        listed = naming.named(Path(naming.MANIFEST), naming.manifest(made.items(), version()))
        write_if_changed(site / HOST_HEADERS, host_headers(file.place for file in (*made.values(), listed)))
        for file in (*made.values(), listed):
            write_if_changed(site / file.place, file.data)
        bundled = bundled_models(names)
        words = placeholders(names, bundled, listed.sha256[: naming.DIGITS])
        if bundled:
            write_if_changed(site / LIST, models.index_json(bundled))
        page = filled((web / PAGE).read_text(encoding="utf-8"), words, names)
        worker = filled((web / WORKER).read_text(encoding="utf-8"), offline(names, page), {})
        write_if_changed(site / WORKER, worker)
        write_if_changed(site / PAGE, page)
        remove_stale(site, {file.place for file in (*made.values(), listed)} | (KEPT if bundled else KEPT - {LIST}))
        if compressed:
            compress(site)
    return site


def page_again() -> bytes:
    """index.html of the built site with this environment's settings, such as other hubs."""
    listed = next(SITE.glob(f"{Path(naming.MANIFEST).stem}.*.json"))
    names = {Path(place): Path(file["file"]) for place, file in json.loads(listed.read_text())["files"].items()}
    return filled((ROOT / "web" / PAGE).read_text(encoding="utf-8"), placeholders(names, bundled_models(names), listed.name.split(".")[1]), names)


if __name__ == "__main__":
    sys.stdout.buffer.write(page_again())
