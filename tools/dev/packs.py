"""Packs: a model as shards with a manifest, ready for hosting. The program helixscope makes them; here they are found."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple, Optional

from places import DOWNLOADS
from report import Failure, say

MANIFEST = "manifest.json"
PRECISIONS = ("f32", "f16", "q8")
MAX_MANIFEST = 4_000_000
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Part(NamedTuple):
    file: str
    bytes: int


class Pack(NamedTuple):
    """What a manifest says, as far as serving needs it."""

    name: str
    precision: str
    bytes: int  # of the whole safetensors file
    sha256: str
    missing: tuple[str, ...]
    shards: tuple[Part, ...]
    files: tuple[Part, ...]


class NotAPack(ValueError):
    """The end of a sentence that says what is wrong with the manifest or the folder."""


def whole_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 1 << 53:
        raise NotAPack("its manifest.json has a size that is none")
    return value


def parts(entries: object) -> tuple[Part, ...]:
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise NotAPack("its manifest.json does not list its files")
    found = tuple(Part(str(entry.get("file")), whole_number(entry.get("bytes"))) for entry in entries)
    if not all(PLAIN_NAME.fullmatch(part.file) for part in found):
        raise NotAPack("its manifest.json names a file outside of its folder")
    return found


def parse(text: str) -> Pack:
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAPack("its manifest.json is not valid JSON") from error
    if not isinstance(manifest, dict) or manifest.get("format") != "helixscope-pack":
        raise NotAPack("its manifest.json is not that of a pack")
    if manifest.get("version") != 1:
        raise NotAPack("its manifest.json is of a version that is not known here")
    if not re.fullmatch("[0-9a-f]{64}", str(manifest.get("sha256"))) or manifest.get("precision") not in PRECISIONS:
        raise NotAPack("its manifest.json is damaged")
    missing = manifest.get("missing", [])
    pack = Pack(
        str(manifest.get("name")),
        manifest["precision"],
        whole_number(manifest.get("bytes")),
        manifest["sha256"],
        tuple(str(part) for part in missing) if isinstance(missing, list) else (),
        parts(manifest.get("shards")),
        parts(manifest.get("files")),
    )
    if sum(part.bytes for part in pack.shards) != pack.bytes:
        raise NotAPack("its shards are not as large as its manifest.json says of the whole")
    return pack


def read(folder: Path) -> Pack:
    """The pack in a folder, after checking that its files exist with their sizes. `helixscope info` checks the hashes."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MAX_MANIFEST:
            raise NotAPack("its manifest.json is too long")
        pack = parse(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise NotAPack("its manifest.json cannot be read") from error
    for part in (*pack.shards, *pack.files):
        file = folder / part.file
        if not file.is_file():
            raise NotAPack(f"{part.file} is missing")
        if file.stat().st_size != part.bytes:
            raise NotAPack(f"{part.file} has {file.stat().st_size:,} bytes where its manifest.json says {part.bytes:,}")
    return pack


def make(model: Path, out: Optional[Path], precision: str) -> Path:
    """Packs a model with the native program, which is built where it has to be; returns the pack's folder."""
    import build

    if not model.exists():
        raise Failure(f"There is no file or folder {model}.")
    stem = model.resolve().name if model.is_dir() else model.stem
    folder = out or DOWNLOADS / f"{stem}-{precision}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    program = build.native()
    say(f"packing {model} in {precision} into {folder} …")
    command = [str(program), "pack", "--model", str(model), "--out", str(folder), "--precision", precision]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise Failure(f"{model} could not be packed.")
    return folder


def tell_how_to_serve(folder: Path, found_anyway: bool) -> None:
    words = "./dev serve" if found_anyway else f"./dev serve --models {folder}"
    say(f"to look at it: {words}")
    say(f"to host it: copy {folder} into models/ of the site, then ./dev models index SITE/models")
