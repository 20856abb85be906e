"""What numpy takes for the same fit, on one thread: milliseconds per method, as JSON.

Usage: bench_reference.py FILE ROWS COLUMNS, where FILE holds float32 numbers, row after row.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json  # noqa: E402
import sys  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402


def by_eigh(rows):
    centred = rows - rows.mean(axis=0)
    return np.linalg.eigh(centred.T @ centred / len(rows))


def by_svd(rows):
    return np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)


def median_ms(work, rows, repeats=5):
    work(rows)
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work(rows)
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)[repeats // 2]


def linear_algebra():
    """Which library does numpy's work: the plain reference BLAS is ten times slower than OpenBLAS or MKL."""
    try:
        with open("/proc/self/maps") as maps:
            loaded = maps.read().lower()
    except OSError:
        return "an unknown BLAS"
    known = {"mkl": "MKL", "openblas": "OpenBLAS", "blis": "BLIS", "atlas": "ATLAS", "libblas": "the reference BLAS"}
    return next((name for word, name in known.items() if word in loaded), "an unknown BLAS")


data = np.fromfile(sys.argv[1], dtype=np.float32).reshape(int(sys.argv[2]), int(sys.argv[3])).astype(np.float64)
print(json.dumps({"blas": linear_algebra(), "eigh": median_ms(by_eigh, data), "svd": median_ms(by_svd, data, 3)}))
