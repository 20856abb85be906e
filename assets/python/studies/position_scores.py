"""position_scores: the scores of positions alone, in layer 0."""

import numpy as np
from heads import Heads
from measures import principal_axes
from random_numbers import in_order, walk

TOLERANCE = {"others": 1e-6, "score": 1e-4, "pattern": 1e-5, "query_score": 1e-7, "points": 1e-5}


class Layer(Heads):
    """Layer 0's heads on the rows of wpe."""

    def __init__(self, weights):
        super().__init__(weights, weights.heads)
        self.rows = weights["wpe.weight"]
        self.n = len(self.rows)
        self.epsilon = weights.config.get("layer_norm_epsilon", 1e-5)

    def norm(self, rows):
        return (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + self.epsilon) * self.w["h.0.ln_1.weight"] + self.w["h.0.ln_1.bias"]

    def scores(self, head, biases, rows=None):
        rows = self.norm(self.rows if rows is None else rows)
        (wq, bq), (wk, bk) = (self.part(0, which, head) for which in "qk")
        return (rows @ wq + biases * bq) @ (rows @ wk + biases * bk).T / np.sqrt(self.size)

    def counted(self):
        last = min(999, self.n - 2)
        return np.arange(50 if last >= 100 else 1, last + 1)

    def rising(self, scores):
        """The share of positions whose score with the next key is above that with the one before; hidden where rounding decides."""
        i = self.counted()
        apart = scores[i, i + 1] - scores[i, i - 1]
        return np.ma.masked_array((apart > 0).mean(), mask=bool((np.abs(apart) < 1e-9 * np.abs(scores).max()).any()))


def softmax(scores):
    masked = np.where(np.tril(np.ones_like(scores)) > 0, scores, -np.inf)
    p = np.exp(masked - masked.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def numbers(weights, params, tokens, edits):
    p, layer = params, Layer(weights)
    biases, first, last = int(p["biases"]), p["first"], min(p["last"], layer.n - 1)
    rising = np.ma.stack([layer.rising(layer.scores(head, biases)) for head in range(layer.heads)])
    found = {"rising_by_head": rising, "heads": layer.heads, "positions": layer.n, "rising_heads": np.ma.masked_array((rising == 1).sum(), mask=np.ma.getmaskarray(rising).any())}
    if p["head"] < 0:
        return found
    curve = layer.rows[1:]
    mean, axes, variances = principal_axes(curve)
    found["points"], found["explained"] = (curve - mean) @ axes[:3].T, variances[:3] / variances.sum()
    s = layer.scores(p["head"], biases)
    pattern, other = softmax(s), softmax(layer.scores(p["head"], 1 - biases))
    query, i = min(p["query"], layer.n - 1), np.arange(max(first, 1), last + 1)
    order = [in_order(layer.n, np.random.default_rng(seed)) for seed in range(1, 21)]
    found.update(
        score=s[first : last + 1, : last + 1],
        pattern=pattern[first : last + 1, : last + 1],
        query_score=s[query],
        query=query,
        rising=rising[p["head"]],
        previous=pattern[i, i - 1].mean(),
        self=pattern[i, i].mean(),
        to_first=pattern[i, 0].mean(),
        to_first_other=other[i, 0].mean(),
        even=(1 / (i + 1)).mean(),
        rows_rising=np.ma.stack([layer.rising(s[np.ix_(o, o)]) for o in order]),
        walk_rising=np.ma.stack([layer.rising(layer.scores(p["head"], biases, walk(layer.rows, np.random.default_rng(seed)))) for seed in range(1, 21)]),
    )
    return found
