"""position_helix: principal components of the rows of wpe, or of the sinusoidal encoding."""

import numpy as np
from helix import KEPT, fit_of
from measures import alone, main_axes, rank_of, steps_of, turns_of
from random_numbers import walk

TOLERANCE = {"others": 1e-8, "turns": 1e-6, "along": 1e-6, "walk_turns": 1e-5, "walk_along": 1e-5, "walk_explained_first3": 1e-7}


def of_walks(rows, p):
    """Share of three components, turns and the third component's correlation, of 20 random walks with the rows' steps."""
    found = []
    for seed in range(1, 21):
        table = walk(rows, np.random.default_rng(seed))
        mean, directions, variances = main_axes(table, p["centre"])
        points = (table - mean) @ directions[: max(3, *p["plane"])].T
        turns, _ = turns_of(*points[:, [p["plane"][0] - 1, p["plane"][1] - 1]].T)
        found.append((variances[:3].sum() / variances.sum(), turns, abs(np.corrcoef(points[:, 2], np.arange(len(rows)))[0, 1])))
    return np.array(found).T


def of_fit(fit, p):
    """The numbers of the shown rows, which draw the curve."""
    variances, points = fit["variances"], fit["points"]
    found = {"residual": fit["residual"], "positions": fit["positions"]}
    if not variances.any():
        return {**found, "explained_first3": np.nan, "components_for_90": np.nan}
    real = int((variances > 1e-13 * variances[0]).sum())  # the others are rounding
    kept = min(KEPT, real)
    explained = fit["explained"] if fit["own_axes"] else fit["explained"][:kept]
    reached = np.flatnonzero(np.cumsum(explained) >= 0.9 - 1e-12)
    free = np.array([not alone(variances, k) for k in range(kept)])
    close = np.abs(np.cumsum(explained) - 0.9).min() < 1e-9  # at the threshold either count is right
    found.update(
        explained_first3=explained[:3].sum(),
        components_for_90=np.ma.array(reached[0] + 1 if len(reached) else np.nan, mask=close),
        points=np.ma.array(points[:, :kept], mask=np.broadcast_to(free, (len(points), kept))),
        explained=explained,
    )
    a, b = (c - 1 for c in p["plane"])
    determined = max(a, b) < kept and not free[[a, b]].any() and np.abs(np.abs(steps_of(*fit["plane"])) - 1).min(initial=1) > 1e-9
    if a != b and determined:
        found["turns"], found["turns_skipped"] = turns_of(*fit["plane"])
    if fit["own_axes"]:
        rank, values = rank_of(np.sqrt(variances)), np.sqrt(variances)
        found["rank"] = np.ma.array(rank, mask=values[rank - 1] < 1e-5 * values[0])  # a fall further down may be one of rounding
    if kept > 2 and not free[2]:
        found["along"] = np.corrcoef(points[:, 2], np.arange(len(points)))[0, 1]
    return found


def numbers(weights, params, tokens, edits):
    p = params
    fit = fit_of(weights["wpe.weight"] if p["source"] == "learned" else None, p)
    found = of_fit(fit, p)
    if p["source"] == "learned" and fit["own_axes"] and len(fit["shown"]) >= 10:
        found["walk_explained_first3"], found["walk_turns"], found["walk_along"] = of_walks(fit["shown"], p)
        if p["plane"][0] == p["plane"][1]:
            del found["walk_turns"]
    return found
