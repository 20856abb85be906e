"""Shared code of the benchmark's numpy programs. Import it after the number of threads is set."""

import time


def times_ms(work, repeats=5):
    """The times of all repeats, the fastest first."""
    work()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)


def median_ms(work, repeats=5):
    return times_ms(work, repeats)[repeats // 2]


def linear_algebra():
    """numpy's linear algebra library: the plain reference BLAS is ten times slower than OpenBLAS or MKL."""
    try:
        with open("/proc/self/maps") as maps:
            loaded = maps.read().lower()
    except OSError:
        return "an unknown BLAS"
    known = {"mkl": "MKL", "openblas": "OpenBLAS", "blis": "BLIS", "atlas": "ATLAS", "libblas": "the reference BLAS"}
    return next((name for word, name in known.items() if word in loaded), "an unknown BLAS")
