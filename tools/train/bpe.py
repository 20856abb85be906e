"""GPT-2's byte-level BPE: training a vocabulary, encoding, and the two files that every GPT-2 loader reads."""

from __future__ import annotations

import heapq
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, Mapping, Set, Tuple

import regex

PATTERN = regex.compile(r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+""")
END_OF_TEXT = "<|endoftext|>"
FIRST_LINE = "#version: 0.2"

Pair = Tuple[str, str]


def byte_symbols() -> Dict[int, str]:
    """The printable character that stands for each byte in the files, in the order of GPT-2's first 256 ids."""
    printable = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    others = [byte for byte in range(256) if byte not in printable]
    symbols = {byte: chr(byte) for byte in printable}
    symbols.update((byte, chr(256 + i)) for i, byte in enumerate(others))
    return symbols


SYMBOLS = byte_symbols()
BYTES = {symbol: byte for byte, symbol in SYMBOLS.items()}


def in_symbols(text: str) -> str:
    return "".join(SYMBOLS[byte] for byte in text.encode("utf-8"))


def count_pieces(texts: Iterable[str]) -> Counter[str]:
    """How often each pre-token occurs."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(PATTERN.findall(text))
    return counts


class Words:
    """The distinct pre-tokens as lists of symbols, with the counts of all neighbouring pairs kept up to date."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.words = [list(in_symbols(piece)) for piece in counts]
        self.counts = list(counts.values())
        self.pairs: Dict[Pair, int] = defaultdict(int)
        self.where: Dict[Pair, Set[int]] = defaultdict(set)
        for i in range(len(self.words)):
            self.add(i, 1)

    def add(self, i: int, sign: int) -> Set[Pair]:
        """Adds the pairs of word i to the counts (sign 1) or subtracts them (−1)."""
        word, count = self.words[i], sign * self.counts[i]
        pairs = list(zip(word, word[1:]))
        for pair in pairs:
            self.pairs[pair] += count
            if sign > 0:
                self.where[pair].add(i)
        return set(pairs)

    def merge(self, pair: Pair) -> Set[Pair]:
        """Joins the pair in every word; returns the pairs whose counts may have changed."""
        changed: Set[Pair] = set()
        # A word stays listed under pairs that it no longer has, which is harmless: nothing is joined there.
        for i in self.where.pop(pair):
            changed |= self.add(i, -1)
            self.words[i] = joined(self.words[i], pair)
            changed |= self.add(i, 1)
        self.pairs.pop(pair)
        changed.discard(pair)
        return changed


def joined(word: List[str], pair: Pair) -> List[str]:
    """The word with each occurrence of the pair, from the left, made one symbol."""
    out: List[str] = []
    i = 0
    while i < len(word):
        if i + 1 < len(word) and word[i] == pair[0] and word[i + 1] == pair[1]:
            out.append(word[i] + word[i + 1])
            i += 2
        else:
            out.append(word[i])
            i += 1
    return out


def train(counts: Mapping[str, int], merges: int) -> List[Pair]:
    """The `merges` most frequent pairs, each counted after the earlier ones are joined; ties go to the smaller pair."""
    words = Words(counts)
    heap = [(-count, pair) for pair, count in words.pairs.items()]
    heapq.heapify(heap)
    found: List[Pair] = []
    while heap and len(found) < merges:
        count, pair = heapq.heappop(heap)
        if words.pairs.get(pair, 0) != -count or count == 0:
            continue  # an outdated count of this pair; the current one is in the heap too
        found.append(pair)
        for other in words.merge(pair):
            heapq.heappush(heap, (-words.pairs[other], other))
    return found


class Tokenizer:
    """A vocabulary: the bytes, the merges in order, and `<|endoftext|>` as the last id."""

    def __init__(self, merges: Iterable[Pair]) -> None:
        self.merges = list(merges)
        tokens = [*SYMBOLS.values(), *(a + b for a, b in self.merges), END_OF_TEXT]
        self.ids = {token: i for i, token in enumerate(tokens)}
        if len(self.ids) != len(tokens):
            raise ValueError("Two merges make the same token.")
        self.tokens = tokens
        self.ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self.end_of_text = len(tokens) - 1
        self.known: Dict[str, Tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.tokens)

    def piece(self, piece: str) -> Tuple[int, ...]:
        """The ids of one pre-token."""
        ids = self.known.get(piece)
        if ids is None:
            word = list(in_symbols(piece))
            while len(word) > 1:
                best = min(zip(word, word[1:]), key=lambda pair: self.ranks.get(pair, len(self.ranks)))
                if best not in self.ranks:
                    break
                word = joined(word, best)
            ids = self.known[piece] = tuple(self.ids[symbol] for symbol in word)
        return ids

    def encode(self, text: str) -> Iterator[int]:
        """The ids of a text; `<|endoftext|>` has no meaning inside of one."""
        for piece in PATTERN.findall(text):
            yield from self.piece(piece)

    def bytes_of(self, ids: Iterable[int]) -> bytes:
        out = bytearray()
        for i in ids:
            token = self.tokens[i]
            out += token.encode() if i == self.end_of_text else bytes(BYTES[symbol] for symbol in token)
        return bytes(out)

    def decode(self, ids: Iterable[int]) -> str:
        """The text; a token that ends inside of a character shows as a replacement character."""
        return self.bytes_of(ids).decode("utf-8", errors="replace")

    def save(self, folder: Path) -> None:
        vocabulary = json.dumps(self.ids, ensure_ascii=False)
        (folder / "vocab.json").write_text(vocabulary, encoding="utf-8")
        lines = [FIRST_LINE, *(f"{a} {b}" for a, b in self.merges)]
        (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Tokenizer:
        # Not splitlines(): some of the symbols are line ends to it.
        lines = (folder / "merges.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
        if lines[0] != FIRST_LINE:
            raise ValueError(f"{folder}/merges.txt does not start with {FIRST_LINE}")
        tokenizer = cls((a, b) for a, b in (line.split(" ") for line in lines[1:]))
        if json.loads((folder / "vocab.json").read_text(encoding="utf-8")) != tokenizer.ids:
            raise ValueError(f"{folder}: vocab.json and merges.txt are not of one vocabulary")
        return tokenizer
