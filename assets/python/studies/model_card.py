"""model_card: how many numbers the checkpoint holds, in which tensors."""

import numpy as np

TOLERANCE = {"others": 0}


def numbers(weights, params, tokens, edits):
    sizes = {name: int(np.prod(entry["shape"])) for name, (entry, *_) in weights.entries.items()}
    held = lambda *said: sum(size for name, size in sizes.items() if any(word in name for word in said))
    return {
        "parameters": sum(sizes.values()),
        "bytes": sum(count for _, _, count in weights.entries.values()),
        "tensors": len(sizes),
        "embeddings": held("wte.", "wpe."),
        "mlp": held(".mlp."),
        "norms": held("ln_"),
        **({"attention": held(".attn.c_")} if any(".attn." in name for name in sizes) else {}),
    }
