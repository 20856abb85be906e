"""attention_dose: the prediction with one attention weight at every height from 0 to 100 %."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 1e-4}
STEPS, OF_EACH = 21, 3  # heights; likeliest tokens as it is, at 0 and at 100 %, that are listed


class Weight:
    """One weight of a head's pattern, in a model with the view's edits."""

    def __init__(self, weights, params, tokens, edits):
        self.weights, self.tokens, self.edits = weights, tokens, edits
        self.layer, self.head = params["layer"], params["head"]
        self.query = params["query"] if params["query"] >= 0 else len(tokens) - 1
        self.key = params["key"] if params["key"] >= 0 else self.query - 1 if self.query > 0 else 1

    def at(self, share, head=None):
        """Logarithms of the probabilities after the text, and the query's row of the pattern; without a share as the model is."""
        head = self.head if head is None else head
        edit = [] if share is None else [f"set_pattern:{self.layer}.{head}:{self.query}:{self.key}:{share}"]
        hooks, logits = Edited(self.weights, self.weights.heads, self.edits + edit).run(self.tokens)
        return log_softmax(logits[-1]), hooks[f"blocks.{self.layer}.attn.hook_pattern"][head, self.query]


def divergence(p, q):
    """Of two predictions, given by their logarithms: Kullback and Leibler's."""
    return max((np.exp(p) * (p - q)).sum(), 0)


def listed(*predictions):
    """The likeliest tokens of each."""
    return list(dict.fromkeys(int(token) for p in predictions for token in np.argsort(-p, kind="stable")[:OF_EACH]))


def numbers(weights, params, tokens, edits):
    weight = Weight(weights, params, tokens, edits)
    as_is, row_as_is = weight.at(None)
    here, row = weight.at(params["height"] / 100 if params["height"] >= 0 else None)
    heights = np.arange(STEPS) / (STEPS - 1)
    every = np.array([weight.at(share)[0] for share in heights])
    token = listed(as_is, every[0], every[-1])
    curve, first = np.exp(every[:, token[0]]), np.exp(as_is[token[0]])
    change = np.array([np.exp(weight.at(1, head)[0][token[0]]) - np.exp(weight.at(0, head)[0][token[0]]) for head in range(weights.heads)])
    others = np.abs(np.delete(change, weight.head))
    return {
        "token": np.array(token),
        "row_as_is": row_as_is,
        "row": row,
        "height": heights,
        "curves": np.exp(every[:, token]),
        "divergence_at": np.array([divergence(as_is, one) for one in every]),
        "now": np.exp(here[token]),
        "by_head": change,
        "probability": np.exp(here[token[0]]),
        "probability_as_is": first,
        "share_as_is": row_as_is[weight.key],
        "share": row[weight.key],
        "divergence": divergence(as_is, here),
        "lowest": curve.min(),
        "highest": curve.max(),
        "largest_change": np.abs(curve - first).max(),
        "others_largest": others.max() if others.size else np.nan,
        "query": weight.query,
        "key": weight.key,
    }
