"""score_parts: the scores of a head, cut into what positions and tokens add on either side."""

import numpy as np
from edits import Edited
from heads import Heads, most_backward
from random_numbers import normals

TOLERANCE = {"others": 2e-4, "parts": 1e-4, "score": 1e-4}
PROMPTS, SAMPLED, LAGS = 32, 96, 33


def random_texts(ids, bos):
    """Texts of the same tokens in random places; a first <|endoftext|> stays."""
    rng, first = np.random.default_rng(1), int(bos)
    return [list(ids[:first]) + [ids[first + int(rng.random() * (len(ids) - first))] for _ in ids[first:]] for _ in range(PROMPTS)]


def sides(model, hooks, ids, layer, bos):
    """Position, token, shared: [3, position, d_model]; and LayerNorm's scales."""
    name = f"blocks.{layer}.hook_resid_pre"
    x, scale = hooks[name], hooks[f"blocks.{layer}.ln1.hook_scale"]
    means = np.mean([model.run(text)[0]["hook_embed" if layer == 0 else name] for text in random_texts(ids, bos)], 0)
    by_position = hooks["hook_pos_embed"] if layer == 0 else means
    position = by_position - by_position.mean(0)
    shared = np.broadcast_to(by_position.mean(0) + (means.mean(0) if layer == 0 else 0), x.shape)
    return np.stack([position, x - position - shared, shared]), scale.reshape(-1, 1)


def normalized(parts, scale, gain, shift):
    out = (parts - parts.mean(-1, keepdims=True)) / scale * gain
    out[2] += shift
    return out


def scores(z, w_q, w_k, b_q, b_k):
    """[part, query, key], part = 2 · query's side + key's side, all of shared keys in the last one."""
    q, k = z @ w_q, z @ w_k
    q[2] += b_q
    k[2] += b_k
    n = z.shape[1]
    out = np.zeros((7, n, n))
    for a in range(3):
        for b in range(3):
            out[6 if b == 2 else 2 * a + b] += q[a] @ k[b].T / np.sqrt(w_q.shape[1])
    return out


def centred(parts):
    """Less the mean over the keys that each query sees, the first one left out; NaN where there are not two."""
    out = np.full(parts.shape, np.nan)
    for i in range(2, parts.shape[1]):
        out[:, i, 1 : i + 1] = parts[:, i, 1 : i + 1] - parts[:, i, 1 : i + 1].mean(-1, keepdims=True)
    return out


def shares(parts):
    score = parts.sum(0)
    return np.nansum(parts * score, (1, 2)) / np.nansum(score * score)


def random_shares(z, w_q, w_k, b_q, b_k):
    """Of 20 heads whose W_Q and W_K have the learned ones' mean and deviation, on some tokens of the text."""
    n = z.shape[1]
    count = min(n, SAMPLED)
    some = z[:, [i * (n - 1) // max(count - 1, 1) for i in range(count)]]
    found = []
    for seed in range(1, 21):
        rng = np.random.default_rng(seed)
        drawn = [like.mean() + like.std() * normals(rng, like.size).reshape(like.shape) for like in (w_q, w_k)]
        found.append(shares(centred(scores(some, *drawn, b_q, b_k))))
    return np.array(found)


def numbers(weights, params, tokens, edits):
    model, own = Edited(weights, weights.heads, edits), Heads(weights, weights.heads)
    hooks = model.run(tokens)[0]
    patterns = np.array([hooks[f"blocks.{i}.attn.hook_pattern"] for i in range(model.layers)])
    (most_layer, most_head), previous = most_backward(patterns)
    if not model.causal:
        return {"previous_by_head": previous}
    layer = params["layer"] if params["layer"] >= 0 else int(most_layer)
    head = params["head"] if params["head"] >= 0 else int(previous[layer].argmax()) if params["layer"] >= 0 else int(most_head)
    bos = (weights.folder / "vocab.json").exists() and tokens[0] == weights.vocabulary.get("<|endoftext|>")
    parts, scale = sides(model, hooks, tokens, layer, bos)
    z = normalized(parts, scale, weights[f"h.{layer}.ln_1.weight"], weights[f"h.{layer}.ln_1.bias"])
    (w_q, b_q), (w_k, b_k) = (own.part(layer, which, head) for which in "qk")
    ours = centred(scores(z, w_q, w_k, b_q, b_k))
    n = len(tokens)
    lags = [np.mean([ours[:, i, i - lag] for i in range(max(lag + 1, 2), n)], 0) for lag in range(min(n - 1, LAGS))]
    by_lag = np.array(lags).T
    share = shares(ours)
    found = {
        **{"position_share": share[0] + share[4], "token_share": share[3] + share[5], "mixed_share": share[1] + share[2]},
        "random_share": random_shares(z, w_q, w_k, b_q, b_k),
        "peak_lag": by_lag[0].argmax() if by_lag[0].any() else np.nan,
        "even_previous": np.mean([1 / (i + 1) for i in range(1, n)]),
        "prompts": PROMPTS,
        "layer": layer,
        "head": head,
        "share": share,
        "by_lag": by_lag,
        "score_by_lag": by_lag.sum(0),
        "previous": previous[layer, head],
        "previous_by_head": previous,
    }
    if n <= 48:
        found["parts"], found["score"] = ours, ours.sum(0)
    return found
