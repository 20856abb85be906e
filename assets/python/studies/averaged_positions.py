"""averaged_positions: loss, copying and attention to the previous token, with positions averaged in groups."""

import numpy as np
from books import BOOKS
from edits import Edited
from measures import log_softmax
from random_numbers import in_order

TOLERANCE = {"others": 5e-4, "loss_kept": 2e-3, "window_kept": 2e-3, "loss_left": 2e-3, "copying_kept": 2e-3, "answer_kept": 5e-3, "head_kept": 5e-3, "head_left": 5e-3}
LITTLE, BROKEN, MATTERS, ERRORS = 0.95, 0.9, 0.02, 2
COPIED, CROP, FIRST = 50, 30, 2  # FIRST: the first query whose previous token is not the first one


class Texts:
    """Windows of the book or of the prompt, random tokens that are read twice, and the prompt."""

    def __init__(self, weights, params, tokens):
        bos = tokens[: int(params["bos"])]
        ids = tokens[len(bos) :] if params["text"] == "prompt" else weights.tokenizer.encode(BOOKS[params["text"]])
        context, vocabulary = len(weights["wpe.weight"]), len(weights["wte.weight"])
        size = min(params["window"], context) - len(bos)
        begins = [*range(0, max(len(ids) - size, 0), size), max(len(ids) - size, 0)]
        self.windows = [bos + ids[begin : begin + size] for begin in begins[: params["windows"]]]
        self.copied = min(COPIED, (context - len(bos)) // 2, vocabulary // 2)
        once = [token for token in in_order(vocabulary, np.random.default_rng(1)) if token not in bos][: self.copied]
        self.twice, self.prompt = bos + once + once, tokens
        self.longest = len(self.windows[0])
        self.first_query = (self.longest - CROP) // 2 if self.longest > CROP else 0


def loss_of(logits, tokens):
    """Of each token but the first, in nats."""
    return -log_softmax(logits)[np.arange(len(tokens) - 1), tokens[1:]]


def previous(patterns, queries):
    """Mean attention to the previous token, [layer, head]."""
    return patterns[:, :, queries, queries - 1].mean(-1) if len(queries) else np.full(patterns.shape[:2], np.nan)


def patterns_of(model, window):
    hooks, logits = model.run(window)
    return np.array([hooks[f"blocks.{layer}.attn.hook_pattern"] for layer in range(model.layers)]), logits


def part_of(patterns, texts):
    """What is drawn of the first window's patterns; NaN where a key comes after the query."""
    part = slice(texts.first_query, texts.first_query + CROP)
    out = patterns[:, :, part, part]
    return np.where(np.tril(np.ones(out.shape[2:], bool)), out, np.nan)


class Seen:
    """What a model with these edits does with all texts."""

    def __init__(self, weights, texts, edits):
        model = Edited(weights, weights.heads, edits)
        self.loss, attention = [], []
        for window in texts.windows:
            patterns, logits = patterns_of(model, window)
            self.loss.append(loss_of(logits, window))
            attention.append(previous(patterns, np.arange(FIRST, len(window))))
            if len(attention) == 1:
                self.part = part_of(patterns, texts)
        self.previous = np.mean(attention, 0)
        self.mean_loss = np.array([loss.mean() for loss in self.loss])
        self.copying = np.nan
        if texts.copied >= 2:
            self.copying = np.exp(-loss_of(model.run(texts.twice)[1], texts.twice)[1 - texts.copied :]).mean()
        self.next = np.exp(log_softmax(model.run(texts.prompt)[1][-1]))


def gain(own, none):
    """By how much the loss is larger without positions; NaN where that may be chance."""
    more = none - own
    return more.mean() if more.mean() > ERRORS * more.std() / np.sqrt(max(len(more) - 1, 1)) else np.nan


def kept(here, none):
    """What is left of what positions add to a share, by group size, the model as it is first."""
    return (here - none) / (here[0] - none) if here[0] - none > MATTERS else np.full(len(here), np.nan)


def sizes_of(params, longest):
    return sorted({1} | {min(size, longest - 1) for size in (*params["groups"], params["group"])})


def head_of(params, own, before):
    """The layer and head that are followed: those asked for, or the ones that attend most to the previous token."""
    layers, heads = own.shape
    some = np.zeros(own.shape, bool)
    there = params["layer"] < layers and params["head"] < heads
    of = slice(params["layer"], params["layer"] + 1) if there and params["layer"] >= 0 else slice(before if params["layer"] < 0 else 0, None)
    some[of, slice(params["head"], params["head"] + 1) if there and params["head"] >= 0 else slice(None)] = True
    return np.unravel_index(np.where(some, own, -1).argmax(), own.shape)


def holds_and_breaks(sizes, loss, head):
    """Up to which size nearly all is left, and the first that costs a tenth of what positions take off the loss."""
    fails = [i for i in range(len(sizes)) if loss[i] < LITTLE or head[i] < LITTLE]
    whole = fails[0] if fails else len(sizes)
    known = np.isfinite(loss).any() or np.isfinite(head).any()
    broken = [size for size, left in zip(sizes, loss) if left < BROKEN]
    return sizes[whole - 1] if known and whole else np.nan, broken[0] if broken else np.nan


def hidden(weights, texts, edits, layer, head, every):
    """The counter-test: the previous token is masked in more and more layers, for queries at multiples of `every`."""
    queries = np.arange(FIRST, texts.longest)
    masked, others = [], []
    for depth in range(layer + 1):
        mask = [f"mask_previous:0-{depth - 1}:{every}"] if depth else []
        patterns, _ = patterns_of(Edited(weights, weights.heads, edits + mask), texts.windows[0])
        masked.append(previous(patterns, queries[queries % every == 0])[layer, head])
        others.append(previous(patterns, queries[queries % every != 0])[layer, head])
    return np.array(masked), np.array(others), part_of(patterns, texts)[layer, head]


def numbers(weights, params, tokens, edits):
    texts, extended = Texts(weights, params, tokens), params["averaged"] == "extended"
    before, sizes = min(params["before"], weights.layers - 1), sizes_of(params, texts.longest)
    average = f"average_extended:{before}:" if extended else "group_positions:"
    every = [Seen(weights, texts, edits + ([f"{average}{size}"] if size > 1 else [])) for size in sizes]
    own, none = every[0], Seen(weights, texts, edits + ["zero_positions"])

    by_window = np.array([seen.mean_loss for seen in every]).T
    loss, loss_none = by_window.mean(0), none.mean_loss.mean()
    loss_kept = (loss_none - loss) / gain(np.concatenate(own.loss), np.concatenate(none.loss))
    window_gains = np.array([gain(a, b) for a, b in zip(own.loss, none.loss)])
    copying, token = np.array([seen.copying for seen in every]), int(own.next.argmax())
    answer = np.array([seen.next[token] for seen in every])
    attention = np.array([seen.previous for seen in every])
    layer, head = head_of(params, own.previous, before if extended else 0)
    of_head, head_none = attention[:, layer, head], none.previous[layer, head]
    head_kept = kept(of_head, head_none)
    holds_to, breaks_at = holds_and_breaks(sizes, loss_kept, head_kept)
    masked, others, masked_pattern = hidden(weights, texts, edits, layer, head, params["every"])
    at = sizes.index(min(params["group"], sizes[-1]))
    return {
        "size": np.array(sizes),
        "loss": loss,
        "loss_by_window": by_window,
        "loss_kept": loss_kept,
        "window_kept": (none.mean_loss - by_window.T).T / window_gains[:, None],
        "copying": copying,
        "copying_kept": kept(copying, none.copying),
        "token": np.array([token]),
        "answer": answer,
        "answer_kept": kept(answer, none.next[token]),
        "previous": attention,
        "previous_none": none.previous,
        "layer_previous": attention.mean(-1),
        "head_previous": of_head,
        "head_kept": head_kept,
        "pattern": np.array([seen.part[layer, head] for seen in every]),
        "depth": np.arange(layer + 1),
        "masked": masked,
        "others": others,
        "masked_pattern": masked_pattern,
        "masked_previous": masked[-1],
        "others_previous": others[-1],
        **{"group_previous": of_head[at], "own_previous": of_head[0], "none_previous": head_none, "head_left": head_kept[at]},
        **{"loss_group": loss[at], "loss_own": loss[0], "loss_none": loss_none, "loss_left": loss_kept[at]},
        **{"copying_group": copying[at], "copying_own": copying[0], "copying_none": none.copying},
        **{"answer_group": answer[at], "answer_own": answer[0], "answer_none": none.next[token]},
        **{"holds_to": holds_to, "breaks_at": breaks_at},
        "even_previous": np.mean([1 / (query + 1) for query in range(FIRST, texts.longest)]),
        **{"layer": layer, "head": head, "before": before if extended else np.nan, "group": sizes[at]},
        **{"window": texts.longest, "windows": len(texts.windows), "every": params["every"], "first_query": texts.first_query},
    }
