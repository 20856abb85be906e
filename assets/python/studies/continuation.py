"""continuation: the tokens that the model writes, and their probabilities."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 5e-4, "entropy": 2e-3}
NEAR = 1e-3  # logits that are nearer than this may change places


def numbers(weights, params, tokens, edits):
    count = params["count"]
    first = len(tokens) - count
    logits = Edited(weights, weights.heads, edits).run(tokens[:-1])[1][first - 1 :]
    log_p = log_softmax(logits)
    p, written = np.exp(log_p), np.array(tokens[first:])
    found = {"written": count, "prompt_tokens": first}
    if params["choice"] == "greedy":
        two = np.sort(logits, -1)[:, -2:]
        found["token"] = np.ma.array(logits.argmax(-1), mask=two[:, 1] - two[:, 0] < NEAR)
        found["probability"] = p[np.arange(count), written]
        found["entropy"] = -(p * log_p).sum(-1)
        found["surprise"] = -log_p[np.arange(count), written].mean()
    return found
