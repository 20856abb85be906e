"""surprise: the loss of every token, and how far the edits move the predictions."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 1e-4}


def numbers(weights, params, tokens, edits):
    tokens = np.array(tokens)
    log_p = log_softmax(Edited(weights, weights.heads, edits).run(tokens)[1])
    loss = -log_p[np.arange(len(tokens) - 1), tokens[1:]]
    again = np.array([token in tokens[: i + 1] for i, token in enumerate(tokens[1:])])
    found = {
        "loss": loss,
        "token": tokens[1:],
        "mean_nats": loss.mean(),
        "mean_bits": loss.mean() / np.log(2),
        "perplexity": np.exp(loss.mean()),
        "uniform_nats": np.log(log_p.shape[1]),
        "most_bits": loss.max() / np.log(2),
        "again_nats": loss[again].mean() if again.any() else np.nan,
        "first_nats": loss[~again].mean() if not again.all() else np.nan,
    }
    if len(loss) < 2 or np.sort(loss)[-1] - np.sort(loss)[-2] > 1e-3:
        found["most"] = loss.argmax() + 1
    if edits:
        plain = log_softmax(Edited(weights, weights.heads, []).run(tokens)[1])
        found["kl"] = (np.exp(plain) * (plain - log_p)).sum(-1)[:-1]
        found["kl_nats"] = found["kl"].mean()
    return found
