"""GPT-2 small's positions and its first attention layer as a model of their own: 12.6 MB that a host puts beside the page, so that
studies of attention weights open on real ones. The bytes are OpenAI's: each tensor's SHA-256 is known here."""

import hashlib
import http.client
import json
import shutil
import time
from pathlib import Path
from typing import Mapping, NamedTuple, Optional, Protocol
from urllib.parse import urlsplit

import hub
import models
from places import DOWNLOADS, ROOT
from report import Failure, say

NAME = "gpt2-small-layer-0"
SOURCE = "openai-community/gpt2"
BUNDLED = ROOT / "assets" / "models" / "gpt2-positions"
LONGEST_HEADER = 1 << 20  # GPT-2 small's has 14 kB


class Pin(NamedTuple):
    shape: tuple[int, ...]
    sha256: str

    @property
    def bytes(self) -> int:
        count = 4
        for extent in self.shape:
            count *= extent
        return count


PINS = {
    "wpe.weight": Pin((1024, 768), "29c69587e2af826b7c159c38620a32e549a925e6d9a0dc37cb563f377f5be772"),
    "h.0.ln_1.weight": Pin((768,), "87c92a5f0409ab2a8f2b92a9ebbb62ab9215590402d38929402c84357d53e4ae"),
    "h.0.ln_1.bias": Pin((768,), "5a4a949fb3e7a463e3f1aca6f5285979f5fd330d9432ef9f272adb8d55bfbb2d"),
    "h.0.attn.c_attn.weight": Pin((768, 2304), "df332e9d9ae908db358a00423f14af1c0036bc9a2332aca395adf68e3eb08b48"),
    "h.0.attn.c_attn.bias": Pin((2304,), "ef36c6f4fcc7f15fdb5882316834dc7e304ae5f9e8ae32673108c6efa441f787"),
    "h.0.attn.c_proj.weight": Pin((768, 768), "e13178678e8c1e591d293bc5a96f081251d734d8a43b7038cc98329742e79952"),
    "h.0.attn.c_proj.bias": Pin((768,), "52c55de1fa9685a50e5bd91c5741fc9ad80c03671c1eec71d92010194140e9a7"),
}


class Bytes(Protocol):
    name: str

    def read(self, first: int, count: int) -> bytes: ...


class LocalFile:
    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)

    def read(self, first: int, count: int) -> bytes:
        try:
            with self.path.open("rb") as file:
                file.seek(first)
                return file.read(count)
        except OSError as error:
            raise Failure(f"{self.path} cannot be read: {hub.reason(error)}.") from error


class HubFile:
    """A file on the hub, read in parts."""

    def __init__(self, base: str, model: str) -> None:
        self.url, self.name = f"{base}/{model}/resolve/main/{hub.WEIGHTS}", urlsplit(base).netloc

    def read(self, first: int, count: int) -> bytes:
        for attempt in range(hub.TRIES):
            try:
                return self.attempt(first, count)
            except hub.Missing as error:
                raise Failure(f"{self.name} has no {hub.WEIGHTS} of {SOURCE}.") from error
            except hub.Cut as cut:
                if attempt == hub.TRIES - 1:
                    raise Failure(f"The first layer could not be downloaded from {self.name}: {cut}.") from cut
                time.sleep(0.1 * 4**attempt)
        raise AssertionError

    def attempt(self, first: int, count: int) -> bytes:
        answer, _ = hub.ask(self.url, {"Range": f"bytes={first}-{first + count - 1}"}, self.name)
        with answer:
            if answer.status != 206 or not answer.headers.get("Content-Range", "").startswith(f"bytes {first}-"):
                raise Failure(f"{self.name} does not send parts of a file; download the whole one with ./dev models get gpt2, then name its folder.")
            try:
                data = answer.read(count)
            except (OSError, http.client.HTTPException) as error:
                raise hub.Cut(f"the connection broke ({hub.reason(error)})") from error
        if len(data) < count:
            raise hub.Cut(f"the connection ended after {len(data):,} of {count:,} bytes")
        return data


def entries(source: Bytes) -> tuple[dict[str, dict[str, object]], int]:
    """The tensors of a safetensors file, without "transformer.", and where their bytes begin."""
    size = int.from_bytes(source.read(0, 8), "little")
    try:
        if not 2 <= size <= LONGEST_HEADER:
            raise ValueError
        header = json.loads(source.read(8, size))
        found = {name.removeprefix("transformer."): entry for name, entry in header.items() if isinstance(entry, dict)}
    except (ValueError, RecursionError, AttributeError) as error:
        raise Failure(f"{source.name} is no safetensors file of GPT-2 small.") from error
    return found, 8 + size


def tensor(source: Bytes, name: str, entry: Optional[Mapping[str, object]], begin: int) -> bytes:
    """A tensor's bytes, which are GPT-2 small's."""
    pin = PINS[name]
    if entry is None:
        raise Failure(f"{source.name} has no {name}.")
    place = entry.get("data_offsets")
    right = entry.get("dtype") == "F32" and entry.get("shape") == list(pin.shape) and isinstance(place, list) and len(place) == 2
    if not right or not isinstance(place[0], int) or place[0] < 0 or place[1] != place[0] + pin.bytes:
        raise Failure(f"{name} in {source.name} is not GPT-2 small's: it has another shape or precision.")
    data = source.read(begin + place[0], pin.bytes)
    if hashlib.sha256(data).hexdigest() != pin.sha256:
        raise Failure(f"{name} in {source.name} is not GPT-2 small's: its bytes are others.")
    return data


def file_of(tensors: Mapping[str, bytes]) -> bytes:
    header, at = {}, 0
    for name, data in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(PINS[name].shape), "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers begin at a multiple of 8
    return len(text).to_bytes(8, "little") + text + b"".join(tensors.values())


def readme() -> str:
    rows = "\n".join(f"| `{name}` | {list(pin.shape)} | `{pin.sha256}` |" for name, pin in PINS.items())
    return f"""---
title: GPT-2 small, first layer
after: gpt2-positions
license: other
license_name: modified-mit
license_link: LICENSE
---

# GPT-2 small: positions and first attention layer

Seven tensors of OpenAI's GPT-2 small (124 million parameters), 32-bit floats, unchanged, from `{SOURCE}`: what its first
attention layer makes of positions. It lacks every other tensor of the model, so it cannot run text.

| tensor | shape | SHA-256 of its bytes |
|---|---|---|
{rows}

Licence: OpenAI's Modified MIT License, in `LICENSE`. Made by `./dev models first-layer`.
"""


def source_of(path: Optional[Path]) -> Bytes:
    if path is None:
        return HubFile(hub.hub(), SOURCE)
    weights = models.weights_file(path) if path.is_dir() else path
    if weights is None or not weights.is_file():
        raise Failure(f"{path} holds no .safetensors file.")
    return LocalFile(weights)


def make(path: Optional[Path], out: Optional[Path]) -> Path:
    """Makes the model's folder in `out`, from a checkpoint of GPT-2 small or, without one, from the hub; returns it. Either the
    folder is whole or nothing is written."""
    own = LocalFile(BUNDLED / hub.WEIGHTS)
    tensors = {"wpe.weight": tensor(own, "wpe.weight", entries(own)[0].get("wpe.weight"), entries(own)[1])}
    source = source_of(path)
    found, begin = entries(source)
    for name in PINS:
        if name not in tensors:
            tensors[name] = tensor(source, name, found.get(name), begin)
    folder = (out or DOWNLOADS) / NAME
    unfinished = folder.with_name(f".{NAME}.unfinished")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        (unfinished / hub.WEIGHTS).write_bytes(file_of(tensors))
        (unfinished / "README.md").write_text(readme(), encoding="utf-8")
        shutil.copyfile(BUNDLED / "LICENSE", unfinished / "LICENSE")
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise Failure(f"{folder} cannot be written: {hub.reason(error)}.") from error
    say(f"{folder}: {(folder / hub.WEIGHTS).stat().st_size / 1e6:.1f} MB, every tensor checked")
    return folder
