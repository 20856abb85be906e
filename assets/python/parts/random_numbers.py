"""Random numbers as helixscope draws them: PCG64 as numpy seeds it, and what is made of them."""

import numpy as np


def normals(rng, n):
    u = rng.random(2 * ((n + 1) // 2)).reshape(-1, 2)
    r, a = np.sqrt(-2 * np.log(1 - u[:, 0])), 2 * np.pi * u[:, 1]
    return np.stack([r * np.cos(a), r * np.sin(a)], 1).ravel()[:n]


def noise(norms, d, rng):
    g = normals(rng, len(norms) * d).reshape(-1, d)
    return g * (norms / np.linalg.norm(g, axis=1))[:, None]


def walk(rows, rng):
    steps = noise(np.linalg.norm(np.diff(rows, axis=0), axis=1), rows.shape[1], rng)
    return rows[0] + np.concatenate([np.zeros((1, rows.shape[1])), steps]).cumsum(0)


def in_order(n, rng):
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order
