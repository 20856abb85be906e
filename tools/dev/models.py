"""Finds model folders and describes them: the index that the page reads (models/index.json)."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

import checkpoint
import packs
from places import CACHE, DOWNLOADS, ROOT
from report import Failure, say

BESIDE = ("vocab.json", "merges.txt", "config.json", "emergence.safetensors")
# Generic names: such a file is called by its folder's name.
PLAIN_STEMS = {"model", "pytorch_model", "weights", "consolidated", "checkpoint"}


class Model(NamedTuple):
    """A model folder. `path` is where the page finds it, relative to the page. For a pack, `bytes` and `sha256` are those
    of the whole safetensors file, as given in its manifest."""

    name: str
    folder: Path
    path: str
    files: tuple[str, ...]
    bytes: int
    sha256: str
    precision: str
    missing: tuple[str, ...]  # what predictions would need, in words
    title: str = ""  # the title for visitors, where its README has one
    after: str = ""  # the model of the page that it follows in the list; without one it precedes them


def weights_file(folder: Path) -> Optional[Path]:
    """model.safetensors, or else the only .safetensors file."""
    usual = folder / "model.safetensors"
    if usual.is_file():
        return usual
    found = sorted(path for path in folder.glob("*.safetensors") if path.is_file() and path.name not in BESIDE)
    return found[0] if len(found) == 1 else None


def is_model(folder: Path) -> bool:
    return weights_file(folder) is not None or (folder / "manifest.json").is_file()


def folder_name(folder: Path) -> str:
    """For a pack, the name in its manifest, so that the page and the program use the same name."""
    weights = weights_file(folder)
    telling = weights is not None and weights.stem not in PLAIN_STEMS
    name = weights.stem if telling and weights else folder.resolve().name
    if weights is None:
        name = packs.read(folder).name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "model"


def sha256_of(path: Path) -> str:
    """The file's hash, cached by path, size and time, because half a gigabyte takes seconds."""
    stat = path.stat()
    key = hashlib.sha256(f"{path.resolve()}\n{stat.st_size}\n{stat.st_mtime_ns}".encode()).hexdigest()
    remembered = CACHE / "hashes" / key
    if remembered.exists():
        return remembered.read_text()
    total = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            total.update(block)
    remembered.parent.mkdir(parents=True, exist_ok=True)
    remembered.write_text(total.hexdigest())
    return total.hexdigest()


def stays_inside(path: Path, folder: Path) -> bool:
    """False for a symbolic link that leads out of its folder: such a file is never served."""
    return path.is_file() and folder.resolve() in path.resolve().parents


def describe(folder: Path, name: str, path: str) -> Model:
    """Raises packs.NotAPack for a manifest.json that names missing files."""
    weights = weights_file(folder)
    said = said_of(folder, "title"), said_of(folder, "after")
    if weights is None:
        pack = packs.read(folder)
        names = [packs.MANIFEST, *(part.file for part in (*pack.shards, *pack.files))]
        if not all(stays_inside(folder / file, folder) for file in names):
            raise packs.NotAPack("a link leads out of it")
        return Model(name, folder, path, tuple(names), pack.bytes, pack.sha256, pack.precision, pack.missing, *said)
    names = [weights.name, *BESIDE]
    files = tuple(file for file in names if stays_inside(folder / file, folder))
    precision, missing = checkpoint.summary(weights)
    return Model(name, folder, path, files, weights.stat().st_size, sha256_of(weights), precision, missing, *said)


def folders_in(folder: Path) -> list[Path]:
    """The folder itself, or the model folders in it."""
    if is_model(folder):
        return [folder]
    return sorted(child for child in folder.iterdir() if child.is_dir() and is_model(child))


def chosen_folders(given: Iterable[str]) -> list[Path]:
    """--models, then $HELIXSCOPE_MODELS, what ./dev models downloaded, and the shared checkpoint beside the repository.
    Folders that the user names must exist."""
    chosen = []
    for name in given:
        if not Path(name).is_dir():
            raise Failure(f"--models {name}: there is no such folder.")
        chosen.append(Path(name))
    for name in filter(None, os.environ.get("HELIXSCOPE_MODELS", "").split(":")):
        if Path(name).is_dir():
            chosen.append(Path(name))
        else:
            say(f"HELIXSCOPE_MODELS names {name}, which is no folder; left out")
    unasked = (DOWNLOADS, ROOT.parent / "shared" / "gpt2")
    return chosen + [folder for folder in unasked if folder.is_dir() and folders_in(folder)]


def find(folders: Iterable[Path]) -> list[Model]:
    """The models in the folders, in their order, each once, under distinct names."""
    found: list[Model] = []
    seen: set[Path] = set()
    for folder in folders:
        inside = folders_in(folder)
        if not inside:
            say(f"{folder} holds no model (.safetensors or manifest.json); left out")
        for model_folder in inside:
            if model_folder.resolve() in seen:
                continue
            seen.add(model_folder.resolve())
            try:
                name = free_name(folder_name(model_folder), {model.name for model in found})
                found.append(describe(model_folder, name, f"models/{name}/"))
            except packs.NotAPack as problem:
                say(f"{model_folder} is no whole pack: {problem}; left out")
    return found


def free_name(name: str, taken: set[str]) -> str:
    count = 1
    candidate = name
    while candidate in taken:
        count += 1
        candidate = f"{name}-{count}"
    return candidate


def bundled(site: Path) -> list[Model]:
    """The models that ship with the page: assets/models/NAME/, and in the assembled site assets/models/HASH/NAME/."""
    folder = site / "assets" / "models"
    if not folder.is_dir():
        return []
    hashed = (child for child in folder.iterdir() if re.fullmatch(r"[0-9a-f]{10}", child.name) and not is_model(child))
    folders = sorted((*folders_in(folder), *(each for child in hashed for each in folders_in(child))), key=lambda found: found.name)
    return [describe(child, folder_name(child), f"{child.relative_to(site).as_posix()}/") for child in folders]


def said_of(folder: Path, key: str) -> str:
    """What the front matter of the folder's README says; empty where it does not."""
    readme = folder / "README.md"
    text = readme.read_text(encoding="utf-8", errors="replace") if readme.is_file() else ""
    front = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    found = re.search(rf"^{key}: *(.+)$", front[1], re.MULTILINE) if front else None
    return found[1].strip() if found else ""


def index(found: Iterable[Model]) -> list[dict[str, object]]:
    """The index as the page reads it."""
    return [
        {
            "name": m.name,
            "path": m.path,
            "files": list(m.files),
            "bytes": m.bytes,
            "sha256": m.sha256,
            "precision": m.precision,
            "missing": list(m.missing),
            **({"title": m.title} if m.title else {}),
            **({"after": m.after} if m.after else {}),
        }
        for m in found
    ]


def print_list(found: list[Model]) -> int:
    for model in found:
        parts = "complete" if not model.missing else "without " + ", ".join(model.missing)
        kind = "pack" if model.files[0] == packs.MANIFEST else "file"
        row = f"{model.name:24} {model.bytes / 1e6:8.1f} MB  {model.precision:4}  {kind}  {model.sha256[:12]}"
        print(f"{row}  {model.folder}  ({parts})")
    if not found:
        say("no model here; get one with ./dev models get gpt2, or name one with --models DIR or $HELIXSCOPE_MODELS")
    return 0


def write_index(folder: Path) -> Path:
    """index.json for a folder of models that is to be hosted as models/ beside the page."""
    if not folder.is_dir():
        raise Failure(f"There is no folder {folder}.")
    entries = [model._replace(path=f"models/{model.folder.name}/") for model in find([folder])]
    if not entries or any(model.folder == folder for model in entries):
        raise Failure(f"{folder} holds no folders of models; it is what becomes models/ beside the page.")
    path = folder / "index.json"
    path.write_bytes(index_json(entries) + b"\n")
    return path


def index_json(found: Iterable[Model]) -> bytes:
    return json.dumps(index(found), indent=1).encode()
