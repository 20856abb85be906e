"""Finds model folders and describes them: the index that the page reads (models/index.json)."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Iterable, NamedTuple, Optional

from places import CACHE, ROOT
from report import Failure, say

BESIDE = ("vocab.json", "merges.txt", "config.json", "manifest.json")
# Names that say nothing: such a file is known by its folder's name.
PLAIN_STEMS = {"model", "pytorch_model", "weights", "consolidated", "checkpoint"}


class Model(NamedTuple):
    """A model folder. `path` is where the page finds it, relative to the page."""

    name: str
    folder: Path
    path: str
    files: tuple[str, ...]
    bytes: int
    sha256: str


def weights_file(folder: Path) -> Optional[Path]:
    """model.safetensors, or the only .safetensors there is."""
    usual = folder / "model.safetensors"
    if usual.is_file():
        return usual
    found = sorted(path for path in folder.glob("*.safetensors") if path.is_file())
    return found[0] if len(found) == 1 else None


def is_model(folder: Path) -> bool:
    return weights_file(folder) is not None or (folder / "manifest.json").is_file()


def folder_name(folder: Path) -> str:
    weights = weights_file(folder)
    telling = weights is not None and weights.stem not in PLAIN_STEMS
    name = weights.stem if telling and weights else folder.resolve().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "model"


def sha256_of(path: Path) -> str:
    """The file's hash, remembered by place, size and time: half a gigabyte takes seconds."""
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
    """False for a link that leads out of its folder: such a file is never served."""
    return path.is_file() and folder.resolve() in path.resolve().parents


def pack_bytes(manifest: Path) -> int:
    """The size of the file that the shards make together, as the manifest has it, else what lies beside it."""
    try:
        stated = json.loads(manifest.read_text(encoding="utf-8"))["bytes"]
        if isinstance(stated, int) and stated > 0:
            return stated
    except (ValueError, KeyError, TypeError):
        pass  # the page says what is wrong with it
    shards = (file for file in manifest.parent.iterdir() if file.is_file() and file.name not in BESIDE)
    return sum(file.stat().st_size for file in shards)


def describe(folder: Path, name: str, path: str) -> Model:
    weights = weights_file(folder)
    if weights is not None:
        main, size = weights, weights.stat().st_size
    else:
        # A pack's manifest holds the hashes of its shards, so its own hash stands for them all.
        main = folder / "manifest.json"
        size = pack_bytes(main)
    names = [main.name] + [file for file in BESIDE if file != main.name]
    files = tuple(file for file in names if stays_inside(folder / file, folder))
    return Model(name, folder, path, files, size, sha256_of(main))


def folders_in(folder: Path) -> list[Path]:
    """The folder itself, or the model folders in it."""
    if is_model(folder):
        return [folder]
    return sorted(child for child in folder.iterdir() if child.is_dir() and is_model(child))


def chosen_folders(given: Iterable[str]) -> list[Path]:
    """--models, then $HELIXSCOPE_MODELS, then the shared checkpoint beside the repository. What was asked for must exist."""
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
    shared = ROOT.parent / "shared" / "gpt2"
    return chosen + ([shared] if shared.is_dir() else [])


def find(folders: Iterable[Path]) -> list[Model]:
    """The models in the folders, first named first, each once, under names that differ."""
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
            name = free_name(folder_name(model_folder), {model.name for model in found})
            found.append(describe(model_folder, name, f"models/{name}/"))
    return found


def free_name(name: str, taken: set[str]) -> str:
    count = 1
    candidate = name
    while candidate in taken:
        count += 1
        candidate = f"{name}-{count}"
    return candidate


def bundled(site: Path) -> list[Model]:
    """The models that ship with the page, below assets/models/."""
    folder = site / "assets" / "models"
    if not folder.is_dir():
        return []
    return [describe(child, folder_name(child), f"assets/models/{child.name}/") for child in folders_in(folder)]


def index(found: Iterable[Model]) -> list[dict[str, object]]:
    """The index as the page reads it."""
    return [
        {"name": m.name, "path": m.path, "files": list(m.files), "bytes": m.bytes, "sha256": m.sha256} for m in found
    ]


def print_list(found: list[Model]) -> int:
    for model in found:
        print(f"{model.name:24} {model.bytes / 1e6:9.1f} MB  {model.sha256[:12]}  {model.folder}")
    if not found:
        say("no model here; name one with --models DIR or $HELIXSCOPE_MODELS")
    return 0


def index_json(found: Iterable[Model]) -> bytes:
    return json.dumps(index(found), indent=1).encode()
