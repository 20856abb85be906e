"""predictions: the probabilities of the next token."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 1e-4, "entropy_nats": 1e-3, "entropy_bits": 1e-3, "logit": 1e-4, "token": 0}
NEAR = 1e-3  # logits that are nearer than this may change places


def numbers(weights, params, tokens, edits):
    last = len(tokens) - 1
    position = last if params["position"] < 0 else min(params["position"], last)
    logits = Edited(weights, weights.heads, edits).run(tokens)[1][position]
    log_p = log_softmax(logits / params["temperature"])
    p = np.exp(log_p)
    nats = -(p * log_p).sum()
    order = np.argsort(-logits, kind="stable")[: params["top"] + 1]
    gaps = -np.diff(logits[order], append=-np.inf)[: params["top"]]
    order = order[: params["top"]]
    tied = (gaps < NEAR) | np.r_[False, gaps[:-1] < NEAR]
    found = {
        "entropy_nats": nats,
        "entropy_bits": nats / np.log(2),
        "listed": p[order].sum(),
        "position": position,
        "probability": p[order],
        "logit": logits[order],
        "token": np.ma.array(order, mask=tied),
    }
    if edits:  # the likeliest token's probability without them
        intact = Edited(weights, weights.heads, []).run(tokens)[1][position]
        found["intact"] = np.exp(log_softmax(intact / params["temperature"])).max()
    return found
