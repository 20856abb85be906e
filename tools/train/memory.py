"""Keeps memory that torch frees in the process, for the next array of that size."""

from __future__ import annotations

import ctypes
import platform

# Parameters of mallopt(3).
TRIM_THRESHOLD, MMAP_MAX = -1, -4
MOST = 2**31 - 1


def keep_freed() -> None:
    """Works with glibc only; elsewhere it does nothing.

    By default every large array is mapped again and its pages are cleared on first use, which takes a quarter of a step's time.
    """
    if platform.libc_ver()[0] == "glibc":
        libc = ctypes.CDLL(None)
        libc.mallopt(MMAP_MAX, 0)
        libc.mallopt(TRIM_THRESHOLD, MOST)
