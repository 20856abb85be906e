"""sinusoid: the sinusoidal encoding, and the rotation that moves it on."""

import numpy as np
from measures import sinusoidal
from random_numbers import swapped

TOLERANCE = {"others": 1e-9, "encoding": 1e-6, "angle": 1e-8}


def numbers(weights, params, tokens, edits):
    base, d, k, n = (params[name] for name in ("base", "dimensions", "shift", "positions"))
    rows, speed = sinusoidal(n + k, d, base), base ** (-2 * np.arange(d // 2) / d)
    sine, cosine = np.sin(k * speed), np.cos(k * speed)
    moved = np.empty((n, d))
    moved[:, ::2] = rows[:n, ::2] * cosine + rows[:n, 1::2] * sine
    moved[:, 1::2] = rows[:n, 1::2] * cosine - rows[:n, ::2] * sine
    residual, order = np.linalg.norm(moved - rows[k : k + n], axis=1), np.array(swapped(n))
    norms = np.linalg.norm(rows[:n], axis=1)
    unit = rows[:n] / norms[:, None]
    cosines, shuffled = (unit[:-1] * unit[1:]).sum(1), (unit[order[:-1]] * unit[order[1:]]).sum(1)
    periods = 2 * np.pi / speed
    return {
        "encoding": rows[:n],
        "residual": residual,
        "rotation_residual": residual.max(),
        "shuffled_residual": np.linalg.norm(moved - rows[order + k], axis=1).mean(),
        "norm": norms.mean(),
        "norm_spread": np.ptp(norms),
        "neighbour_cosine": cosines.mean(),
        "neighbour_spread": np.ptp(cosines),
        "shuffled_neighbour_cosine": shuffled.mean(),
        "period": periods,
        "angle": np.degrees(k * speed) % 360,
        "shortest_period": periods[0],
        "longest_period": periods[-1],
        "pairs": d // 2,
    }
