"""The principal components of rows of positions, and what follows from them."""

import numpy as np
from measures import averaged, principal_axes, sinusoidal

KEPT = 8  # components the study gives for every row


def fit_of(wpe, p):
    """Shown and fitted rows' numbers: those of the study, and what they are made of."""
    rows = sinusoidal(p["positions"], p["dimensions"], p["base"]) if p["source"] == "sinusoidal" else wpe
    rows = averaged(rows, p["group"]) if p["group"] > 1 else rows
    end = len(rows) - 1
    first, last = p["first"], min(p["last"], end)
    fit_first = p["fit_first"] if p["fit_first"] >= 0 else first
    fit_last = min(p["fit_last"], end) if p["fit_last"] >= 0 else last
    shown, fitted = rows[first : last + 1], rows[fit_first : fit_last + 1]

    mean, directions, variances = principal_axes(fitted, p["centre"])
    if variances.sum() < 1e-24 * (fitted**2).mean():
        variances = np.zeros_like(variances)  # equal rows, but for rounding: there is no variance to share
    away = shown - mean
    points = away @ directions[:KEPT].T
    own_axes = (fit_first, fit_last) == (first, last)
    if own_axes:
        explained = variances / (variances.sum() or 1)
    else:
        explained = (points**2).sum(axis=0) / (away**2).sum()
    three = directions[:3]
    residual = np.linalg.norm(away - (away @ three.T) @ three, axis=1)
    plane = points[:, [p["plane"][0] - 1, p["plane"][1] - 1]].T if max(p["plane"]) <= points.shape[1] else None
    return {"positions": len(rows), "shown": shown, "own_axes": own_axes, "variances": variances, "points": points, "explained": explained, "residual": residual, "plane": plane}
