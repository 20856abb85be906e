"""spectrum: the singular values of a matrix."""

import numpy as np
from matrices import matrix_of

TOLERANCE = {"others": 1e-7, "condition": 1e-4, "log_volume": 1e-6}
TOP = 30


def of_values(values):
    """What the study says about these singular values."""
    if not values.any():
        return {"singular_values": values}
    share = values[values > 0] / values.sum()
    entropy = -(share * np.log(share)).sum()
    energy = np.cumsum(values**2) / (values**2).sum()
    singular = values[-1] <= 1e-7 * values[0]  # smaller ones are rounding
    return {
        "singular_values": values,
        "effective_rank": np.exp(entropy),
        "entropy": entropy,
        "energy_top30": energy[min(TOP, len(energy)) - 1],
        "energy": energy,
        "condition": np.inf if singular else values[0] / values[-1],
        "log_volume": np.nan if singular else np.log(values).sum(),
    }


def numbers(weights, params, tokens, edits):
    p = params
    return of_values(np.linalg.svd(matrix_of(weights, p["matrix"], p["layer"], p["head"], gain=p["gain"], centre=p["centre"]), compute_uv=False))
