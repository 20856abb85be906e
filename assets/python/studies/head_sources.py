"""head_sources: what each earlier head adds to the scores of a head, and how their weights compose."""

import numpy as np
from edits import Edited
from heads import Heads
from random_numbers import normals

TOLERANCE = {"others": 1e-3, "k_composition": 1e-6, "q_composition": 1e-6, "v_composition": 1e-6, "random_composition": 1e-8}


def targets(kind, tokens, pattern):
    """The keys that each query is asked about."""
    out = []
    for i in range(len(tokens)):
        keys = {
            "most": [int(pattern[i, : i + 1].argmax())],
            "previous": [i - 1],
            "first": [0],
            "self": [i],
            "induction": [j + 1 for j in range(i - 2) if tokens[j] == tokens[i]],
        }[kind]
        out.append(keys if i > 0 else [])
    return out


def pair_weights(keys):
    """What a score counts: the mean lead of the keys that are asked about over all keys, mean over queries."""
    n = len(keys)
    weights = np.zeros((n, n))
    counted = [i for i in range(n) if keys[i]]
    for i in counted:
        weights[i, : i + 1] -= 1 / (i + 1)
        weights[i, keys[i]] += 1 / len(keys[i])
    return weights / len(counted)


def composition(model, layer, head, which):
    """Of Frobenius norms, by earlier layer and head."""
    reads = model.part(layer, which, head)[0]
    ratio = np.empty((layer, model.heads))
    for l in range(layer):
        for h in range(model.heads):
            ov = model.part(l, "v", h)[0] @ model.out(l, h)
            ratio[l, h] = np.linalg.norm(ov @ reads) / np.linalg.norm(ov) / np.linalg.norm(reads)
    return ratio


def random_composition(model):
    out = []
    for seed in range(1, 21):
        rng = np.random.default_rng(seed)
        v, o, w = (normals(rng, model.size * model.d).reshape(model.size, model.d) for _ in range(3))
        ov = v.T @ o
        out.append(np.linalg.norm(ov @ w.T) / np.linalg.norm(ov) / np.linalg.norm(w))
    return np.array(out)


def numbers(weights, params, tokens, edits):
    p, model = params, Heads(weights, weights.heads)
    layer = weights.layers - 1 if p["layer"] < 0 else p["layer"]
    head, found = p["head"], {"layer": layer}
    if layer > 0:
        found.update({f"{which}_composition": composition(model, layer, head, which) for which in "kqv"})
    found["random_composition"] = random_composition(model)
    if p["query"] >= 0 or not tokens:
        return found
    hooks, _ = Edited(weights, weights.heads, edits).run(tokens)
    block = f"blocks.{layer}."
    q, k = (hooks[block + f"attn.hook_{name}"][:, head] for name in "qk")
    pattern, scale = hooks[block + "attn.hook_pattern"][head], hooks[block + "ln1.hook_scale"]
    keys = targets(p["target"], tokens, pattern)
    if not any(keys):
        return found
    pairs = pair_weights(keys)
    found["lead"] = (pairs * (q @ k.T)).sum() / np.sqrt(model.size)
    found["attention"] = np.mean([pattern[i, j].sum() for i, j in enumerate(keys) if j])
    found["even_attention"] = np.mean([len(j) / (i + 1) for i, j in enumerate(keys) if j])
    gain, reads = weights[f"h.{layer}.ln_1.weight"], model.part(layer, "k" if p["through"] == "keys" else "q", head)[0]

    def score(rows):
        """The lead of rows of the residual stream, the other side held, without any bias."""
        mine = (rows - rows.mean(-1, keepdims=True)) / scale * gain @ reads
        return (pairs * (q @ mine.T if p["through"] == "keys" else mine @ k.T)).sum() / np.sqrt(model.size)

    if not edits:  # an edit of a head's output is in what it adds, not in its own result
        results = [hooks[f"blocks.{l}.attn.hook_result"] for l in range(layer)]
        found["contribution"] = np.array([[score(r[:, h]) for h in range(model.heads)] for r in results]).reshape(layer, model.heads)
    return found
