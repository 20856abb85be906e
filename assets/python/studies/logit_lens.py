"""logit_lens: the next-token prediction of every layer's residual stream, read out by the output head."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 2e-4, "probability": 1e-3}
NEAR = 4e-3  # probabilities that are nearer than this may change places


def readouts(model, hooks, norm):
    """Log-probabilities [layer, position, token] of each layer's residual stream."""
    gain, shift = model.w["ln_f.weight"], model.w["ln_f.bias"]
    rows = np.stack([hooks[f"blocks.{layer}.hook_resid_pre"] for layer in range(model.layers)] + [hooks[f"blocks.{model.layers - 1}.hook_resid_post"]])
    centred = lambda x: x - x.mean(-1, keepdims=True)
    scale = lambda x: np.sqrt((centred(x) ** 2).mean(-1, keepdims=True) + model.epsilon)
    once = lambda x: centred(x) / scale(x) * gain + shift
    frozen = hooks["ln_final.hook_scale"]
    rows = {"none": lambda x: x, "once": once, "twice": lambda x: once(once(x)), "frozen": lambda x: centred(x) / frozen * gain + shift}[norm](rows)
    return log_softmax(rows @ model.w.get("lm_head.weight", model.w["wte.weight"]).T)


def constant_from(top):
    """The first layer from which on the prediction is that of the last one."""
    same = top == top[-1]
    return len(same) - np.argmin(np.append(same[::-1], False))


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    hooks, _ = model.run(tokens)
    log_p = readouts(model, hooks, params["norm"])
    p = np.exp(log_p)
    entropy = -(p * np.where(p > 0, log_p, 0)).sum(-1)
    two, top = np.sort(p, axis=-1)[..., -2:], p.argmax(-1)
    last = len(tokens) - 1
    at = last if params["position"] < 0 else min(params["position"], last)
    clear = two[..., 1] - two[..., 0] > NEAR
    found = {
        "entropy": entropy,
        "top": np.ma.array(top, mask=~clear),
        "probability": two[..., 1],
        "entropy_nats": entropy[-1, at],
        "entropy_bits": entropy[-1, at] / np.log(2),
        "mean_entropy_nats": entropy[-1].mean(),
        "mean_entropy_bits": entropy[-1].mean() / np.log(2),
        "position": at,
    }
    found["from_layer"] = np.ma.array(constant_from(top[:, at]), mask=not clear[:, at].all())
    return found
