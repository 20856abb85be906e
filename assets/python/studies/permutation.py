"""permutation: what changes for each token when all are shuffled, with and without positions and mask."""

import numpy as np
from edits import Edited
from random_numbers import swapped

TOLERANCE = {"others": 1e-4, "outputs": 5e-4, "logits": 5e-4, "output_change": 5e-4, "logit_change": 5e-4}


def relative(after, before):
    return np.linalg.norm(after - before, axis=-1) / np.linalg.norm(before, axis=-1)


def order_of(n, seed):
    """A shuffled order, which is never the order itself."""
    order = swapped(n, seed)
    if order == sorted(order):
        order[0], order[-1] = order[-1], order[0]
    return np.array(order)


def numbers(weights, params, tokens, edits):
    tokens, n = np.array(tokens), len(tokens)
    order = order_of(n, params["seed"])
    out, final = "blocks.0.hook_attn_out", "ln_final.hook_normalized"
    found = {name: np.zeros(4) for name in ("change", "outputs", "logits", "unmatched")}
    by_token = np.zeros((4, n))
    for case in range(4):
        model = Edited(weights, weights.heads, [*edits, *["zero_positions"][: case >> 1], *["no_mask"][: case & 1]])
        (before, logits), (after, shuffled) = model.run(tokens), model.run(tokens[order])
        by_token[case, order] = relative(after[out], before[out][order])
        one, two = logits[n - 1], shuffled[list(order).index(n - 1)]
        found["change"][case] = by_token[case].max()
        found["outputs"][case] = relative(after[final], before[final][order]).max()
        found["logits"][case] = relative(two - two.mean(), one - one.mean())
        found["unmatched"][case] = relative(after[out], before[out]).mean()
    chosen = (0 if params["positions"] else 2) + (0 if params["mask"] else 1)
    scalars = {"max_change": "change", "output_change": "outputs", "logit_change": "logits", "not_undone": "unmatched"}
    return {**found, "by_token": by_token, "order": order, **{name: found[array][chosen] for name, array in scalars.items()}}
