"""GPT-2's tokens of a text: pieces of one kind of character, whose pairs are merged in the order of merges.txt."""

import json
import re
import unicodedata
from functools import cached_property

import numpy as np

CONTRACTION = re.compile(r"'(?:[stmd]|re|ve|ll)")
RUN = re.compile(r" ?(?:L+|N+|O+)|[ S]+(?![LNO])|[ S]+")  # of letters, of numbers, of others; white space
SPACES = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def kind_of(character):
    if ord(character) in SPACES:
        return " " if character == " " else "S"
    kind = unicodedata.category(character)[0]
    return kind if kind in "LN" else "O"


def pieces_of(text):
    kinds, at = "".join(map(kind_of, text)), 0
    while at < len(text):
        end = (CONTRACTION.match(text, at) or RUN.match(kinds, at)).end()
        yield text[at:end]
        at = end


def letters_of_bytes():
    """The letter that stands for each byte in the vocabulary."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}


class Tokenizer:
    """vocab.json and merges.txt of a folder."""

    def __init__(self, folder):
        self.vocabulary = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        self.folder, self.letters = folder, letters_of_bytes()

    @cached_property
    def rank(self):
        """Of each pair of parts, its place in the order of merges."""
        lines = (self.folder / "merges.txt").read_text(encoding="utf-8").splitlines()
        return {tuple(line.split()): i for i, line in enumerate(line for line in lines if not line.startswith("#version"))}

    def merged(self, parts):
        while len(parts) > 1:
            best = min(zip(parts, parts[1:]), key=lambda pair: self.rank.get(pair, np.inf))
            if best not in self.rank:
                break
            i = 0
            while i < len(parts) - 1:
                if (parts[i], parts[i + 1]) == best:
                    parts[i : i + 2] = ["".join(best)]
                i += 1
        return parts

    def encode(self, text):
        """The ids of a text's tokens."""
        return [self.vocabulary[part] for piece in pieces_of(text) for part in self.merged([self.letters[byte] for byte in piece.encode()])]

    def containing(self, text):
        """The ids of the tokens whose text contains this one."""
        part = "".join(self.letters[byte] for byte in text.encode())
        return sorted(token for spelling, token in self.vocabulary.items() if part in spelling)

    def texts(self):
        """Each token's text by its id; None where its bytes are none."""
        bytes_of = {letter: byte for byte, letter in self.letters.items()}
        found = {}
        for spelling, token in self.vocabulary.items():
            try:
                found[token] = bytes(bytes_of[letter] for letter in spelling).decode()
            except (KeyError, UnicodeDecodeError):
                found[token] = None
        return found
