"""tokens: the rows of one token and its position, and their sum."""

import numpy as np

TOLERANCE = {"others": 1e-6}


def numbers(weights, params, tokens, edits):
    last = len(tokens) - 1
    position = last if params["position"] < 0 else min(params["position"], last)
    word, place = weights["wte.weight"][tokens[position]], weights["wpe.weight"][position]
    return {
        "id": np.array(tokens),
        "count": len(tokens),
        "position": position,
        "wte": word,
        "wpe": place,
        "sum": word + place,
        "wte_norm": np.linalg.norm(word),
        "wpe_norm": np.linalg.norm(place),
        "cosine": word @ place / (np.linalg.norm(word) * np.linalg.norm(place)),
    }
