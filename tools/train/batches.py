"""The tokens that a step learns from: a function of seed and step alone, so a resumed run needs no saved state."""

from __future__ import annotations

from typing import Dict, NamedTuple, Tuple

import numpy as np

from schedule import Moment

SILENT = -1  # a target without a loss


class Batch(NamedTuple):
    tokens: np.ndarray  # [sequence, pos] int64
    first: np.ndarray  # [sequence] int64: the row of wpe that the sequence's first token gets
    targets: np.ndarray  # [sequence, pos] int64: the token that follows, or SILENT


class Sampler:
    """Sequences of text, some of them with copied parts.

    `starts`: the shares of sequences that start at row 0 after `<|endoftext|>`, that start at row 0, and whose last token
    has the last row.
    """

    def __init__(
        self, stream: np.ndarray, end_of_text: int, new_line: int, n_ctx: int, starts: Dict[str, float]
    ) -> None:
        self.stream, self.end, self.n_ctx, self.starts = stream, end_of_text, n_ctx, starts
        ends = np.flatnonzero((stream[:-1] == new_line) & (stream[1:] != new_line)) + 1
        self.paragraphs = ends[ends < len(stream) - n_ctx - 1]  # where paragraphs start, far enough from the end

    def batch(self, seed: int, step: int, now: Moment, tokens: int) -> Batch:
        """The sequences of one step, `tokens` tokens in all."""
        rng = np.random.default_rng((seed, step))
        rows = [self.sequence(rng, now) for _ in range(tokens // now.length)]
        return Batch(*(np.stack(part) for part in zip(*rows)))

    def sequence(self, rng: np.random.Generator, now: Moment) -> Tuple[np.ndarray, ...]:
        n, (text_share, random_share) = now.length, now.copies
        first, text = self.text(rng, n)
        silent = np.zeros(n + 1, bool)  # whether token i carries no loss
        kind = rng.random()
        if kind < text_share:
            repeat_part(rng, text, silent)
        elif kind < text_share + random_share:
            text, silent = repeated_noise(rng, n + 1, self.end)
        targets = np.where(silent[1:], SILENT, text[1:])
        return text[:-1], np.int64(first), targets

    def text(self, rng: np.random.Generator, n: int) -> Tuple[int, np.ndarray]:
        """The first row and n + 1 tokens of the stream.

        Sequences shorter than the context start at any row, so that all rows learn from the same relations. Few of them
        would cover the rows at both ends; the shares of `starts` at row 0 and at the last row compensate for that.
        """
        starts = self.starts
        draw = rng.random()
        if draw < starts["after_end_of_text"]:
            at = int(rng.choice(self.paragraphs))
            return 0, np.concatenate(([self.end], self.stream[at : at + n])).astype(np.int64)
        at = int(rng.integers(len(self.stream) - n - 1))
        text = self.stream[at : at + n + 1].astype(np.int64)
        draw -= starts["after_end_of_text"]
        if draw < starts["row_zero"]:
            return 0, text
        last = self.n_ctx - n
        return (last if draw < starts["row_zero"] + starts["last_rows"] else int(rng.integers(last + 1))), text


def repeat_part(rng: np.random.Generator, text: np.ndarray, silent: np.ndarray) -> None:
    """Puts a copy of 16 to 128 tokens further on in the text [token]; the jumps into and out of it are silent."""
    n = len(text)
    size = int(rng.integers(min(16, n // 4), min(128, n // 3) + 1))
    source = int(rng.integers(n - 2 * size))
    copy = int(rng.integers(source + size, n - size))
    text[copy : copy + size] = text[source : source + size]
    silent[[copy, copy + size]] = True


def repeated_noise(rng: np.random.Generator, n: int, n_random: int) -> Tuple[np.ndarray, np.ndarray]:
    """Random tokens below `n_random`, repeated to length n; their first occurrence cannot be predicted."""
    size = int(rng.integers(min(16, n // 4), n // 2 + 1))
    text = np.resize(rng.integers(n_random, size=size), n)
    return text, np.arange(n) <= size
