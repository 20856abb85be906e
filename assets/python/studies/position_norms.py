"""position_norms: the lengths of positions, of tokens, and of their sums."""

import numpy as np
from measures import sinusoidal
from random_numbers import shuffled_columns

TOLERANCE = {"others": 1e-8}
MOST_SHUFFLED, BINS = 4096, 60


def rows_of(weights, p):
    """The rows, the number of the first, and the token that is added to each, if any."""
    if p["of"] == "wte":
        return weights["wte.weight"], 0, None
    token = None
    if p["of"] == "sum":
        wte = weights["wte.weight"]
        token = wte[min(p["token"], len(wte) - 1)]
    table = sinusoidal(1024, 768 if token is None else len(token), p["base"]) if p["source"] == "sinusoidal" else weights["wpe.weight"]
    rows = table[p["first"] : p["last"] + 1]
    return (rows if token is None else rows + token), p["first"], token


def summary(norms, prefix=""):
    mean, std = norms.mean(), norms.std()
    found = {"mean": mean, "std": std, "max": norms.max(), "min": norms.min(), "outliers": (np.abs(norms - mean) > max(3 * std, 1e-9 * mean)).sum()}
    return {prefix + name: value for name, value in found.items()}


def histogram(norms, low, width, bins):
    at = ((norms - low) / width if width else np.zeros(len(norms))).astype(int)
    return np.bincount(np.clip(at, 0, bins - 1), minlength=bins) / len(norms)


def numbers(weights, params, tokens, edits):
    rows, first, token = rows_of(weights, params)
    norms = np.linalg.norm(rows, axis=1)
    n = min(len(rows), MOST_SHUFFLED)
    other = np.linalg.norm(shuffled_columns(rows[np.arange(n) * len(rows) // n]), axis=1)
    low, high = min(norms.min(), other.min()), max(norms.max(), other.max())
    same = high - low < 1e-9 * max(high, 1e-300)
    bins, width = (1, 0.0) if same else (BINS, (high - low) / BINS)
    found = {
        **summary(norms),
        "max_row": first + norms.argmax(),
        "min_row": first + norms.argmin(),
        "norm": norms,
        **summary(other, "shuffled_"),
        "bin_from": low + width * np.arange(bins),
    }
    edges = np.append(found["bin_from"], high)[1:-1] if bins > 1 else np.zeros(0)
    near = [np.abs(values[:, None] - edges).min(initial=1) for values in (norms, other)]
    for name, values, gap in (("histogram", norms, near[0]), ("shuffled_histogram", other, near[1])):
        if gap > 1e-10:  # at an edge rounding decides
            found[name] = histogram(values, low, width, bins)
    if token is not None:
        found["token_norm"] = np.linalg.norm(token)
        found["orthogonal"] = np.hypot(found["token_norm"], np.linalg.norm(rows - token, axis=1))
    return found
