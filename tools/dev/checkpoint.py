"""What a safetensors file holds, read from its header: enough for a list; the program helixscope checks it fully."""

import json
import re
from pathlib import Path

MAX_HEADER = 100_000_000
OUTER = {"wpe.weight": "positions", "wte.weight": "words", "ln_f.weight": "the last LayerNorm"}
LAYER = {"attn.c_attn.weight": "attention", "mlp.c_fc.weight": "MLPs", "ln_1.weight": "LayerNorms"}


def tensors(path: Path) -> dict[str, str]:
    """The number format of each tensor, by its name without "transformer."; empty where this is not a safetensors file."""
    try:
        with path.open("rb") as file:
            size = int.from_bytes(file.read(8), "little")
            header = json.loads(file.read(size)) if 2 <= size <= min(MAX_HEADER, path.stat().st_size) else {}
    except (OSError, ValueError, RecursionError):
        return {}
    entries = header.items() if isinstance(header, dict) else ()
    return {
        name.removeprefix("transformer."): str(entry.get("dtype"))
        for name, entry in entries
        if name != "__metadata__" and isinstance(entry, dict)
    }


def summary(path: Path) -> tuple[str, tuple[str, ...]]:
    """The precision ("f32", "q8", or "?" where it is unclear) and what is missing for predictions, in words."""
    found = tensors(path)
    if not found:
        return "?", ("anything that can be read",)
    precision = found.get("wpe.weight") or found.get("wte.weight") or next(iter(found.values()))
    if any(name.endswith(".scales") for name in found):
        precision = "q8"
    layers = {match[1] for match in (re.match(r"h\.(\d+)\.", name) for name in found) if match}
    missing = [words for name, words in OUTER.items() if name not in found]
    missing += [
        words for name, words in LAYER.items() if not layers or any(f"h.{n}.{name}" not in found for n in layers)
    ]
    return precision.lower(), tuple(missing)
