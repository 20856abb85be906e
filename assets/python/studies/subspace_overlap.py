"""subspace_overlap: squared products of the singular directions of two matrices."""

import numpy as np
from matrices import directions_of, matrix_of, only_if, sure
from random_numbers import normals

TOLERANCE = {"others": 1e-6, "overlap": 1e-4, "panels": 1e-4, "chance": 1e-12, "held_chance": 1e-12, "random_corner": 1e-8, "row_sum_error": 1e-9}
GROUPS = {"tables": ["wpe", "wte"], "attention": ["q", "k", "v", "o"], "weights": ["q", "k", "v", "o", "fc", "mlp"]}
CORNER = 5
CELLS = 128  # of a panel's side, at most


def blurred(overlap, sigma):
    """A Gaussian over neighbouring directions, mirrored at the edges."""
    if sigma == 0:
        return overlap
    radius = int(4 * sigma + 0.5)
    kernel = np.exp(-(np.arange(-radius, radius + 1) ** 2) / (2 * sigma**2))
    kernel /= kernel.sum()
    for axis in (0, 1):
        wide = np.pad(overlap, [(radius, radius) if axis == a else (0, 0) for a in (0, 1)], mode="symmetric")
        overlap = np.apply_along_axis(lambda line: np.convolve(line, kernel, "valid"), axis, wide)
    return overlap


def pooled(overlap, size, cells):
    """The mean of every size x size entries; NaN beyond the last ones."""
    rows, cols = overlap.shape

    def sums(values):
        wide = np.zeros((cells * size, cells * size))
        wide[:rows, :cols] = values
        return wide.reshape(cells, size, cells, size).sum((1, 3))

    count = sums(np.ones((rows, cols)))
    return np.where(count > 0, sums(overlap) / np.maximum(count, 1), np.nan)


def numbers(weights, params, tokens, edits):
    p = params
    sides = []
    for key in "ab":
        side = []
        for which in GROUPS.get(p[key], [p[key]]):
            values, rows = directions_of(matrix_of(weights, which, p["layer"], p["head"], p["side"], p["gain"], p["centre"]))
            side.append((rows, *sure(values, rows.shape[1])))
        sides.append(side)
    a, b = sides
    shape = (len(a), len(b))
    known = np.zeros((3, *shape), bool)
    corners, first, last = np.zeros((3, *shape))
    error, overlap = [], None
    longest = max(len(rows) for rows, *_ in a + b)
    pool = -(-longest // CELLS)
    cells = -(-longest // pool)
    panels = np.ma.zeros((*shape, cells, cells))
    for i, (left, sure_a, whole_a) in enumerate(a):
        for j, (right, sure_b, whole_b) in enumerate(b):
            products = (left @ right.T) ** 2
            rows, cols = min(p["count_a"], len(left)), min(p["count_b"], len(right))
            corners[i, j] = products[:CORNER, :CORNER].max()
            first[i, j], last[i, j] = products[:rows, :cols].sum(), products[len(left) - rows :, :cols].sum()
            known[0, i, j] = sure_a[:CORNER].all() and sure_b[:CORNER].all()
            known[1, i, j] = whole_a[rows] and whole_b[cols]
            known[2, i, j] = whole_a[len(left) - rows] and whole_a[-1] and whole_b[cols]
            if len(right) == right.shape[1]:
                error.append(np.abs(products.sum(1) - 1).max())
            if len(left) == left.shape[1]:
                error.append(np.abs(products.sum(0) - 1).max())
            hidden = blurred(~np.outer(sure_a, sure_b) * 1.0, p["blur"]) > 1e-6  # an undetermined direction is near
            shown = blurred(products, p["blur"])
            panels[i, j] = np.ma.array(pooled(shown, pool, cells), mask=pooled(hidden, pool, cells) > 0)
            if i == j == 0:
                overlap = np.ma.array(shown, mask=hidden)
                counted = rows * cols
    d = a[0][0].shape[1]
    size = min(CORNER, len(b[0][0]), d)
    random = [(np.linalg.qr(normals(np.random.default_rng(seed), size * d).reshape(size, d).T)[0][:CORNER] ** 2).max() for seed in range(1, 21)]
    return {
        "overlap": overlap,
        "panels": panels,
        "pooled": pool,
        "corners": np.ma.array(corners, mask=~known[0]),
        "held_first_by_pair": np.ma.array(first, mask=~known[1]),
        "held_last_by_pair": np.ma.array(last, mask=~known[2]),
        "corner": only_if(known[0, 0, 0], corners[0, 0]),
        "held_first": only_if(known[1, 0, 0], first[0, 0]),
        "held_last": only_if(known[2, 0, 0], last[0, 0]),
        "row_sum_error": max(error) if error else np.nan,
        "chance": 1 / d,
        "held_chance": counted / d,
        "directions_a": np.array([len(rows) for rows, *_ in a]),
        "directions_b": np.array([len(rows) for rows, *_ in b]),
        **({"random_corner": np.array(random)} if len(a[0][0]) >= CORNER else {}),
    }
