"""token_cloud: the tokens along their first three principal components, and the positions in the same axes."""

import numpy as np
from measures import alone, principal_axes
from random_numbers import normals

TOLERANCE = {"others": 1e-9, "positions_held": 1e-7, "tokens_held": 1e-7, "points": 3e-6, "position_points": 3e-6, "norm": 2e-7}


def random_share(n, d, seed):
    """Of n rows of d independent normal numbers, the share of the variance along their own three axes. A small triangle
    stands for the rows: below its diagonal normal numbers, on it the lengths of n, n - 1, ... of them (Bartlett 1933),
    each from one normal number (Wilson and Hilferty 1931)."""
    p, q = sorted((n, d))
    triangle = np.zeros((p, p))
    triangle[np.tril_indices(p)] = normals(np.random.default_rng(seed), p * (p + 1) // 2)
    k, z = q - np.arange(p), np.diagonal(triangle)
    lengths = np.sqrt(k) * np.maximum(1 - 2 / (9 * k) + z * np.sqrt(2 / (9 * k)), 0) ** 1.5
    np.fill_diagonal(triangle, lengths)
    _, _, variances = principal_axes(triangle, centre=False)
    return variances[:3].sum() / variances.sum()


def numbers(weights, params, tokens, edits):
    words, positions = weights["wte.weight"], weights["wpe.weight"]
    words = words * weights["ln_f.weight"] if params["of"] == "head" else words
    norms = np.linalg.norm(words, axis=1)
    (mean, own, variances), (own_mean, theirs, of_positions) = (principal_axes(rows, params["centre"]) for rows in (words, positions))
    energy = lambda rows: (rows**2).sum()
    free = [not alone(variances, k) for k in range(3)]
    along = lambda rows: np.ma.array((rows - mean) @ own[:3].T, mask=np.broadcast_to(free, (len(rows), 3)))
    found = {
        "explained_first3": variances[:3].sum() / variances.sum(),
        "explained": variances[:3] / variances.sum(),
        "chance": 3 / words.shape[1],
        "mean_norm": norms.mean(),
        "norm": norms,
        "count": len(words),
        "points": along(words),
        # One degree of freedom is the mean's.
        "random_explained_first3": np.array([random_share(len(words) - params["centre"], words.shape[1], seed) for seed in range(1, 6)]),
    }
    if params["find"]:
        found["found"] = np.array(weights.tokenizer.containing(params["find"]))
        found["found_count"] = len(found["found"])
    if params["positions"]:
        found["position_points"] = along(positions)
        found["positions_held"] = energy((positions - own_mean) @ own[:3].T) / energy(positions - own_mean)
        found["positions_explained"] = of_positions[:3].sum() / of_positions.sum()
        found["tokens_held"] = energy((words - mean) @ theirs[:3].T) / energy(words - mean)
    return found
