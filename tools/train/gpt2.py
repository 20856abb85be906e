"""The network: exactly GPT-2, with the names of the original checkpoint's tensors."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

# The tensors that the original checkpoint stores as in × out ("Conv1D"), transposed from nn.Linear.
TRANSPOSED = ("attn.c_attn.weight", "attn.c_proj.weight", "mlp.c_fc.weight", "mlp.c_proj.weight")


class Shape(NamedTuple):
    n_vocab: int
    n_ctx: int
    d_model: int
    n_layer: int
    n_head: int


class Gelu(torch.autograd.Function):
    """GPT-2's GELU, x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))), written as x·σ(2√(2/π)·(x + 0.044715·x³)).

    The two are the same function; torch's own kernel of the first takes a quarter of a training step on a CPU.
    """

    LINEAR = 2 * math.sqrt(2 / math.pi)
    CUBIC = LINEAR * 0.044715

    @staticmethod
    def forward(ctx, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return (x * x).mul_(Gelu.CUBIC).add_(Gelu.LINEAR).mul_(x).sigmoid_().mul_(x)

    @staticmethod
    def backward(ctx, gradient: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        square = x * x
        gate = (square * Gelu.CUBIC).add_(Gelu.LINEAR).mul_(x).sigmoid_()
        slope = square.mul_(3 * Gelu.CUBIC).add_(Gelu.LINEAR).mul_(x)  # x times the derivative of the gate's input
        slope.mul_(torch.addcmul(gate, gate, gate, value=-1)).add_(gate)
        return slope.mul_(gradient)


class Attention(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.n_head = shape.n_head
        self.c_attn = nn.Linear(shape.d_model, 3 * shape.d_model)
        self.c_proj = nn.Linear(shape.d_model, shape.d_model)

    def forward(self, x: Tensor, mask: Tensor, patterns: Optional[List[Tensor]]) -> Tensor:
        """x [batch, pos, d_model], mask [pos, pos] to be added to the scores; `patterns`, if given, receives the patterns."""
        batch, n, width = x.shape
        qkv = self.c_attn(x).view(batch, n, 3, self.n_head, width // self.n_head)
        q, k, v = (part.reshape(batch * self.n_head, n, -1) for part in qkv.permute(2, 0, 3, 1, 4))
        # q is scaled, not the scores: it is the smaller array.
        scores = torch.bmm(q * (width // self.n_head) ** -0.5, k.transpose(1, 2))  # [batch × head, q_pos, k_pos]
        pattern = torch.softmax(scores + mask.to(scores.dtype), -1)
        if patterns is not None:
            patterns.append(pattern.detach().view(batch, self.n_head, n, n).float())
        z = torch.bmm(pattern, v).view(batch, self.n_head, n, -1)
        return self.c_proj(z.transpose(1, 2).reshape(batch, n, width))


class Mlp(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.c_fc = nn.Linear(shape.d_model, 4 * shape.d_model)
        self.c_proj = nn.Linear(4 * shape.d_model, shape.d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.c_proj(Gelu.apply(self.c_fc(x)))


class Block(nn.Module):
    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(shape.d_model)
        self.attn = Attention(shape)
        self.ln_2 = nn.LayerNorm(shape.d_model)
        self.mlp = Mlp(shape)

    def forward(self, x: Tensor, mask: Tensor, patterns: Optional[List[Tensor]]) -> Tensor:
        x = x + self.attn(self.ln_1(x), mask, patterns)
        return x + self.mlp(self.ln_2(x))


class Gpt2(nn.Module):
    """The head is `wte` itself, as in GPT-2."""

    def __init__(self, shape: Shape, seed: int) -> None:
        super().__init__()
        self.shape = shape
        self.wte = nn.Embedding(shape.n_vocab, shape.d_model)
        self.wpe = nn.Embedding(shape.n_ctx, shape.d_model)
        self.h = nn.ModuleList(Block(shape) for _ in range(shape.n_layer))
        self.ln_f = nn.LayerNorm(shape.d_model)
        mask = torch.full((shape.n_ctx, shape.n_ctx), -math.inf).triu(1)
        self.register_buffer("mask", mask, persistent=False)
        self.start(torch.Generator().manual_seed(seed))

    def start(self, generator: torch.Generator) -> None:
        """GPT-2's random start, except that `wpe` starts at zero, so that its structure comes from the text alone."""
        for name, weight in self.named_parameters():
            if weight.dim() == 1:
                nn.init.constant_(weight, 1.0 if "ln_" in name and name.endswith("weight") else 0.0)
            else:
                # Matrices that write to the residual stream start smaller, so that it does not grow with depth.
                spread = 0.02 / math.sqrt(2 * self.shape.n_layer) if "c_proj" in name else 0.02
                with torch.no_grad():
                    weight.normal_(0.0, spread, generator=generator)
        nn.init.zeros_(self.wpe.weight)

    def residual(self, tokens: Tensor, first: Tensor, patterns: Optional[List[Tensor]] = None) -> Tensor:
        """The last block's output, normalised: [batch, pos, d_model].

        tokens [batch, pos]; first [batch] is the row of `wpe` that the sequence's first token gets. `patterns`
        receives [batch, head, q_pos, k_pos] of each layer.
        """
        n = tokens.shape[1]
        x = self.wte(tokens) + self.wpe(first[:, None] + torch.arange(n, device=tokens.device))
        for block in self.h:
            x = block(x, self.mask[:n, :n], patterns)
        return self.ln_f(x)

    def forward(self, tokens: Tensor, first: Tensor) -> Tensor:
        """Logits [batch, pos, n_vocab]."""
        return functional.linear(self.residual(tokens, first), self.wte.weight)

    def loss(self, tokens: Tensor, first: Tensor, targets: Tensor) -> Tensor:
        """The sum of −log p over all targets that are not negative, in nats. targets [batch, pos]."""
        logits = self(tokens, first).flatten(0, 1).float()
        return functional.cross_entropy(logits, targets.flatten(), ignore_index=-1, reduction="sum")


def to_checkpoint(weights: Dict[str, Tensor]) -> Dict[str, np.ndarray]:
    """The tensors as the original checkpoint has them, f32, matrices in × out."""
    return {name: oriented(name, weight.detach()).cpu().float().numpy() for name, weight in weights.items()}


def from_checkpoint(tensors: Dict[str, np.ndarray]) -> Dict[str, Tensor]:
    """The inverse of `to_checkpoint`."""
    return {name: oriented(name, torch.from_numpy(array.astype(np.float32))) for name, array in tensors.items()}


def oriented(name: str, weight: Tensor) -> Tensor:
    return weight.t().contiguous() if name.endswith(TRANSPOSED) else weight.contiguous()


def parameter_count(shape: Shape) -> int:
    return sum(weight.numel() for weight in Gpt2(shape, 0).parameters())


def patterns_of(model: Gpt2, tokens: Tensor) -> Tuple[Tensor, ...]:
    """The attention patterns of each layer, [batch, head, q_pos, k_pos], for tokens [batch, pos] from row 0 on."""
    patterns: List[Tensor] = []
    with torch.no_grad():
        model.residual(tokens, torch.zeros(len(tokens), dtype=torch.long, device=tokens.device), patterns)
    return tuple(patterns)
