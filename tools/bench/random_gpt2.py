"""Writes a random GPT-2 small whose activations have outliers, as those of trained models do.

    python3 random_gpt2.py FOLDER

A few dimensions after each LayerNorm are 20 times larger and their rows of the next matrix 20 times smaller: the function
is that of plain Gaussian weights, but the outliers affect 8-bit activations.
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train"))
import safetensors_file  # noqa: E402

LAYERS, WIDTH, HEADS, CONTEXT, VOCABULARY = 12, 768, 12, 1024, 50257
OUTLIERS, FACTOR = 4, 20
SPREAD = 0.02


def tensors():
    """Name and float32 array of each tensor, in the file's order."""
    rng = np.random.default_rng(20261120)

    def draw(*shape):
        return rng.standard_normal(shape, dtype=np.float32) * np.float32(SPREAD)

    yield "wte.weight", draw(VOCABULARY, WIDTH)
    yield "wpe.weight", draw(CONTEXT, WIDTH)
    for layer in range(LAYERS):
        at = f"h.{layer}."
        for norm, after, columns in (("ln_1", "attn.c_attn", 3 * WIDTH), ("ln_2", "mlp.c_fc", 4 * WIDTH)):
            scale = np.ones(WIDTH, np.float32)
            scale[rng.choice(WIDTH, OUTLIERS, replace=False)] = FACTOR
            yield f"{at}{norm}.weight", scale
            yield f"{at}{norm}.bias", draw(WIDTH) * scale
            yield f"{at}{after}.weight", draw(WIDTH, columns) / scale[:, None]
            yield f"{at}{after}.bias", draw(columns)
        for name, rows in (("attn.c_proj", WIDTH), ("mlp.c_proj", 4 * WIDTH)):
            yield f"{at}{name}.weight", draw(rows, WIDTH)
            yield f"{at}{name}.bias", draw(WIDTH)
    yield "ln_f.weight", np.ones(WIDTH, np.float32)
    yield "ln_f.bias", draw(WIDTH)


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    safetensors_file.write(folder / "model.safetensors", dict(tensors()), {})
    config = {"model_type": "gpt2", "n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH, "n_positions": CONTEXT}
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": VOCABULARY, "layer_norm_epsilon": 1e-5}))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
