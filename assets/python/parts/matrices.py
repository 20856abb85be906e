"""The matrices of a checkpoint, with the side of the residual stream as their columns, and their singular directions."""

import numpy as np
from measures import positive

TABLES = {"wpe": "wpe.weight", "wte": "wte.weight"}
TENSORS = {"q": "attn.c_attn", "k": "attn.c_attn", "v": "attn.c_attn", "o": "attn.c_proj", "fc": "mlp.c_fc", "mlp": "mlp.c_proj"}
GAINS = {"wte": "ln_f", "q": "ln_1", "k": "ln_1", "v": "ln_1", "fc": "ln_2"}  # the LayerNorm in front of each


def matrix_of(weights, which, layer=0, head=-1, side="residual", gain=False, centre=False):
    """Rows of wpe or wte, or a weight of a layer, of one head or (−1) of all. `gain`: with that of the LayerNorm before it.
    `centre`: less the mean row; for weights, without the all-ones direction of the residual stream."""
    if which in TABLES:
        rows = weights[TABLES[which]]
        if gain and which in GAINS:
            rows = rows * weights[GAINS[which] + ".weight"]
        return rows - rows.mean(0) if centre else rows
    rows = weights[f"h.{layer}.{TENSORS[which]}.weight"]
    if which in "qkv":
        rows = np.split(rows, 3, 1)["qkv".index(which)]
    if which in ("q", "k", "v", "o") and head >= 0:
        rows = np.split(rows, weights.heads, 0 if which == "o" else 1)[head]
    if which in ("q", "k", "v", "fc"):  # the residual stream is what they read
        rows = rows.T
    if gain and which in GAINS:
        rows = rows * weights[f"h.{layer}.{GAINS[which]}.weight"]
    if centre:
        rows = rows - rows.mean(1, keepdims=True)
    return rows.T if side == "other" else rows


def directions_of(rows):
    """Singular values and right directions, largest first, each direction's largest entry positive."""
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    return values, positive(directions)


APART = 1e-10  # of squared singular values, of the largest: below, a direction is an arbitrary one of several


def sure(values, width):
    """Which directions are distinct from their neighbours; and whether the first k of them are a subspace of their own, by k."""
    squares = (values / values[0]) ** 2
    gaps = -np.diff(squares, append=-np.inf if len(values) < width else -1.0, prepend=np.inf)
    whole = np.append(True, gaps[1:] > APART)
    whole[-1] = len(values) == width or squares[-1] > APART
    return np.minimum(gaps[:-1], gaps[1:]) > APART, whole


def only_if(known, value):
    """A number that is not determined is hidden."""
    return value if known else np.ma.masked_array(value, mask=True)
