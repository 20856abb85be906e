"""GPT-2's forward pass in numpy, in double precision, with TransformerLens' hook names: shares no code with the engine."""

import json
import struct
from pathlib import Path

import numpy as np


def write_checkpoint(folder, tensors, config=None):
    """A model folder with these float32 tensors."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with (folder / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(array.tobytes())
    if config:
        (folder / "config.json").write_text(json.dumps(config))
    return folder


def random_checkpoint(layers, width, heads, context, vocabulary, seed=1, spread=0.02, tied=True):
    """Tensors and config.json of a GPT-2 with random weights; `spread` is their standard deviation."""
    rng = np.random.default_rng(seed)

    def draw(*shape, middle=0.0):
        return (middle + rng.normal(0, spread, shape)).astype("<f4")

    tensors = {"wte.weight": draw(vocabulary, width), "wpe.weight": draw(context, width)}
    for i in range(layers):
        at = f"h.{i}."
        for norm in ("ln_1", "ln_2"):
            tensors[at + norm + ".weight"] = draw(width, middle=1.0)
            tensors[at + norm + ".bias"] = draw(width)
        for name, rows, cols in (("attn.c_attn", width, 3 * width), ("attn.c_proj", width, width), ("mlp.c_fc", width, 4 * width), ("mlp.c_proj", 4 * width, width)):
            tensors[at + name + ".weight"] = draw(rows, cols)
            tensors[at + name + ".bias"] = draw(cols)
    tensors["ln_f.weight"] = draw(width, middle=1.0)
    tensors["ln_f.bias"] = draw(width)
    if not tied:
        tensors["lm_head.weight"] = draw(vocabulary, width)
    config = {"model_type": "gpt2", "n_layer": layers, "n_head": heads, "n_embd": width, "n_positions": context, "vocab_size": vocabulary, "layer_norm_epsilon": 1e-5, "tie_word_embeddings": tied}
    return tensors, config


class Reference:
    def __init__(self, tensors, heads):
        self.w = {name: array.astype(np.float64) for name, array in tensors.items()}
        self.heads = heads
        self.layers = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("h."))
        self.causal = True

    def see(self, hooks, name, value):
        """Every value of the pass comes through here; what this returns is what the pass goes on with."""
        hooks[name] = value
        return value

    def linear(self, x, name):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def norm(self, x, name, hook, hooks):
        centred = x - x.mean(-1, keepdims=True)
        scale = self.see(hooks, hook + "hook_scale", np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5))
        return self.see(hooks, hook + "hook_normalized", centred / scale) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attention(self, x, i, hooks, zero=()):
        block, at = f"blocks.{i}.attn.", f"h.{i}.attn."
        n, width = x.shape
        size = width // self.heads
        q, k, v = (self.see(hooks, f"{block}hook_{name}", part.reshape(n, self.heads, size)) for name, part in zip("qkv", np.split(self.linear(x, at + "c_attn"), 3, -1)))
        scores = self.see(hooks, block + "hook_scores_raw", np.einsum("qhd,khd->hqk", q, k) / np.sqrt(size))
        seen = np.tril(np.ones((n, n), bool)) if self.causal else np.ones((n, n), bool)
        masked = self.see(hooks, block + "hook_attn_scores", np.where(seen, scores, -np.inf))
        pattern = self.see(hooks, block + "hook_pattern", self.softmax(np.where(seen, masked, -np.inf)))
        z = np.einsum("hqk,khd->qhd", pattern, v)
        for layer, head in zero:
            if layer == i:
                z[:, head] = 0
        z = self.see(hooks, block + "hook_z", z)
        out = self.w[at + "c_proj.weight"].reshape(self.heads, size, width)
        hooks[block + "hook_result"] = np.einsum("qhd,hdm->qhm", z, out)
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
            post = self.see(hooks, block + "mlp.hook_post", 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3))))
            x = self.see(hooks, block + "hook_resid_post", x + self.see(hooks, block + "hook_mlp_out", self.linear(post, f"h.{i}.mlp.c_proj")))
        y = self.norm(x, "ln_f", "ln_final.", hooks)
        return hooks, y @ self.w.get("lm_head.weight", self.w["wte.weight"]).T
