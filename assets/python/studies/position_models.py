"""position_models: the principal components of a model's positions, as several models are compared by."""

import numpy as np
from helix import KEPT, fit_of
from measures import alone, steps_of, turns_of

TOLERANCE = {"others": 1e-8, "turns": 1e-6, "along": 1e-6}


def numbers(weights, params, tokens, edits):
    wpe = weights["wpe.weight"]
    fit = fit_of(wpe, {**params, "source": "learned", "group": 1, "fit_first": -1, "fit_last": -1, "centre": True, "plane": [1, 2]})
    explained, points, variances = fit["explained"], fit["points"], fit["variances"]
    free = [not alone(variances, k) for k in range(3)]
    found = {
        "models_shown": 1,
        "positions": np.array([len(wpe)]),
        "dimensions": np.array([wpe.shape[1]]),
        "explained_first3": np.array([explained[:3].sum()]),
        "components_for_90": np.array([np.flatnonzero(np.cumsum(explained) >= 0.9 - 1e-12)[0] + 1]),
        "explained": explained[None, :KEPT],
        "points": np.ma.array(points[None, :, :3], mask=np.broadcast_to(free, (1, len(points), 3))),
    }
    if not any(free) and np.abs(np.abs(steps_of(*fit["plane"])) - 1).min(initial=1) > 1e-9:
        turns, skipped = turns_of(*fit["plane"])
        found["turns"], found["turns_skipped"] = np.array([turns]), np.array([skipped])
        found["along"] = np.array([np.corrcoef(points[:, 2], np.arange(len(points)))[0, 1]])
    return found
