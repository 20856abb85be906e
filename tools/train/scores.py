"""Measures what a model has learnt: its loss on held-out books, its previous-token and induction heads, and the shape of `wpe`."""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np


def previous_token(pattern: np.ndarray) -> np.ndarray:
    """[..., q_pos, k_pos] → [...]: the attention to the previous token, mean over all queries but the first."""
    return np.diagonal(pattern, -1, -2, -1).mean(-1)


def induction(pattern: np.ndarray) -> np.ndarray:
    """[..., q_pos, k_pos] of a sequence whose second half repeats the first → [...].

    The mean attention from each token of the second half to the token that followed its first occurrence.
    """
    half = pattern.shape[-1] // 2
    return np.diagonal(pattern, 1 - half, -2, -1)[..., 1:].mean(-1)


def repeated(sequences: int, half: int, n_random: int, seed: int) -> np.ndarray:
    """Random tokens below `n_random`, each sequence `half` of them twice: [sequence, pos]."""
    once = np.random.default_rng(seed).integers(n_random, size=(sequences, half))
    return np.concatenate((once, once), 1)


def pieces(stream: np.ndarray, n_ctx: int, end_of_text: int) -> Tuple[np.ndarray, np.ndarray]:
    """The stream as sequences after `<|endoftext|>`: tokens and targets, [sequence, pos].

    Every token of the stream is a target once, except the few that do not fill the last sequence.
    """
    count = len(stream) // n_ctx
    targets = np.asarray(stream[: count * n_ctx], np.int64).reshape(count, n_ctx)
    ends = np.full((count, 1), end_of_text)
    return np.concatenate((ends, targets[:, :-1]), 1), targets


def spread(rows: np.ndarray, count: int) -> np.ndarray:
    """`count` evenly spaced rows, or all rows where there are no more."""
    return rows[np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]


def centred_spectrum(rows: np.ndarray) -> np.ndarray:
    """The singular values of [row, d_model] about the mean row."""
    rows = rows.astype(np.float64)
    return np.linalg.svd(rows - rows.mean(0), compute_uv=False)


def explained(rows: np.ndarray, components: int = 3) -> float:
    """The share of the centred rows' variance in the first components; 0 where there is no variance."""
    energy = centred_spectrum(rows) ** 2
    return float(energy[:components].sum() / energy.sum()) if energy.sum() > 0 else 0.0


def adjacent_cosine(rows: np.ndarray) -> float:
    """The mean cosine of neighbouring rows, as they are; 0 where rows are zero."""
    rows = rows.astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1)
    products = lengths[:-1] * lengths[1:]
    cosines = (rows[:-1] * rows[1:]).sum(1) / np.where(products > 0, products, 1)
    return float(cosines.mean())


def shape_of(wpe: np.ndarray) -> Dict[str, float]:
    """The numbers of [position, d_model] that are tracked during training."""
    centred = wpe - wpe.mean(0)
    return {
        "explained_first3": explained(wpe),
        "adjacent_cosine": adjacent_cosine(wpe),
        "adjacent_cosine_centred": adjacent_cosine(centred),
        "mean_norm": float(np.linalg.norm(wpe, axis=1).mean()),
    }
