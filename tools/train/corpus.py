"""Turns a folder of texts into two streams of tokens, once: the training text and the held-out books."""

from __future__ import annotations

import json
import lzma
import random
from array import array
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple

import numpy as np

import bpe
from files import write_text
from journal import say

HEADING = ("=== ", " ===")


class Book(NamedTuple):
    name: str
    text: str


class Corpus(NamedTuple):
    """Token ids (uint16), each book after one `<|endoftext|>`, and facts about the books."""

    tokenizer: bpe.Tokenizer
    train: np.ndarray  # [token]
    held_out: np.ndarray  # [token]
    facts: Dict[str, object]


def read_books(folder: Path) -> List[Book]:
    """The books of every .txt and .txt.xz file, in the order of their names; raises ValueError where there is none."""
    books: List[Book] = []
    for path in sorted(folder.iterdir()):
        if path.name.endswith((".txt", ".txt.xz")):
            opened = lzma.open if path.suffix == ".xz" else open
            with opened(path, "rt", encoding="utf-8") as file:
                books += books_of(file.read(), path.name.split(".")[0])
    if not books:
        raise ValueError(f"No .txt or .txt.xz with text in {folder}")
    return sorted(books)


def books_of(text: str, name: str) -> Iterator[Book]:
    """The books that `=== Author__Title ===` lines start; a text without such a line is one book called `name`."""
    lines: List[str] = []
    for line in text.split("\n"):
        if line.startswith(HEADING[0]) and line.endswith(HEADING[1]):
            yield from book(name, lines)
            name, lines = line[len(HEADING[0]) : -len(HEADING[1])], []
        else:
            lines.append(line)
    yield from book(name, lines)


def book(name: str, lines: List[str]) -> Iterator[Book]:
    text = "\n".join(lines).strip("\n")
    if text:
        yield Book(name, text + "\n")


def written(books: List[Book]) -> str:
    """The books as one text, to be read again by `books_of`."""
    return "".join(f"{HEADING[0]}{item.name}{HEADING[1]}\n{item.text}" for item in books)


def hold_out(books: List[Book], count: int, seed: int) -> List[Book]:
    """`count` whole books, chosen by the seed."""
    return sorted(random.Random(seed).sample(books, count))


def sample(books: List[Book], size: int, seed: int) -> Iterator[str]:
    """A sample of about `size` characters: the same share of every book, whole paragraphs from a random place."""
    draw = random.Random(seed)
    share = max(1, size // len(books))
    for item in books:
        start = item.text.find("\n", draw.randrange(max(1, len(item.text) - share)))
        yield item.text[start : start + share]


def encoded(books: List[Book], tokenizer: bpe.Tokenizer) -> array:
    out = array("H")
    for item in books:
        out.append(tokenizer.end_of_text)
        for piece in bpe.PATTERN.findall(item.text):
            out.extend(tokenizer.piece(piece))
    return out


def facts_of(books: List[Book], tokens: int) -> Dict[str, object]:
    return {
        "books": len(books),
        "characters": sum(len(item.text) for item in books),
        "bytes": sum(len(item.text.encode()) for item in books),
        "tokens": tokens,
    }


def prepare(texts: Path, folder: Path, n_vocab: int, data: Dict[str, int], seed: int) -> None:
    """Writes vocabulary, streams and facts to `folder`; the facts come last, so their presence means that all is complete."""
    folder.mkdir(parents=True, exist_ok=True)
    books = read_books(texts)
    kept = hold_out(books, data["held_out_books"], seed)
    names = {item.name for item in kept}
    trained = [item for item in books if item.name not in names]
    say(f"{len(books)} books, {len(kept)} of them held out")
    counts = bpe.count_pieces(sample(trained, data["vocabulary_sample"], seed))
    # The 256 bytes come first and <|endoftext|> last.
    tokenizer = bpe.Tokenizer(bpe.train(counts, n_vocab - 257))
    if len(tokenizer) != n_vocab:
        raise ValueError(f"The texts have pairs for a vocabulary of {len(tokenizer)} only, not {n_vocab}")
    tokenizer.save(folder)
    write_text(folder / "held_out.txt", written(kept))
    say(f"a vocabulary of {len(tokenizer)} from {sum(counts.values())} words")
    facts: Dict[str, object] = {"held_out_names": sorted(names)}
    for name, part in (("train", trained), ("held_out", kept)):
        tokens = encoded(part, tokenizer)
        with (folder / f"{name}.u16").open("wb") as file:
            tokens.tofile(file)
        facts[name] = facts_of(part, len(tokens))
        say(f"{name}: {facts[name]}")
    write_text(folder / "facts.json", json.dumps(facts, indent=1, ensure_ascii=False))


def load(folder: Path) -> Corpus:
    """What `prepare` wrote; the streams are read from disk as they are needed."""
    train, held_out = (np.memmap(folder / f"{name}.u16", np.uint16, "r") for name in ("train", "held_out"))
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    return Corpus(bpe.Tokenizer.load(folder), train, held_out, facts)
