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

    def linear(self, x, name):
        return x @ self.w[name + ".weight"] + self.w[name + ".bias"]

    def norm(self, x, name, hook, hooks):
        centred = x - x.mean(-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        hooks[hook + "hook_scale"], hooks[hook + "hook_normalized"] = scale, centred / scale
        return centred / scale * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attention(self, x, i, hooks, zero=()):
        block, at = f"blocks.{i}.attn.", f"h.{i}.attn."
        n, width = x.shape
        size = width // self.heads
        q, k, v = (part.reshape(n, self.heads, size) for part in np.split(self.linear(x, at + "c_attn"), 3, -1))
        hooks[block + "hook_q"], hooks[block + "hook_k"], hooks[block + "hook_v"] = q, k, v
        scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(size)
        hooks[block + "hook_scores_raw"] = scores
        masked = np.where(np.tril(np.ones((n, n), bool)), scores, -np.inf)
        hooks[block + "hook_attn_scores"] = masked
        pattern = np.exp(masked - masked.max(-1, keepdims=True))
        pattern /= pattern.sum(-1, keepdims=True)
        hooks[block + "hook_pattern"] = pattern
        z = np.einsum("hqk,khd->qhd", pattern, v)
        for layer, head in zero:
            if layer == i:
                z[:, head] = 0
        hooks[block + "hook_z"] = z
        out = self.w[at + "c_proj.weight"].reshape(self.heads, size, width)
        hooks[block + "hook_result"] = np.einsum("qhd,hdm->qhm", z, out)
        return self.linear(z.reshape(n, width), at + "c_proj")

    def run(self, tokens, zero=()):
        """All hooks by name, and the logits of every position. `zero`: (layer, head) pairs whose z is silenced."""
        hooks = {"hook_embed": self.w["wte.weight"][tokens], "hook_pos_embed": self.w["wpe.weight"][: len(tokens)]}
        x = hooks["hook_embed"] + hooks["hook_pos_embed"]
        for i in range(self.layers):
            block = f"blocks.{i}."
            hooks[block + "hook_resid_pre"] = x
            hooks[block + "hook_attn_out"] = self.attention(self.norm(x, f"h.{i}.ln_1", block + "ln1.", hooks), i, hooks, zero)
            x = hooks[block + "hook_resid_mid"] = x + hooks[block + "hook_attn_out"]
            pre = hooks[block + "mlp.hook_pre"] = self.linear(self.norm(x, f"h.{i}.ln_2", block + "ln2.", hooks), f"h.{i}.mlp.c_fc")
            hooks[block + "mlp.hook_post"] = 0.5 * pre * (1 + np.tanh(np.sqrt(2 / np.pi) * (pre + 0.044715 * pre**3)))
            hooks[block + "hook_mlp_out"] = self.linear(hooks[block + "mlp.hook_post"], f"h.{i}.mlp.c_proj")
            x = hooks[block + "hook_resid_post"] = x + hooks[block + "hook_mlp_out"]
        y = self.norm(x, "ln_f", "ln_final.", hooks)
        return hooks, y @ self.w.get("lm_head.weight", self.w["wte.weight"]).T
