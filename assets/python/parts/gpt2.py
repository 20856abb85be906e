"""GPT-2's forward pass in double precision."""

from collections import ChainMap

import numpy as np


class Reference:
    """A model of these tensors. A run's values are by TransformerLens' names, in double precision."""

    def __init__(self, tensors, heads):
        # A change of a tensor stays in this model. Tensors of a file are read when the pass comes to them.
        self.w = ChainMap({}, {name: np.asarray(array, np.float64) for name, array in tensors.items()} if isinstance(tensors, dict) else tensors)
        self.epsilon = getattr(tensors, "config", {}).get("layer_norm_epsilon", 1e-5)
        self.heads = heads
        self.layers = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("h."))
        self.causal = True
        self.wanted = None  # the names of the values that a run keeps; None: all

    def see(self, hooks, name, value):
        """Every value of the pass comes through here; what this returns is what the pass goes on with."""
        if self.wanted is None or name in self.wanted:
            hooks[name] = value
        return value

    def linear(self, x, name):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def norm(self, x, name, hook, hooks):
        centred = x - x.mean(-1, keepdims=True)
        scale = self.see(hooks, hook + "hook_scale", np.sqrt((centred**2).mean(-1, keepdims=True) + self.epsilon))
        return self.see(hooks, hook + "hook_normalized", centred / scale) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attention(self, x, i, hooks, zero=()):
        block, at = f"blocks.{i}.attn.", f"h.{i}.attn."
        n, width = x.shape
        size = width // self.heads
        q, k, v = (self.see(hooks, f"{block}hook_{name}", part.reshape(n, self.heads, size)) for name, part in zip("qkv", np.split(self.linear(x, at + "c_attn"), 3, -1)))
        by_head = lambda part: part.transpose(1, 0, 2)  # [token, head, d_head] to [head, token, d_head] and back
        scores = self.see(hooks, block + "hook_scores_raw", by_head(q) @ by_head(k).swapaxes(1, 2) / np.sqrt(size))
        seen = np.tril(np.ones((n, n), bool)) if self.causal else np.ones((n, n), bool)
        masked = self.see(hooks, block + "hook_attn_scores", np.where(seen, scores, -np.inf))
        pattern = self.see(hooks, block + "hook_pattern", self.softmax(np.where(seen, masked, -np.inf)))
        z = by_head(pattern @ by_head(v))
        for layer, head in zero:
            if layer == i:
                z[:, head] = 0
        z = self.see(hooks, block + "hook_z", z)
        if self.wanted is None or block + "hook_result" in self.wanted:
            out = self.w[at + "c_proj.weight"].reshape(self.heads, size, width)
            hooks[block + "hook_result"] = by_head(by_head(z) @ out)
        return self.linear(z.reshape(n, width), at + "c_proj")

    @staticmethod
    def softmax(scores):
        """Of each row; a row that sees nothing stays 0."""
        top = scores.max(-1, keepdims=True)
        pattern = np.exp(scores - np.where(np.isfinite(top), top, 0))
        total = pattern.sum(-1, keepdims=True)
        return pattern / np.where(total > 0, total, 1)

    def positions(self):
        return self.w["wpe.weight"]

    def run(self, tokens, zero=()):
        """All hooks by name, and the logits of every position. `zero`: (layer, head) pairs whose z is silenced."""
        hooks = {}
        x = self.see(hooks, "hook_embed", self.w["wte.weight"][tokens]) + self.see(hooks, "hook_pos_embed", self.positions()[: len(tokens)])
        for i in range(self.layers):
            block = f"blocks.{i}."
            x = self.see(hooks, block + "hook_resid_pre", x)
            x = self.see(hooks, block + "hook_resid_mid", x + self.see(hooks, block + "hook_attn_out", self.attention(self.norm(x, f"h.{i}.ln_1", block + "ln1.", hooks), i, hooks, zero)))
            pre = self.see(hooks, block + "mlp.hook_pre", self.linear(self.norm(x, f"h.{i}.ln_2", block + "ln2.", hooks), f"h.{i}.mlp.c_fc"))
            post = self.see(hooks, block + "mlp.hook_post", 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre * pre * pre))))
            x = self.see(hooks, block + "hook_resid_post", x + self.see(hooks, block + "hook_mlp_out", self.linear(post, f"h.{i}.mlp.c_proj")))
        y = self.norm(x, "ln_f", "ln_final.", hooks)
        return hooks, y @ self.w.get("lm_head.weight", self.w["wte.weight"]).T
