"""head_taxonomy: the means of every head's diagonals, and what else its queries attend to."""

import numpy as np
from edits import Edited
from patterns import even_pattern, mean

TOLERANCE = {"others": 2e-4, "ratio": 2e-3}
NEAR = 1e-3


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


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    hooks, _ = model.run(tokens)
    patterns = np.array([hooks[f"blocks.{i}.attn.hook_pattern"] for i in range(model.layers)])
    diagonal = mean_diagonals(patterns, params["min_length"])
    ordered, n = np.sort(diagonal, axis=-1), len(tokens)
    clear = ordered[..., -1] - ordered[..., -2] > NEAR if diagonal.shape[-1] > 1 else np.ones(diagonal.shape[:2], bool)
    found = {
        "mean_diagonal": diagonal,
        "argmax_lag": np.ma.array(diagonal.argmax(-1), mask=~clear),
        "heads": diagonal.shape[0] * diagonal.shape[1],
    }
    if diagonal.shape[-1] > 1:
        found["ratio"] = ordered[..., -2] / ordered[..., -1]
        found["previous"] = diagonal[..., 1]
    if clear.all():
        found["previous_token_heads"] = (diagonal.argmax(-1) == 1).sum()
    rows = [[metrics(pattern, tokens) for pattern in layer] for layer in patterns]
    for name in rows[0][0]:
        found[name] = np.array([[head[name] for head in layer] for layer in rows])
    if model.causal:
        found["even"] = mean_diagonals(even_pattern(n)[None, None], params["min_length"])[0, 0]
    return found
