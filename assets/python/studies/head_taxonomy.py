"""head_taxonomy: the means of every head's diagonals, and what else its queries attend to; of a long text, over its windows."""

import warnings

import numpy as np
from edits import Edited
from patterns import even_pattern, mean

TOLERANCE = {"others": 2e-4, **dict.fromkeys(("ratio", "least", "most"), 2e-3)}
NEAR = 1e-3
METRICS = ("previous", "self", "first", "induction", "duplicate", "entropy", "ratio")


def mean_diagonals(patterns, shortest):
    """[layer, head, lag], the first row and column left out."""
    inner = np.stack(patterns)[:, :, 1:, 1:]
    lags = inner.shape[-1] - min(shortest, inner.shape[-1]) + 1
    return np.stack([np.diagonal(inner, -lag, axis1=2, axis2=3).mean(-1) for lag in range(lags)], axis=-1)


def metrics(pattern, tokens):
    rows = range(1, len(tokens))
    same = [[j for j in range(i) if tokens[j] == tokens[i]] for i in range(len(tokens))]
    after = [(i, [j + 1 for j in same[i] if j + 1 < i]) for i in rows]
    return {
        "self": mean([pattern[i, i] for i in rows]),
        "first": mean([pattern[i, 0] for i in rows]),
        "induction": mean([pattern[i, keys].sum() for i, keys in after if keys]),
        "duplicate": mean([pattern[i, same[i]].sum() for i in rows if same[i]]),
        "entropy": mean([-(p[p > 0] * np.log2(p[p > 0])).sum() for p in pattern[1:]]),
    }


def windows_of(weights, params, tokens):
    """The text, or windows of one length, the last of which ends with it."""
    size = min(params["window"] or len(tokens), len(weights["wpe.weight"]))
    if len(tokens) <= size:
        return [tokens]
    bos = tokens[:1] if params["bos"] else []
    text, each = tokens[len(bos) :], size - len(bos)
    return [bos + text[first : first + each] for first in (*range(0, len(text) - each, each), len(text) - each)]


def over_windows(values, how):
    """Windows in which a number is undefined are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # undefined in all of them
        return how(np.array(values), axis=0)


def clear_of(ordered):
    """Where the largest mean diagonal is not nearly as large as another."""
    return ordered[..., -1] - ordered[..., -2] > NEAR if ordered.shape[-1] > 1 else np.ones(ordered.shape[:-1], bool)


def window_numbers(model, params, tokens):
    """What one pass gathers of every head."""
    hooks, _ = model.run(tokens)
    patterns = np.array([hooks[f"blocks.{i}.attn.hook_pattern"] for i in range(model.layers)])
    diagonal = mean_diagonals(patterns, params["min_length"])
    ordered = np.sort(diagonal, axis=-1)
    rows = [[metrics(pattern, tokens) for pattern in layer] for layer in patterns]
    found = {name: np.array([[head[name] for head in layer] for layer in rows]) for name in rows[0][0]}
    return found | {
        "mean_diagonal": diagonal,
        "clear": clear_of(ordered),
        "previous": diagonal[..., 1] if diagonal.shape[-1] > 1 else np.full(diagonal.shape[:2], np.nan),
        "ratio": ordered[..., -2] / ordered[..., -1] if diagonal.shape[-1] > 1 else np.full(diagonal.shape[:2], np.nan),
    }


def spread(windows, params):
    """What the single windows have, and the smallest and largest of it."""
    values = {name: np.array([window[name] for window in windows]) for name in windows[0]}
    diagonal, lags = values["mean_diagonal"], windows[0]["mean_diagonal"].shape[-1]
    first, last = (min(max(lag, 0), lags - 1) for lag in sorted((params["first_lag"], params["last_lag"])))
    ranges = diagonal[..., first : last + 1].sum(-1)
    found = {"diagonal_least": diagonal.min(0), "diagonal_most": diagonal.max(0), "range_least": ranges.min(0), "range_most": ranges.max(0)}
    for name, how in (("least", np.nanmin), ("most", np.nanmax)):
        found[name] = np.array([over_windows(values[metric], how) for metric in METRICS])
    if lags > 1:
        back = diagonal.argmax(-1) == 1
        found["in_windows"] = np.ma.array(back.sum(0), mask=~values["clear"].all(0))
        if values["clear"].all():
            found["window_heads"], found["every_window"] = back.sum((1, 2)), back.all(0).sum()
    return found


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    texts = windows_of(weights, params, tokens)
    windows = [window_numbers(model, params, text) for text in texts]
    diagonal = np.mean([window["mean_diagonal"] for window in windows], axis=0)
    clear = clear_of(np.sort(diagonal, axis=-1))
    found = {
        "mean_diagonal": diagonal,
        "argmax_lag": np.ma.array(diagonal.argmax(-1), mask=~clear),
        "heads": diagonal.shape[0] * diagonal.shape[1],
        "windows": len(texts),
        "window": len(texts[0]),
    }
    if clear.all() and diagonal.shape[-1] > 1:
        found["previous_token_heads"] = (diagonal.argmax(-1) == 1).sum()
    for name in METRICS if diagonal.shape[-1] > 1 else METRICS[1:-1]:
        found[name] = over_windows([window[name] for window in windows], np.nanmean)
    if len(windows) > 1:
        found |= spread(windows, params)
    if model.causal:
        found["even"] = mean_diagonals(even_pattern(len(texts[0]))[None, None], params["min_length"])[0, 0]
    return found
