"""Times numpy on the shapes of tools/bench/geometry.cpp, on one thread: milliseconds by row, as JSON."""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json  # noqa: E402

import numpy as np  # noqa: E402

from bench_numbers import linear_algebra, times_ms  # noqa: E402


def falling(n, d):
    return np.random.default_rng(7).uniform(-0.5, 0.5, (n, d)) / (1 + 0.05 * np.arange(d))


rows, tall, square = falling(1024, 768), falling(768, 64), falling(768, 768)
block, gram, words = falling(10, 768), rows.T @ rows, falling(50257, 768)
work = {
    "Gram matrix of 1024 x 768": lambda: rows.T @ rows,
    "1024 x 768 applied to 10 directions, twice": lambda: (rows @ block.T).T @ rows,
    "eigh of 768, values": lambda: np.linalg.eigvalsh(gram),
    "eigh of 768, 8 vectors": lambda: np.linalg.eigh(gram),
    "eigh of 768, all vectors": lambda: np.linalg.eigh(gram),
    "svd of 768 x 64, right vectors": lambda: np.linalg.svd(tall, full_matrices=False),
    "svd of 768 x 768, values": lambda: np.linalg.svd(square, compute_uv=False),
    "svd of 768 x 768, right vectors": lambda: np.linalg.svd(square, full_matrices=False),
    "144 svds of 768 x 64, right vectors": lambda: [np.linalg.svd(tall, full_matrices=False) for _ in range(144)],
    "singular values of 50257 x 768": lambda: np.linalg.eigvalsh(words.T @ words),
}
print(json.dumps({"blas": linear_algebra(), "ms": {name: times_ms(one, 2)[0] for name, one in work.items()}}))
