"""Snapshots of a model in training: about 40, evenly spaced in the logarithm of the steps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Dict, Set

import numpy as np
import torch

import scores
from files import whole_file
from gpt2 import Gpt2, patterns_of

if TYPE_CHECKING:
    from corpus import Corpus
    from precision import Precision
    from trainer import Trainer

Row = Dict[str, np.ndarray]
SEED = 20  # of the random tokens on which induction is measured: the same every time


def moments(first: int, ratio: float, total_steps: int) -> Set[int]:
    """The steps of the snapshots: 0, `first`, then each `ratio` times the previous one, and the last."""
    steps, step = {0, total_steps}, float(first)
    while step < total_steps:
        steps.add(round(step))
        step *= ratio
    return steps


def measure(trainer: Trainer) -> Row:
    """A snapshot's contents: the step, and the measurements of `look`."""
    times = {"step": trainer.step, "tokens": trainer.tokens_seen, "loss": trainer.recent_loss}
    row = {name: np.float64(value) for name, value in times.items()}
    return {**row, **look(trainer.model, trainer.corpus, trainer.config, trainer.precision)}


def look(model: Gpt2, corpus: Corpus, config: Dict[str, dict], precision: Precision) -> Row:
    """`wpe` f32 [position, d_model], the heads' scores [layer, head], and single numbers."""
    plan = config["snapshots"]
    wpe = model.wpe.weight.detach().cpu().numpy().copy()
    end = corpus.tokenizer.end_of_text
    pieces = scores.pieces(corpus.held_out, model.shape.n_ctx, end)
    tokens, targets = (scores.spread(part, plan["held_out_sequences"]) for part in pieces)
    text = scores.spread(tokens, plan["score_sequences"])
    noise = scores.repeated(plan["score_sequences"], min(128, model.shape.n_ctx // 2), end, SEED)
    with precision.products():
        held_out = mean_loss(model, tokens, targets, config["batch"]["at_once"])
        previous = head_scores(model, text, scores.previous_token)
        induction = head_scores(model, noise, scores.induction)
    figures = {
        "held_out": held_out,
        "previous": previous.max(),
        "induction": induction.max(),
        **scores.shape_of(wpe),
    }
    row = {name: np.float64(value) for name, value in figures.items()}
    return {**row, "wpe": wpe, "previous_by_head": previous, "induction_by_head": induction}


def mean_loss(model: Gpt2, tokens: np.ndarray, targets: np.ndarray, at_once: int) -> float:
    """The loss in nats per token of [sequence, pos]; `at_once` tokens go through the network together."""
    device = model.wte.weight.device
    rows = max(1, at_once // tokens.shape[1])
    total = 0.0
    with torch.no_grad():
        for i in range(0, len(tokens), rows):
            part, wanted = (torch.from_numpy(array[i : i + rows]).to(device) for array in (tokens, targets))
            total += float(model.loss(part, torch.zeros(len(part), dtype=torch.long, device=device), wanted))
    return total / targets.size


def head_scores(model: Gpt2, tokens: np.ndarray, score) -> np.ndarray:
    """`score` of each head's patterns, mean over the sequences [sequence, pos]: [layer, head]."""
    device = model.wte.weight.device
    rows = []
    for sequence in tokens:
        layers = patterns_of(model, torch.from_numpy(sequence[None]).to(device))
        rows.append([score(pattern[0].cpu().numpy()) for pattern in layers])
    return np.mean(rows, 0)


def cosine_now(model: Gpt2) -> float:
    return scores.adjacent_cosine(model.wpe.weight.detach().cpu().numpy())


def summary(row: Row) -> str:
    names = ["held_out", "previous", "induction", "explained_first3"]
    names += ["adjacent_cosine", "adjacent_cosine_centred", "mean_norm"]
    return ", ".join(f"{name} {float(row[name]):.4f}" for name in names)


def path_of(folder: Path, step: int) -> Path:
    return folder / f"{step:08}.npz"


def write(folder: Path, step: int, row: Row) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(path_of(folder, step)) as file:
        np.savez(file, **row)


def forget(folder: Path, step: int) -> None:
    path_of(folder, step).unlink(missing_ok=True)
