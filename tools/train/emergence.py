"""The training record: `wpe` of each snapshot in its own best 16 directions, with the numbers that were tracked."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List, NamedTuple

import numpy as np

RANK = 16
SHIPPED_RANK = 16  # components of `wpe` that the model keeps
FIGURES = ("tokens", "loss", "held_out", "previous", "induction", "explained_first3", "adjacent_cosine")


class Reduced(NamedTuple):
    """rows ≈ mean + scores · axes, the best of its rank."""

    scores: np.ndarray  # [position, rank]
    axes: np.ndarray  # [rank, d_model], orthonormal
    mean: np.ndarray  # [d_model]
    singular_values: np.ndarray  # [min(position, d_model)] of the centred rows: all of them


def reduce(rows: np.ndarray, rank: int = RANK) -> Reduced:
    """The first principal components of [position, d_model]; each axis' largest entry is positive."""
    rows = rows.astype(np.float64)
    mean = rows.mean(0)
    left, values, axes = np.linalg.svd(rows - mean, full_matrices=False)
    axes = axes[:rank]
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(1)])
    return Reduced(left[:, :rank] * values[:rank] * signs, axes * signs[:, None], mean, values)


def read_snapshots(folder: Path) -> List[Dict[str, np.ndarray]]:
    """All that was kept, in the order of the steps."""
    rows = []
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as file:
            rows.append(dict(file))
    return rows


def tensors(snapshots: List[Dict[str, np.ndarray]], rank: int = RANK) -> Dict[str, np.ndarray]:
    """The file's arrays, stacked over the snapshots. Directions are f16, singular values and other numbers f32."""
    reduced = [reduce(row["wpe"], rank) for row in snapshots]
    out = {
        name: np.stack([getattr(item, name) for item in reduced]).astype("<f4" if name == "singular_values" else "<f2")
        for name in Reduced._fields
    }
    out.update((name, np.array([row[name] for row in snapshots], "<f4")) for name in FIGURES)
    return out
