"""sphere_overlap: the volume that balls with random centres share, by numerical integration."""

import numpy as np
from random_numbers import gaussians

TOLERANCE = {"others": 1e-9, "log10_mean_fraction": 1e-8, "log10_fraction": 1e-8, "stated_distance": 1e-8}
STATED_MEAN, MOST_BINS = 0.00096, 80
NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)
FAR = 40  # e^-40 of a ball's largest slice is nothing


def log_cap(angle, power):
    """ln of the integral of sin(t)^power over t from 0 to each angle, by Gauss and Legendre's rule where it counts."""
    with np.errstate(over="ignore", divide="ignore"):
        width = np.minimum(np.minimum(angle, np.sqrt(2 * FAR / power)), FAR * np.tan(angle) / power)
    t = angle[:, None] - width[:, None] * (1 - NODES) / 2
    ratio = np.exp(power * (np.log(np.sin(t)) - np.log(np.sin(angle))[:, None]))
    return power * np.log(np.sin(angle)) + np.log(ratio @ WEIGHTS * width / 2)


def log_overlap(distance, dimension, radius):
    """ln of the share of its volume that a ball has in common with another one: two caps over the whole of it. A cap is the
    integral of sin^d up to the half-angle that it is seen at."""
    distance = np.atleast_1d(distance)
    out = np.full(distance.shape, -np.inf)
    near = np.flatnonzero(distance < 2 * radius)
    for part in np.array_split(near, len(near) // 50_000 + 1):
        out[part] = log_cap(np.arccos(distance[part] / (2 * radius)), dimension)
    return out - log_cap(np.array([np.pi / 2]), dimension)


def distances(rows):
    """Between every two rows."""
    squares = (rows**2).sum(1)
    apart = squares[:, None] + squares - 2 * rows @ rows.T
    return np.sqrt(np.maximum(apart[np.triu_indices(len(rows), 1)], 0))


def bin_width(reach):
    """1, 2 or 5 times a power of ten, for at most 80 bins."""
    power = 10.0 ** np.floor(np.log10(reach / MOST_BINS))
    return next(factor * power for factor in (1, 2, 5, 10) if reach / (factor * power) <= MOST_BINS or factor == 10)


def stated_distance(dimension, radius):
    near, far = 0.0, 2 * radius
    for _ in range(100):
        middle = (near + far) / 2
        if log_overlap(middle, dimension, radius)[0] > np.log(STATED_MEAN):
            near = middle
        else:
            far = middle
    return near


def numbers(weights, params, tokens, edits):
    count, d, radius, epsilon = (params[name] for name in ("count", "dimension", "radius", "epsilon"))
    apart = distances(gaussians(params["seed"], count, d) * params["length"] / np.sqrt(d))
    logs = log_overlap(apart, d, radius)
    largest = logs.max()
    log_mean = largest + np.log(np.exp(logs - largest).mean()) if np.isfinite(largest) else -np.inf
    width = bin_width(max(2 * radius, apart.max()) * 1.0001)
    bins = int(np.ceil(max(2 * radius, apart.max()) * 1.0001 / width))
    middle = (np.arange(bins) + 0.5) * width
    return {
        "pairs_overlapping": (apart < 2 * radius).mean(),
        "log10_mean_fraction": log_mean / np.log(10),
        "shell_fraction": 1 - (1 - epsilon) ** d,
        "mean_with_self": (1 + (count - 1) * np.exp(log_mean)) / count,
        "self_share": 1 / count,
        "mean_distance": apart.mean(),
        "stated_distance": stated_distance(d, radius),
        "shell_in_3d": 1 - (1 - epsilon) ** 3,
        "histogram": np.bincount(np.minimum((apart / width).astype(int), bins - 1), minlength=bins),
        "distance": middle,
        "log10_fraction": log_overlap(middle, d, radius) / np.log(10),
        "shell": 1 - (1 - epsilon) ** np.arange(1, d + 1),
    }
