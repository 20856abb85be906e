"""position_vectors: the largest singular vectors of the positions, and how many entries hold them."""

import numpy as np
from measures import alone, positive, sinusoidal
from random_numbers import gaussians

TOLERANCE = {"others": 1e-6}
RANDOM, TOP = 32, 5


def fewest_for(mass, share):
    return np.searchsorted(np.sort(mass)[::-1].cumsum(), share) + 1


def numbers(weights, params, tokens, edits):
    p = params
    rows = sinusoidal(1024, 768, p["base"]) if p["source"] == "sinusoidal" else weights["wpe.weight"]
    rows = rows - rows.mean(0) if p["centre"] else rows
    u, values, v = np.linalg.svd(rows, full_matrices=False)
    count, d = min(p["count"], len(v)), rows.shape[1]
    signed = positive(v)
    u = (u * np.sign((signed * v).sum(1))).T[:count]
    v, values = signed[:count], values[:]
    free = np.array([not alone(values**2, k) for k in range(count)])
    hide = lambda array: np.ma.array(array, mask=np.broadcast_to(free.reshape(-1, *[1] * (array.ndim - 1)), array.shape))
    participation, over = 1 / (v**4).sum(1), (np.abs(v) > p["threshold"]).sum(1)
    found = {"left": hide(u), "right": hide(v), "participation": hide(participation), "over_threshold": hide(over), "singular_values": values[:count]}
    for k in range(TOP):
        there = k < count and not free[k]
        if there or k >= count:
            found[f"participation_{k + 1}"] = participation[k] if there else np.nan
            found[f"over_threshold_{k + 1}"] = over[k] if there else np.nan
    if not free.any():
        found["mass"] = (v**2).mean(0)
        found["union_90"] = fewest_for(found["mass"], 0.9)
    random = gaussians(1, RANDOM, d)
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    found["random_union_90"] = fewest_for((random[:count] ** 2).mean(0), 0.9)
    found["random_participation"] = (1 / (random**4).sum(1)).mean()
    found["random_over_threshold"] = (np.abs(random) > p["threshold"]).sum(1).mean()
    found["random_sorted"] = np.sort(np.abs(random), axis=1)[:, ::-1].mean(0)
    return found
