"""token_cloud: the tokens along their first three principal components, and the positions in the same axes."""

import numpy as np
from measures import alone, principal_axes

TOLERANCE = {"others": 1e-6, "points": 1e-5, "position_points": 1e-5, "norm": 1e-5}


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
    }
    if params["positions"]:
        found["position_points"] = along(positions)
        found["positions_held"] = energy((positions - own_mean) @ own[:3].T) / energy(positions - own_mean)
        found["positions_explained"] = of_positions[:3].sum() / of_positions.sum()
        found["tokens_held"] = energy((words - mean) @ theirs[:3].T) / energy(words - mean)
    return found
