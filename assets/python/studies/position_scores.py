"""position_scores: the scores of positions alone, in layer 0."""

import numpy as np
from heads import Heads
from measures import principal_axes
from random_numbers import in_order, normals, walk

TOLERANCE = {"others": 1e-9, "score": 1e-6, "pattern": 1e-6, "patterns": 1e-6, "points": 1e-7, "pull": 1e-7, "along": 1e-7, "outward": 1e-7}
MOST_LAG, TILE = 64, 48  # neighbours on each side; cells of a small pattern's side, at most


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

    def gradients(self, head, biases):
        """[position, d_model]: how the score of each query with a key at its own place changes with that key's row of wpe."""
        (wq, bq), (wk, _) = (self.part(0, which, head) for which in "qk")
        scale = np.sqrt(self.rows.var(-1, keepdims=True) + self.epsilon)
        normalized = (self.rows - self.rows.mean(-1, keepdims=True)) / scale
        by = (self.norm(self.rows) @ wq + biases * bq) @ wk.T * self.w["h.0.ln_1.weight"] / np.sqrt(self.size)
        along = by - by.mean(-1, keepdims=True) - normalized * (normalized * by).mean(-1, keepdims=True)
        return along / scale

    def random_scores(self, biases, seed):
        """Of a head whose weights are normal numbers with the mean and the deviation of the layer's."""
        rng, rows = np.random.default_rng(seed), self.norm(self.rows)

        def drawn(like, *shape):
            return like.mean() + like.std() * normals(rng, np.prod(shape)).reshape(shape)

        weight, bias = self.w["h.0.attn.c_attn.weight"], self.w["h.0.attn.c_attn.bias"]
        wq, wk = (drawn(weight, self.size, self.d).T for _ in "qk")
        return (rows @ wq + biases * drawn(bias, self.size)) @ (rows @ wk).T

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


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def pull_of(layer, head, biases, points, axes):
    """The gradients along three axes, and what share of them goes along the curve of points, away from its axis, and in the three."""
    gradients = layer.gradients(head, biases)[1:]
    pull, n, i = gradients @ axes.T, len(points), layer.counted() - 1
    tangent = unit(points[np.minimum(np.arange(n) + 1, n - 1)] - points[np.maximum(np.arange(n) - 1, 0)])
    outward = points * [1, 1, 0]
    outward = unit(outward - (outward * tangent).sum(1, keepdims=True) * tangent)
    along, out = (unit(pull) * tangent).sum(1), (unit(pull) * outward).sum(1)
    held = (pull**2).sum(1) / (gradients**2).sum(1)
    return {"pull": pull, "along": along, "outward": out, "along_share": (along[i] ** 2).mean(), "outward_share": (out[i] ** 2).mean(), "held": held[i].mean()}


def by_lag(s, first, last):
    """How far a query's scores with its neighbours are above that with its own place: mean and deviation, by lag."""
    n = len(s)
    reach = min(MOST_LAG, (last + 1) // 2, (n - 1) // 4, n - 1 - first)
    i = np.arange(max(first, reach), min(last, n - 1 - reach) + 1)
    less = np.array([s[i, i + lag] - s[i, i] for lag in range(-reach, reach + 1)])
    return {"by_lag": less.mean(1), "lag_spread": less.std(1)} if len(i) else {}


def means_of(pattern, first, last):
    """Attention to the previous position, to the query's own and to the first one; query 0 sees but itself."""
    i = np.arange(max(first, 1), last + 1)
    return {"previous": pattern[i, i - 1].mean(), "self": pattern[i, i].mean(), "to_first": pattern[i, 0].mean(), "even": (1 / (i + 1)).mean()}


def tiles(patterns):
    """The largest entry of each cell of every pattern."""
    n = patterns.shape[-1]
    block = -(-n // TILE)
    cells = -(-n // block)
    wide = np.zeros((len(patterns), cells * block, cells * block))
    wide[:, :n, :n] = patterns
    return wide.reshape(-1, cells, block, cells, block).max((2, 4))


def numbers(weights, params, tokens, edits):
    p, layer = params, Layer(weights)
    biases, first, last = int(p["biases"]), p["first"], min(p["last"], layer.n - 1)
    rising = np.ma.stack([layer.rising(layer.scores(head, biases)) for head in range(layer.heads)])
    found = {"rising_by_head": rising, "heads": layer.heads, "positions": layer.n, "rising_heads": np.ma.masked_array((rising == 1).sum(), mask=np.ma.getmaskarray(rising).any())}
    if p["head"] < 0:
        patterns = np.stack([softmax(layer.scores(head, biases)) for head in range(layer.heads)])
        means = [means_of(pattern, first, last) for pattern in patterns]
        found.update({name: np.mean([of[name] for of in means]) for name in means[0]})
        found.update(rising=rising.mean(), patterns=tiles(patterns[:, : last + 1, : last + 1]))
        return found
    curve = layer.rows[1:]
    mean, axes, variances = principal_axes(curve)
    found["points"], found["explained"] = (curve - mean) @ axes[:3].T, variances[:3] / variances.sum()
    s = layer.scores(p["head"], biases)
    pattern, other = softmax(s), softmax(layer.scores(p["head"], 1 - biases))
    query = min(p["query"], layer.n - 1)
    order = [in_order(layer.n, np.random.default_rng(seed)) for seed in range(1, 21)]
    found.update(means_of(pattern, first, last), **by_lag(s, first, last), **pull_of(layer, p["head"], biases, found["points"], axes[:3]))
    found.update(
        score=s[first : last + 1, : last + 1],
        pattern=pattern[first : last + 1, : last + 1],
        query_score=s[query],
        query=query,
        rising=rising[p["head"]],
        to_first_other=means_of(other, first, last)["to_first"],
        rows_rising=np.ma.stack([layer.rising(s[np.ix_(o, o)]) for o in order]),
        walk_rising=np.ma.stack([layer.rising(layer.scores(p["head"], biases, walk(layer.rows, np.random.default_rng(seed)))) for seed in range(1, 21)]),
        random_rising=np.ma.stack([layer.rising(layer.random_scores(biases, seed)) for seed in range(1, 21)]),
    )
    return found
