"""position_cosine: the cosines of all pairs of positions, of tokens, or of their sums."""

import numpy as np
from measures import sinusoidal
from random_numbers import swapped, walk

TOLERANCE = {"others": 1e-8, "cosine": 1e-6}
SMOOTH, RISE, ENTRIES = 10, 0.1, 128


def vectors(weights, p):
    """The vectors that are compared, and of a sum the tokens alone."""
    sinusoids = p["source"] == "sinusoidal"
    if p["of"] == "positions":
        rows = sinusoidal(1024, 768, p["base"]) if sinusoids else weights["wpe.weight"]
        return rows[p["first"] : p["last"] + 1], None
    wte, wpe = weights["wte.weight"], weights["wpe.weight"]
    table = sinusoidal(len(wpe), wte.shape[1], p["base"]) if sinusoids else wpe
    rows = table[p["first"] : p["last"] + 1]
    n = len(rows)
    first = min(p["token"], max(len(wte) - n, 0))
    words = wte[first : first + n][swapped(n)]
    return (words, None) if p["of"] == "tokens" else (words + rows, words)


def cosines(rows, centre):
    rows = rows - rows.mean(0) if centre else rows
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


def by_lag(cosine):
    return np.array([np.diagonal(cosine, lag).mean() for lag in range(len(cosine))])


def near_minus_far(profile):
    """The mean over the nearest tenth of the lags less that over the farthest half, without the last tenth."""
    n = len(profile)
    near, far = profile[1 : n // 10 + 1], profile[n // 2 : n - n // 10]
    return near.mean() - far.mean() if near.size and far.size else np.nan


def period_of(profile, step=1):
    """The lag at which the profile, of every `step`-th lag, has its next maximum after a minimum; and the lag of the minimum."""
    n, around = len(profile) - len(profile) // 10, max(1, SMOOTH // step)
    smooth = [profile[i - around : i + around + 1].mean() for i in range(around, n - around)]
    lowest, highest, at, trough = np.inf, -np.inf, 0, 0
    for i, value in enumerate(smooth, around):
        if at and value < highest - RISE:
            return at * step, trough * step
        if value < lowest and not at:
            lowest, trough = value, i
        if value > lowest + RISE and value > highest:
            highest, at = value, i
    return np.nan, np.nan


def of_walks(rows, centre):
    """The profiles of 20 random walks with the rows' steps, at every few lags."""
    step = max(1, -(-len(rows) // ENTRIES))
    profiles = np.array([by_lag(cosines(walk(rows, np.random.default_rng(seed)), centre)) for seed in range(1, 21)])
    some = profiles[:, ::step]
    return {
        "walk_adjacent": profiles[:, 1],
        "walk_lag": np.arange(0, len(rows), step),
        "walk_least": some.min(0),
        "walk_most": some.max(0),
        "walks_rising": sum(bool(np.isfinite(period_of(profile, step)[0])) for profile in some),
    }


def numbers(weights, params, tokens, edits):
    rows, words = vectors(weights, params)
    cosine = cosines(rows, params["centre"])
    profile, adjacent = by_lag(cosine), np.diagonal(cosine, 1)
    period, trough = period_of(profile)
    walks = params["of"] == "positions" and params["source"] == "learned" and len(rows) > 2
    return {
        **(of_walks(rows, params["centre"]) if walks else {}),
        "cosine": cosine,
        "by_lag": profile,
        "adjacent_mean": adjacent.mean(),
        "adjacent_spread": np.ptp(adjacent),
        "shuffled_mean": cosine[np.triu_indices(len(rows), 1)].mean(),
        "period": period,
        "trough": trough,
        "near_minus_far": near_minus_far(profile),
        "near_minus_far_tokens": np.nan if words is None else near_minus_far(by_lag(cosines(words, params["centre"]))),
    }
