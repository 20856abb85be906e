#!/usr/bin/env python3
"""Scores a text with a model folder, in numpy alone: it shares no code with the trainer, whose numbers it checks.

The protocol is the trainer's: each book is `<|endoftext|>` and its tokens; the stream is cut into pieces of n_ctx
tokens; the model reads each piece from row 0, after one `<|endoftext|>`, and every token of the piece is scored.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from pathlib import Path
from typing import Dict, Iterator, List

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "reference"))

from gpt2_reference import Reference  # noqa: E402

CONTRACTIONS = ("'s", "'t", "'re", "'ve", "'m", "'ll", "'d")
END_OF_TEXT = "<|endoftext|>"


def kind(character: str) -> str:
    """The classes of GPT-2's pattern: letter, number, space or other."""
    if character.isspace() and character not in "\x1c\x1d\x1e\x1f":  # white space to Python, not to Unicode
        return "space"
    return {"L": "letter", "N": "number"}.get(unicodedata.category(character)[0], "other")


def run_end(text: str, at: int, wanted: str) -> int:
    while at < len(text) and kind(text[at]) == wanted:
        at += 1
    return at


def pretokens(text: str) -> Iterator[str]:
    """The pieces of GPT-2's pattern, without a regular expression."""
    at = 0
    while at < len(text):
        end = pretoken_end(text, at)
        yield text[at:end]
        at = end


def pretoken_end(text: str, at: int) -> int:
    for contraction in CONTRACTIONS:
        if text.startswith(contraction, at):
            return at + len(contraction)
    first = at + 1 if text[at] == " " and at + 1 < len(text) else at
    if kind(text[first]) != "space":
        return run_end(text, first, kind(text[first]))
    end = run_end(text, at, "space")
    # The last white space before a word belongs to the word, or stands alone.
    return end if end == len(text) or end - at == 1 else end - 1


def byte_letters() -> List[str]:
    """The letter that stands for each byte: itself where it can be printed, else the next from U+0100 on."""
    shown = set(range(33, 127)) | set(range(161, 173)) | set(range(174, 256))
    hidden = iter(range(256, 512))
    return [chr(byte if byte in shown else next(hidden)) for byte in range(256)]


class Vocabulary:
    def __init__(self, folder: Path) -> None:
        self.ids: Dict[str, int] = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        lines = (folder / "merges.txt").read_text(encoding="utf-8").split("\n")[1:]
        self.order = {tuple(line.split(" ")): i for i, line in enumerate(lines) if line}
        self.letters = byte_letters()
        self.seen: Dict[str, List[int]] = {}

    def encode(self, text: str) -> Iterator[int]:
        for piece in pretokens(text):
            if piece not in self.seen:
                self.seen[piece] = self.merged([self.letters[byte] for byte in piece.encode("utf-8")])
            yield from self.seen[piece]

    def merged(self, parts: List[str]) -> List[int]:
        """Applies the merge with the lowest rank at its first place, repeatedly."""
        while True:
            ranks = [self.order.get(pair, len(self.order)) for pair in zip(parts, parts[1:])]
            if not ranks or min(ranks) == len(self.order):
                return [self.ids[part] for part in parts]
            i = ranks.index(min(ranks))
            parts[i : i + 2] = [parts[i] + parts[i + 1]]


def weights(path: Path) -> Dict[str, np.ndarray]:
    data = path.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:start])
    header.pop("__metadata__", None)
    kinds = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        array = np.frombuffer(data[start + begin : start + end], kinds[entry["dtype"]])
        tensors[name.removeprefix("transformer.")] = array.reshape(entry["shape"])
    return tensors


def books(text: str) -> Iterator[str]:
    """The texts after `=== Author__Title ===` lines, without blank lines at their ends."""
    lines: List[str] = []
    for line in [*text.split("\n"), "===  ==="]:
        if line.startswith("=== ") and line.endswith(" ==="):
            body = "\n".join(lines).strip("\n")
            if body:
                yield body + "\n"
            lines = []
        else:
            lines.append(line)


def stream(text: str, vocabulary: Vocabulary, most: int) -> List[int]:
    """The first `most` tokens of the text's books."""
    ids: List[int] = []
    for body in books(text):
        ids.append(vocabulary.ids[END_OF_TEXT])
        for token in vocabulary.encode(body):
            ids.append(token)
            if len(ids) >= most:
                return ids[:most]
    return ids


def losses(model: Reference, piece: List[int], end_of_text: int) -> np.ndarray:
    """−log p of each token of the piece [pos], in nats."""
    _, logits = model.run(np.array([end_of_text, *piece[:-1]]))
    highest = logits.max(-1, keepdims=True)
    logits = logits - highest - np.log(np.exp(logits - highest).sum(-1, keepdims=True))
    return -logits[np.arange(len(piece)), piece]


def score(folder: Path, text: str, most: int) -> Dict[str, float]:
    """The mean loss over the whole pieces of the text's first `most` tokens."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    vocabulary = Vocabulary(folder)
    model = Reference(weights(folder / "model.safetensors"), config["n_head"])
    size, end = config["n_positions"], vocabulary.ids[END_OF_TEXT]
    ids = stream(text, vocabulary, most)
    count = len(ids) // size
    total = sum(losses(model, ids[i * size : (i + 1) * size], end).sum() for i in range(count))
    written = "".join(token for token in map(tokens_by_id(vocabulary).get, ids[: count * size]) if token != END_OF_TEXT)
    # A byte that continues a character is 0b10xxxxxx: all others are characters.
    values = [vocabulary.letters.index(letter) for letter in written]
    characters = sum(value & 0xC0 != 0x80 for value in values)
    return {
        "tokens": count * size,
        "characters": characters,
        "bytes": len(values),
        "loss_per_token": total / (count * size),
        "loss_per_character": total / characters,
        "loss_per_byte": total / len(values),
    }


def tokens_by_id(vocabulary: Vocabulary) -> Dict[int, str]:
    return {i: token for token, i in vocabulary.ids.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("text", type=Path, help="a .txt file; a run keeps its held-out books in data/held_out.txt")
    parser.add_argument("--tokens", type=int, default=20480, help="score this many tokens from the start")
    options = parser.parse_args()
    text = options.text.read_text(encoding="utf-8")
    print(json.dumps(score(options.model, text, options.tokens), indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
