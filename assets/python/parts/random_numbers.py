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


def splitmix(state):
    """The next 64 random bits, and the state after them."""
    mask = (1 << 64) - 1
    state = (state + 0x9E3779B97F4A7C15) & mask
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31), state


def bits_of(seed, count):
    """The first `count` numbers of 64 random bits that splitmix gives from a seed."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def gaussians(seed, *shape):
    """Normal numbers from splitmix, two of its numbers for each."""
    u = ((bits_of(seed, 2 * int(np.prod(shape))) >> np.uint64(11)).astype(float) + 0.5) * 2.0**-53
    return (np.sqrt(-2 * np.log(u[::2])) * np.cos(2 * np.pi * u[1::2])).reshape(shape)


def swapped(count, seed=1):
    """An order of `count` things, from Fisher and Yates' swaps by splitmix."""
    order = list(range(count))
    for i, bits in zip(range(count, 1, -1), bits_of(seed, count - 1)):
        j = int(bits) % i
        order[i - 1], order[j] = order[j], order[i - 1]
    return order


def shuffled_columns(rows, seed=1):
    """Every column in a random order of its own."""
    n, d = rows.shape
    out, columns = rows.copy(), np.arange(d)
    bits = bits_of(seed, d * (n - 1)).reshape(d, n - 1)
    for k, i in enumerate(range(n, 1, -1)):
        j = (bits[:, k] % np.uint64(i)).astype(int)
        last = out[i - 1].copy()
        out[i - 1] = out[j, columns]
        out[j, columns] = last
    return out
