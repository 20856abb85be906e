"""rope: the scores of a query and a key that rotary encoding turns, and of those that a sinusoid is added to."""

import numpy as np
from random_numbers import gaussians

TOLERANCE = {"others": 1e-8}
SIZE, LAGS = 64, 128


def turned(vector, position, base, pairing):
    """The vector after the rotation of a position: pairs are neighbours, or lie half the dimensions apart."""
    a, b = (vector[0::2], vector[1::2]) if pairing == "interleaved" else (vector[: SIZE // 2], vector[SIZE // 2 :])
    angle = position * base ** (-2 * np.arange(SIZE // 2) / SIZE)
    pairs = np.array([a * np.cos(angle) - b * np.sin(angle), a * np.sin(angle) + b * np.cos(angle)])
    return pairs.T.ravel() if pairing == "interleaved" else pairs.ravel()


def added(position, base):
    angle = position * base ** (-2 * np.arange(SIZE // 2) / SIZE)
    return np.stack([np.sin(angle), np.cos(angle)], axis=1).ravel()


def numbers(weights, params, tokens, edits):
    base, pairing, shift = params["base"], params["pairing"], params["shift"]
    query, key = gaussians(params["seed"], 2, SIZE)
    starts = [0, shift, 10 * shift, 100 * shift]
    rotary, sums = np.zeros((2, len(starts), LAGS))
    for i, start in enumerate(starts):
        for lag in range(LAGS):
            rotary[i, lag] = turned(query, start + lag, base, pairing) @ turned(key, start, base, pairing) / 8
            sums[i, lag] = (query + added(start + lag, base)) @ (key + added(start, base)) / 8
    return {
        "start": np.array(starts),
        "rotary": rotary,
        "added": sums,
        "score_residual": np.ptp(rotary, axis=0).max(),
        "added_spread": np.ptp(sums, axis=0).max(),
        "score_range": np.ptp(rotary[0]),
        "wavelength": 2 * np.pi * base ** (2 * np.arange(SIZE // 2) / SIZE),
    }
