"""Times numpy on the same fit, on one thread: milliseconds per method, as JSON.

Usage: bench_reference.py FILE ROWS COLUMNS, where FILE holds float32 numbers, row after row.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json  # noqa: E402
import sys  # noqa: E402

import numpy as np  # noqa: E402

from bench_numbers import linear_algebra, median_ms  # noqa: E402


def by_eigh(rows):
    centred = rows - rows.mean(axis=0)
    return np.linalg.eigh(centred.T @ centred / len(rows))


def by_svd(rows):
    return np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)


data = np.fromfile(sys.argv[1], dtype=np.float32).reshape(int(sys.argv[2]), int(sys.argv[3])).astype(np.float64)
times = {"eigh": median_ms(lambda: by_eigh(data)), "svd": median_ms(lambda: by_svd(data), 3)}
print(json.dumps({"blas": linear_algebra(), **times}))
