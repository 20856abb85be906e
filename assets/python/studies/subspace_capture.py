"""subspace_capture: how much of each direction of a matrix lies in the positions' largest directions."""

import numpy as np
from matrices import TABLES, directions_of, matrix_of, only_if, sure

TOLERANCE = {"others": 1e-6, "capture": 1e-5, "along_mean": 1e-5, "chance": 1e-12, "held_chance": 1e-12}


def removed(weights, p):
    """The unit vector that centring takes away."""
    if p["matrix"] in TABLES:
        row = matrix_of(weights, p["matrix"], gain=p["gain"]).mean(0)
    else:
        row = np.ones(weights["wpe.weight"].shape[1])
    return row / np.linalg.norm(row)


def numbers(weights, params, tokens, edits):
    p = params
    values, of = directions_of(matrix_of(weights, p["matrix"], p["layer"], p["head"], p["side"], p["gain"], p["centre"]))
    of_sure, of_whole = sure(values, of.shape[1])
    values, by = directions_of(matrix_of(weights, "wpe", centre=p["centre"]))
    k = min(p["k"], len(by))
    known = sure(values, by.shape[1])[1][k]
    capture = ((of @ by[:k].T) ** 2).sum(1)
    n = len(of)
    ends = min(100, max(n // 4, 1))
    top = min(10, max(ends // 10, 1))
    between = slice(ends, n - ends)
    found = {
        "capture": np.ma.array(capture, mask=~of_sure | (not known)),
        "total": only_if(known and of_whole[-1], capture.sum()),
        "chance": k / of.shape[1],
        "ends": ends,
        "held_first": only_if(known and of_whole[ends], capture[:ends].sum()),
        "held_last": only_if(known and of_whole[n - ends] and of_whole[-1], capture[-ends:].sum()),
        "held_chance": ends * k / of.shape[1],
        "top_mean": only_if(known and of_whole[top], capture[:top].mean()),
        "middle_mean": only_if(known and of_whole[ends] and of_whole[n - ends], capture[between].mean()) if n > 2 * ends else np.nan,
    }
    if p["side"] == "residual":
        vector = removed(weights, p)
        along = (of @ vector) ** 2
        most = along.argmax()
        found["mean_captured"] = only_if(known, ((by[:k] @ vector) ** 2).sum())
        found["along_mean"] = np.ma.array(along, mask=~of_sure)
        found["mean_direction"] = only_if(of_sure[most] and along[~of_sure].sum() < along[most], most + 1)
    return found
