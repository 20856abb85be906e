"""A model's tensors, read from its files when they are asked for. A control's random tensors take the place of its own."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np
from random_numbers import in_order, noise, normals, walk
from tokenizer import Tokenizer


class Weights(Mapping):
    """The tensors of `path` (a model's folder, a .safetensors file or a pack) by name, in double precision.
    `model`: the name of a control, such as control:walk:3@gpt2."""

    KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I8": "i1"}

    def __init__(self, path, model=""):
        self.folder = Path(path) if Path(path).is_dir() else Path(path).parent
        self.control = model.partition("@")[0].split(":")[1:] if model.startswith("control:") else None
        self.files, self.config = self.find(Path(path))
        self.kept = {}
        begin = 8 + int.from_bytes(self.read(0, 8), "little")
        self.entries = {}
        for name, entry in json.loads(self.read(8, begin - 8)).items():
            if name != "__metadata__":
                first, last = entry["data_offsets"]
                self.entries[name.removeprefix("transformer.")] = (entry, begin + first, last - first)

    def find(self, path):
        """The files that hold the tensors, one after the other, and the configuration."""
        if (path / "manifest.json").exists():
            manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
            return [path / shard["file"] for shard in manifest["shards"]], manifest.get("config") or {}
        if path.is_dir():
            usual = path / "model.safetensors"
            path = usual if usual.exists() else next(path.glob("*.safetensors"), usual)
        config = self.folder / "config.json"
        return [path], json.loads(config.read_text(encoding="utf-8")) if config.exists() else {}

    def read(self, first, count):
        parts = []
        for file in self.files:
            size = file.stat().st_size
            if first < size and count > 0:
                with file.open("rb") as opened:
                    opened.seek(first)
                    parts.append(opened.read(min(count, size - first)))
                count -= len(parts[-1])
            first = max(0, first - size)
        return b"".join(parts)

    def sha256(self):
        """The hash of the file; of a pack None."""
        if len(self.files) > 1 or self.files[0].suffix != ".safetensors":
            return None
        found = hashlib.sha256()
        with self.files[0].open("rb") as file:
            while data := file.read(1 << 20):
                found.update(data)
        return found.hexdigest()

    def stored(self, name):
        entry, first, count = self.entries[name]
        numbers = np.frombuffer(self.read(first, count), self.KINDS[entry["dtype"]])
        if entry["dtype"] == "BF16":
            numbers = (numbers.astype("<u4") << 16).view("<f4")
        return numbers.reshape(entry["shape"]).astype(np.float64)

    def controlled(self, name, rows):
        kind, seed = self.control[0], int(self.control[1])
        if kind == "weights":
            drawn = normals(np.random.default_rng([seed, *name.encode()]), rows.size).reshape(rows.shape)
            rows = rows.mean() + rows.std() * drawn
        elif name == "wpe.weight":
            rng = np.random.default_rng(seed)
            if kind == "walk":
                rows = walk(rows, rng)
            elif kind == "noise":
                rows = noise(np.linalg.norm(rows, axis=1), rows.shape[1], rng)
            else:
                rows = rows[in_order(len(rows), rng)]
        return rows.astype("<f4").astype(np.float64)

    def __getitem__(self, name):
        if name not in self.kept:
            rows = self.stored(name)
            self.kept[name] = self.controlled(name, rows) if self.control else rows
        return self.kept[name]

    def __iter__(self):
        return iter(self.entries)

    def __len__(self):
        return len(self.entries)

    @property
    def heads(self):
        """Without a configuration, of 64 dimensions each, as in all of GPT-2."""
        return self.config.get("n_head") or next(self[name].shape[-1] for name in ("wpe.weight", "wte.weight", "h.0.ln_1.weight") if name in self) // 64

    @property
    def layers(self):
        return 1 + max((int(name.split(".")[1]) for name in self if name.startswith("h.")), default=-1)

    @cached_property
    def tokenizer(self):
        return Tokenizer(self.folder)

    @property
    def vocabulary(self):
        """The ids of the tokens by their spelling."""
        return self.tokenizer.vocabulary

    @property
    def bos(self):
        """<|endoftext|>, with which a text may begin."""
        return self.vocabulary["<|endoftext|>"]

    def first_token(self, word):
        return self.tokenizer.encode(word)[0]

    @property
    def filler(self):
        """The token that stands for any token."""
        return self.first_token("hello")
