"""The names of the site's files: each has a hash of its contents in it, so that a cache may keep it for ever and two versions of
the site never mix. Only index.html, which holds the other names, the service worker and the list of models keep theirs."""

import hashlib
import json
import re
from pathlib import Path, PurePosixPath
from typing import Iterable, Mapping, NamedTuple

DIGITS = 10  # of SHA-256 in a name
SECTION = "pair"  # the custom section of a module that names its script
MANIFEST = "files.json"


class Made(NamedTuple):
    """A file of the site: its place there, its contents, and its SHA-256."""

    place: Path
    data: bytes
    sha256: str


def named(place: Path, data: bytes) -> Made:
    """start/main.js as start/main.0123456789.js; the map of a script is main.0123456789.js.map."""
    digest = hashlib.sha256(data).hexdigest()
    stem, *endings = place.name.split(".")
    if place.suffix not in (".map",):
        stem, endings = place.stem, [place.suffix[1:]]
    return Made(place.with_name(".".join([stem, digest[:DIGITS], *endings])), data, digest)


def kept(place: Path, data: bytes) -> Made:
    return Made(place, data, hashlib.sha256(data).hexdigest())


def with_map(script: bytes, named_map: Path) -> bytes:
    """The script with its map under the map's own name."""
    return re.sub(rb"(?<=//# sourceMappingURL=)\S+", named_map.name.encode(), script)


def with_addresses(style: bytes, names: Mapping[Path, Path], place: Path) -> bytes:
    """A style sheet whose url("…") lead to the files' own names."""

    def renamed(found: "re.Match[str]") -> str:
        target = Path(PurePosixPath(*resolved(place.parent, found[1])))
        return f'url("{found[1].rsplit("/", 1)[0]}/{names[target].name}")'

    return re.sub(r'url\("([^":]+)"\)', renamed, style.decode()).encode()


def with_icons(manifest_text: bytes, names: Mapping[Path, Path]) -> bytes:
    """The web manifest whose icons lead to the files' own names."""
    document = json.loads(manifest_text)
    for icon in document["icons"]:
        icon["src"] = names[Path(icon["src"])].as_posix()
    return json.dumps(document, indent=1).encode()


def resolved(folder: Path, address: str) -> list[str]:
    parts = list(folder.parts)
    for part in address.split("/"):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return parts


def with_names(page: str, names: Mapping[Path, Path]) -> str:
    """index.html whose attributes lead to the files' own names."""

    def renamed(found: "re.Match[str]") -> str:
        made = names.get(Path(found[2]))
        return f'{found[1]}="{made.as_posix()}"' if made else found[0]

    return re.sub(r'\b(href|src)="([^"#:]+)"', renamed, page)


def leb(number: int) -> bytes:
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def paired(script: bytes, *modules: bytes) -> list[bytes]:
    """A script and its WebAssembly modules, each with one name of all: the names that they give their functions are a letter or
    two, so that parts of two versions could be linked and call each other's wrong functions."""
    pair = hashlib.sha256(script + b"".join(modules)).hexdigest()[:DIGITS]
    name = SECTION.encode()
    content = leb(len(name)) + name + pair.encode()
    return [script + f'\nexport const pair = "{pair}";\n'.encode(), *(module + b"\0" + leb(len(content)) + content for module in modules)]


def manifest(made: Iterable[tuple[Path, Made]], version: str) -> bytes:
    """{"version", "files": {place: {"file", "bytes", "sha256"}}}: every file of the site under the name that the sources use."""
    files = {place.as_posix(): {"file": m.place.as_posix(), "bytes": len(m.data), "sha256": m.sha256} for place, m in made}
    return json.dumps({"version": version, "files": dict(sorted(files.items()))}, indent=1).encode() + b"\n"
