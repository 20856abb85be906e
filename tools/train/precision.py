"""The device and number format for training: a GPU if there is one, bf16 where a short trial shows that it is faster."""

from __future__ import annotations

import contextlib
import time
from typing import ContextManager, NamedTuple

import torch
from torch.nn import functional

FORMATS = ("f32", "bf16")


class Precision(NamedTuple):
    device: str  # "cpu" or "cuda"
    format: str  # "f32" or "bf16": of the products; weights, sums and the optimiser are f32 in both

    def products(self) -> ContextManager[object]:
        """The context in which the network runs."""
        if self.format == "f32":
            return contextlib.nullcontext()
        return torch.autocast(self.device, torch.bfloat16)


def speed(device: str, dtype: torch.dtype, seconds: float = 0.5) -> float:
    """Products of 1024 × 256 by 256 × 1024 matrices a second."""
    a, b = torch.randn(1024, 256, device=device).to(dtype), torch.randn(1024, 256, device=device).to(dtype)
    functional.linear(a, b)
    start, count = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        float(functional.linear(a, b)[0, 0])  # reading the result waits for the GPU
        count += 1
    return count / (time.perf_counter() - start)


def choose(wanted: str) -> Precision:
    """`wanted`: one of FORMATS, or "auto" for the faster of them."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if wanted == "auto":
        faster = speed(device, torch.bfloat16) > speed(device, torch.float32)
        wanted = "bf16" if faster else "f32"
    if wanted not in FORMATS:
        raise ValueError(f"The number format is one of {', '.join(FORMATS)} or auto, not {wanted}")
    return Precision(device, wanted)
