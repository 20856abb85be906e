"""attention_sink: the attention to the first token, what removes it, and the dimensions of |b_Q W_Kᵀ|."""

import numpy as np
from edits import Edited
from heads import Heads
from random_numbers import normals

TOLERANCE = {"others": 2e-4, "bias_term": 1e-8, "bias_term_gain": 1e-8, "ratio": 1e-6, "ratio_gain": 1e-6, **dict.fromkeys(("random_ratio", "random_ratios", "random_ratio_gain", "random_ratios_gain"), 1e-6)}
WITHOUT = ("nothing", "bias", "key_bias", "position", "mlp", "positions", "tokens")


def layers_of(count):
    return range(count // 4, max(count // 4, count - 2) + 1)


def terms(model, layers):
    """|b_Q W_Kᵀ| by dimension, the mean over layers and heads; raw, and with the gain of ln_1."""
    raw, gain = [], []
    for layer in layers:
        for head in range(model.heads):
            term = model.part(layer, "k", head)[0] @ model.part(layer, "q", head)[1]
            raw.append(np.abs(term))
            gain.append(np.abs(term * model.w[f"h.{layer}.ln_1.weight"]))
    return np.mean(raw, 0), np.mean(gain, 0)


def ratio(term, chosen):
    return term[chosen].mean() / np.delete(term, chosen).mean()


def random_term(model, layers, seed):
    """The law of |b_Q W_Kᵀ| for a normal W_K: each entry is normal itself; raw, and with the gain of ln_1."""
    rng, raw, gain, d = np.random.default_rng(seed), [], [], model.d
    for layer in layers:
        w = model.w[f"h.{layer}.attn.c_attn.weight"][:, d : 2 * d]
        for head in range(model.heads):
            own = model.part(layer, "q", head)[1]
            raw.append(np.abs(w.mean() * own.sum() + w.std() * np.linalg.norm(own) * normals(rng, d)))
            gain.append(raw[-1] * np.abs(model.w[f"h.{layer}.ln_1.weight"]))
    return np.mean(raw, 0), np.mean(gain, 0)


def numbers(weights, params, tokens, edits):
    model, asked = Heads(weights, weights.heads), list(dict.fromkeys(params["dimensions"]))
    count = weights.layers
    layers = [params["layer"]] if params["layer"] >= 0 else list(layers_of(count))
    raw, gain = terms(model, layers)
    largest = lambda term: np.array(asked) if asked else np.argsort(-term, kind="stable")[:3]
    chosen = largest(raw)
    found = {"bias_term": raw, "bias_term_gain": gain, "dimension": chosen, "ratio": ratio(raw, chosen), "ratio_gain": ratio(gain, chosen)}
    found["chosen"], found["others"] = raw[chosen].mean(), np.delete(raw, chosen).mean()
    found["chosen_gain"], found["others_gain"] = gain[chosen].mean(), np.delete(gain, chosen).mean()
    random = [random_term(model, layers, seed) for seed in range(1, 21)]
    for name, which in (("random_ratio", 0), ("random_ratio_gain", 1)):
        ratios = np.array([ratio(both[which], largest(both[0])) for both in random])
        found[name], found["random_ratios" + name[12:]] = ratios.mean(), ratios
    if not tokens:
        return found
    start = max(len(tokens) // 2, 1)
    every = [[], [f"zero_bias:q:{l}" for l in range(count)], [f"zero_bias:k:{l}" for l in range(count)], ["replace_position:0:1"], ["zero_mlp:0"], ["zero_positions"], ["zero_tokens"]]
    by_layer = []
    for more in every:
        hooks, _ = Edited(weights, weights.heads, [*edits, *more]).run(tokens)
        by_layer.append([hooks[f"blocks.{layer}.attn.hook_pattern"][:, start:, 0].mean() for layer in range(count)])
    by_layer = np.array(by_layer)
    found["removed"] = by_layer[:, layers].mean(1)
    found["by_layer"], found["to_first"] = by_layer[0], found["removed"][0]
    found["share"] = found["removed"] / found["removed"][0]
    without = WITHOUT.index(params["without"])
    found["without"], found["without_by_layer"] = found["removed"][without], by_layer[without]
    causal = Edited(weights, weights.heads, edits).causal
    found["even"] = np.mean([1 / (i + 1 if causal else len(tokens)) for i in range(start, len(tokens))])
    found["queries"], found["first_layer"], found["last_layer"] = len(tokens) - start, layers[0], layers[-1]
    return found
