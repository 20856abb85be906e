"""What each kind of edit does: a pass whose values are changed at TransformerLens' hooks, in the order of the edits."""

import numpy as np

from gpt2 import Reference
from random_numbers import splitmix


def shuffled(count, step, seed):
    """An order of `count` rows: all but row 0 shuffled, within blocks of `step`."""
    order = list(range(count))
    for first in range(1, count, step):
        for i in range(min(step, count - first), 1, -1):
            bits, seed = splitmix(seed)
            a, b = first + i - 1, first + bits % i
            order[a], order[b] = order[b], order[a]
    return order


def grouped(rows, g):
    """Row 0 as it is; rows 1..g, g+1..2g, … each the mean of their group."""
    out = rows.copy()
    for first in range(1, len(rows), g):
        out[first : first + g] = rows[first : first + g].mean(0)
    return out


class Edited(Reference):
    """A model with these edits, given as texts. Each method is one kind. `bos` and `filler`: the tokens of extended
    positions; without them those of the model's vocabulary. `other`: the edits of the run that is patched from."""

    def __init__(self, tensors, heads, edits, bos=None, filler=None, other=None):
        super().__init__(tensors, heads)
        self.tensors = tensors
        self.other = other
        self.given = {}  # all values of the run that is patched from
        self.plain = Reference(tensors, heads)
        self.bos, self.filler = bos, filler
        self.size = self.w["wte.weight"].shape[1] // heads
        self.table = self.w["wpe.weight"]
        self.kept = {}  # all values of the run without edits
        self.changes = []  # (hook, function of its values), in the order of the edits
        for text in edits:
            kind, *fields = text.split(":")
            getattr(self, kind)(*fields)

    def positions(self):
        return self.table

    def see(self, hooks, name, value):
        value = value.copy()
        for hook, change in self.changes:
            if hook == name:
                value = change(value)
        return super().see(hooks, name, value)

    def run(self, tokens, zero=()):
        self.kept = self.plain.run(tokens)[0]
        if self.other is not None:
            self.given = Edited(self.tensors, self.heads, self.other, self.bos, self.filler).run(tokens)[0]
        return super().run(tokens, zero)

    def at(self, hook, change):
        self.changes.append((hook, change))

    def at_head(self, where, hook, change):
        """`change(values)` of one head: its z [query, d_head], or its scores [query, key]."""
        layer, head = map(int, where.split("."))

        def changed(values):
            own = values[:, head] if hook == "z" else values[head]
            change(own)
            return values

        self.at(f"blocks.{layer}.attn.hook_{hook}", changed)

    def ablate_head(self, where, instead="zero"):
        def change(z):
            z[:] = z.mean(0) if instead == "mean" else 0

        self.at_head(where, "z", change)

    def scale_head(self, where, factor):
        self.at_head(where, "z", lambda z: np.multiply(z, float(factor), out=z))

    def scale_attn(self, layer, factor):
        self.at(f"blocks.{layer}.hook_attn_out", lambda out: out * float(factor))

    def set_score(self, where, query, key, value):
        def change(scores):
            scores[int(query), int(key)] = float(value)

        self.at_head(where, "attn_scores", change)

    def set_pattern(self, where, query, key, share):
        def change(pattern):
            row, key_, share_ = pattern[int(query)], int(key), float(share)
            others = row.sum() - row[key_]
            if others > 0 and (key_ <= int(query) or row[key_] > 0):
                row *= (1 - share_) / others
                row[key_] = share_

        self.at_head(where, "pattern", change)

    def move_attention(self, where, query, start, end, left="-inf"):
        def change(scores):
            if start != end:
                row = scores[int(query)]
                row[int(end)] = row[int(start)]
                row[int(start)] = 0 if left == "zero" else -np.inf

        self.at_head(where, "attn_scores", change)

    def swap_scores(self, where, query, a, b):
        def change(scores):
            row, pair = scores[int(query)], [int(a), int(b)]
            row[pair] = row[pair[::-1]]

        self.at_head(where, "attn_scores", change)

    def mask_previous(self, layers, step, when="before"):
        first, _, last = layers.partition("-")
        hook, put = ("pattern", 0.0) if when == "after" else ("attn_scores", -np.inf)

        def change(values):
            for query in range(int(step), values.shape[1], int(step)):
                values[:, query, query - 1] = put
            return values

        for layer in range(int(first), int(last or first) + 1):
            self.at(f"blocks.{layer}.attn.hook_{hook}", change)

    def no_mask(self):
        self.causal = False

    def zero_positions(self):
        self.table = np.zeros_like(self.table)

    def shift_positions(self, by):
        self.table = self.table[int(by) :]

    def permute_positions(self, seed, step=None):
        self.table = self.table[shuffled(len(self.table), int(step or len(self.table)), int(seed))]

    def group_positions(self, g):
        self.table = grouped(self.table, int(g))

    def rank_positions(self, k):
        mean = self.table.mean(0)
        u, s, vt = np.linalg.svd(self.table - mean, full_matrices=False)
        self.table = mean + (u[:, : int(k)] * s[: int(k)]) @ vt[: int(k)]

    def replace_positions(self, what, base=10000):
        assert what == "sinusoidal"
        n, width = self.table.shape
        angle = np.arange(n)[:, None] / float(base) ** (np.arange(width) // 2 * 2 / width)
        rows = np.where(np.arange(width) % 2 == 0, np.sin(angle), np.cos(angle))
        length = np.linalg.norm(rows, axis=1).mean()
        self.table = rows * (np.linalg.norm(self.table, axis=1).mean() / length)

    def replace_position(self, row, by):
        self.table = self.table.copy()
        self.table[int(row)] = self.table[int(by)]

    def average_positions(self, first, last):
        low, high = sorted((int(first), int(last)))
        self.table = self.table.copy()
        self.table[low : high + 1] = self.table[low : high + 1].mean(0)

    def patch(self, hook, position=None, head=None):
        assert self.other is not None, "a patch needs the edits of the run that its values come from"
        apart = hook.endswith(("hook_scores_raw", "hook_attn_scores", "hook_pattern"))  # [head, query, key]

        def change(values):
            part = [slice(None)] * values.ndim
            if position is not None:
                part[1 if apart else 0] = int(position)
            if head is not None:
                part[0 if apart else 1] = int(head)
            values[tuple(part)] = self.given[hook][tuple(part)]
            return values

        self.at(hook, change)

    def zero_tokens(self):
        self.at("hook_embed", np.zeros_like)

    def group_residual(self, layer, g):
        self.at(f"blocks.{layer}.hook_resid_pre", lambda rows: grouped(rows, int(g)))

    def average_extended(self, layer, g, token=None):
        hook, context = f"blocks.{layer}.hook_resid_pre", len(self.plain.w["wpe.weight"])
        bos = self.tensors.bos if self.bos is None else self.bos
        if token is None:
            token = self.tensors.filler if self.filler is None else self.filler
        tokens = [bos] + [int(token)] * (context - 1)
        extended = self.plain.run(tokens)[0][hook]
        moved = grouped(extended, int(g)) - extended
        self.at(hook, lambda rows: rows + moved[: len(rows)])

    def freeze(self, *endings):
        for layer in range(self.layers):
            for hook in (f"blocks.{layer}.{ending}" for ending in endings):
                self.at(hook, lambda _, hook=hook: self.kept[hook])

    def freeze_patterns(self):
        self.freeze("attn.hook_pattern")

    def freeze_norms(self):
        self.freeze("ln1.hook_scale", "ln2.hook_scale")
        self.at("ln_final.hook_scale", lambda _: self.kept["ln_final.hook_scale"])

    def zero_mlp(self, layer):
        self.at(f"blocks.{layer}.hook_mlp_out", np.zeros_like)

    def zero_bias(self, which, layer):
        name = f"h.{layer}.attn.c_attn.bias"
        parts = np.split(self.w[name].copy(), 3)
        parts["qk".index(which)][:] = 0
        self.w[name] = np.concatenate(parts)
