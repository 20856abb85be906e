#!/usr/bin/env python3
"""Torch's logits of a model folder after a few tokens, in f32: expected values for the tests (tests/golden/minihelix_logits.json)."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import torch

import gpt2
import safetensors_file
from bpe import Tokenizer
from files import write_text

TEXT = "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a"


def logits(folder: Path) -> dict:
    """The logits of the whole vocabulary after `<|endoftext|>` and `TEXT`."""
    config = json.loads((folder / "config.json").read_text())
    shape = gpt2.Shape(config["vocab_size"], config["n_positions"], config["n_embd"], config["n_layer"], config["n_head"])
    model = gpt2.Gpt2(shape, 0)
    model.load_state_dict(gpt2.from_checkpoint(safetensors_file.read(folder / "model.safetensors")), strict=False)
    tokenizer = Tokenizer.load(folder)
    tokens = [tokenizer.end_of_text, *tokenizer.encode(TEXT)]
    with torch.no_grad():
        row = model(torch.tensor([tokens]), torch.zeros(1, dtype=torch.long))[0, -1]
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    return {"text": TEXT, "sha256": weights, "torch": torch.__version__, "tokens": tokens, "logits": [round(float(x), 5) for x in row]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="model folder")
    parser.add_argument("golden", type=Path, help="file to write")
    options = parser.parse_args()
    write_text(options.golden, json.dumps(logits(options.model)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
