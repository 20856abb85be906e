#!/usr/bin/env python3
"""Makes the model folder from a run: weights, vocabulary, configuration, training record, and the card."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Dict

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np  # noqa: E402
import torch  # noqa: E402

import card  # noqa: E402
import corpus  # noqa: E402
import emergence  # noqa: E402
import gpt2  # noqa: E402
import memory  # noqa: E402
import safetensors_file  # noqa: E402
from files import write_text  # noqa: E402
from journal import say  # noqa: E402
from trainer import read_checkpoint  # noqa: E402

LICENCE = Path(__file__).resolve().parents[2] / "LICENSE"
LIMITS = {"model.safetensors": 12_000_000, "emergence.safetensors": 2_000_000}  # bytes


def config_of(shape: gpt2.Shape) -> Dict[str, object]:
    """config.json, with those entries of the original one that apply here."""
    end = shape.n_vocab - 1
    return {
        "activation_function": "gelu_new",
        "architectures": ["GPT2LMHeadModel"],
        "attn_pdrop": 0.0,
        "bos_token_id": end,
        "embd_pdrop": 0.0,
        "eos_token_id": end,
        "initializer_range": 0.02,
        "layer_norm_epsilon": 1e-05,
        "model_type": "gpt2",
        "n_ctx": shape.n_ctx,
        "n_embd": shape.d_model,
        "n_head": shape.n_head,
        "n_inner": None,
        "n_layer": shape.n_layer,
        "n_positions": shape.n_ctx,
        "resid_pdrop": 0.0,
        "scale_attn_weights": True,
        "tie_word_embeddings": True,
        "torch_dtype": "float16",
        "use_cache": True,
        "vocab_size": shape.n_vocab,
    }


def in_halves(weights: Dict[str, torch.Tensor]) -> Dict[str, np.ndarray]:
    """The checkpoint's tensors in f16; raises ValueError where f16 cannot hold one."""
    tensors = {name: array.astype("<f2") for name, array in gpt2.to_checkpoint(weights).items()}
    for name, array in tensors.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} does not fit into f16")
    return tensors


def cut(weights: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
    """The weights, with `wpe` reduced to its mean row and first components.

    Tens of millions of tokens leave noise in every row that hundreds of millions would average out. The reduction removes
    that noise, and the card gives its effect on the loss.
    """
    reduced = emergence.reduce(weights["wpe.weight"].numpy(), emergence.SHIPPED_RANK)
    rows = reduced.mean + reduced.scores @ reduced.axes
    return {**weights, "wpe.weight": torch.from_numpy(rows).to(weights["wpe.weight"].dtype)}


def write_weights(run: Path, folder: Path) -> Dict[str, object]:
    """Writes the model; returns the run's checkpoint."""
    state = read_checkpoint(run)
    folder.mkdir(parents=True, exist_ok=True)
    safetensors_file.write(folder / "model.safetensors", in_halves(cut(state["mean"])), {"format": "pt"})
    shape = gpt2.Shape(**state["config"]["model"])
    write_text(folder / "config.json", json.dumps(config_of(shape), indent=2) + "\n")
    for name in ("vocab.json", "merges.txt"):
        shutil.copyfile(run / "data" / name, folder / name)
    shutil.copyfile(LICENCE, folder / "LICENSE")
    return state


def write_emergence(run: Path, folder: Path, shipped: Dict[str, np.ndarray]) -> None:
    """The snapshots, the last of which is the model of this folder."""
    rows = emergence.read_snapshots(run / "snapshots")
    rows.append({**rows[-1], **shipped})
    safetensors_file.write(folder / "emergence.safetensors", emergence.tensors(rows), {"format": "helixscope-emergence"})


def check_sizes(folder: Path) -> None:
    for name, most in LIMITS.items():
        size = (folder / name).stat().st_size
        if size > most:
            raise ValueError(f"{name} has {size} bytes, more than {most}")
        say(f"{name}: {size} bytes")


def export(run: Path, folder: Path) -> None:
    state, data = write_weights(run, folder), corpus.load(run / "data")
    facts, shipped = card.measure(run, folder, state, data)
    write_emergence(run, folder, shipped)
    check_sizes(folder)
    write_text(folder / "card.json", json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "README.md", card.text(facts))
    say(f"the model is in {folder}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="folder of a run; it may be unfinished")
    parser.add_argument("model", type=Path, help="folder to write")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    memory.keep_freed()
    torch.set_num_threads(options.threads)
    export(options.run, options.model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
