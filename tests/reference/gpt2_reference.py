"""Model folders for the tests, and GPT-2's forward pass, which is that of the exported scripts."""

import json
import struct
from pathlib import Path

import numpy as np

from exported import Reference  # noqa: F401


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
