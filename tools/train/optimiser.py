"""AdamW in three groups, and the running mean of the weights."""

from __future__ import annotations

from typing import Dict, List

import torch
from torch import Tensor, nn


def groups(model: nn.Module, plan: Dict[str, object]) -> List[Dict[str, object]]:
    """Matrices decay, vectors do not; `wpe` is a group of its own. `factor` multiplies the scheduled rate."""
    named = dict(model.named_parameters())
    wpe = [named.pop("wpe.weight")]
    return [
        {"params": [w for w in named.values() if w.dim() > 1], "factor": 1.0, "weight_decay": plan["weight_decay"]},
        {"params": [w for w in named.values() if w.dim() == 1], "factor": 1.0, "weight_decay": 0.0},
        {"params": wpe, **plan["wpe"]},
    ]


def optimiser(model: nn.Module, plan: Dict[str, object]) -> torch.optim.AdamW:
    return torch.optim.AdamW(groups(model, plan), lr=plan["rate"], betas=tuple(plan["betas"]))


def set_rate(optimiser: torch.optim.Optimizer, value: float, decay: float) -> None:
    """`decay` is the weight decay of the matrices, the first group."""
    for group in optimiser.param_groups:
        group["lr"] = value * group["factor"]
    optimiser.param_groups[0]["weight_decay"] = decay


class RunningMean:
    """An exponential mean of the weights over `1 / (1 − decay)` steps; over fewer at the start."""

    def __init__(self, model: nn.Module, decay: float) -> None:
        self.decay, self.steps = decay, 0
        self.weights: Dict[str, Tensor] = {name: w.detach().clone() for name, w in model.named_parameters()}

    def update(self, model: nn.Module) -> None:
        self.steps += 1
        share = 1 - min(self.decay, self.steps / (self.steps + 9))
        with torch.no_grad():
            for name, weight in model.named_parameters():
                self.weights[name].lerp_(weight, share)
