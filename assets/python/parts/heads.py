"""The weights of one head, and the rows that its queries and keys read."""

import numpy as np


class Heads:
    """W and b of the heads of a model, in double precision."""

    def __init__(self, weights, heads):
        self.w, self.heads = weights, heads
        self.d = weights["h.0.attn.c_attn.weight"].shape[0]
        self.size = self.d // heads

    def part(self, layer, which, head):
        """W and b of a head's q, k or v."""
        first = "qkv".index(which) * self.d + head * self.size
        at = slice(first, first + self.size)
        return self.w[f"h.{layer}.attn.c_attn.weight"][:, at], self.w[f"h.{layer}.attn.c_attn.bias"][at]

    def out(self, layer, head):
        return self.w[f"h.{layer}.attn.c_proj.weight"][head * self.size : (head + 1) * self.size]


def most_backward(patterns):
    """The layer and head that attend most to the token before, queries 1 and on; and the attention of all."""
    n = patterns.shape[-1]
    previous = patterns[:, :, np.arange(1, n), np.arange(n - 1)].mean(-1)
    return np.unravel_index(previous.argmax(), previous.shape), previous
