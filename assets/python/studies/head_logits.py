"""head_logits: what each head and every other part writes to the last token's residual stream, read out as a difference of logits."""

import numpy as np
from edits import Edited
from heads import Heads

TOLERANCE = {"others": 1e-3, "residual_error": 1e-4}


def written(weights, model, hooks):
    """What each head writes at the last token [layer, head, d_model], the part of it that the bias of its values makes, and the
    other parts."""
    parts = Heads(weights, weights.heads)
    z = np.array([hooks[f"blocks.{l}.attn.hook_z"][-1] for l in range(model.layers)])
    out = np.array([[parts.out(l, h) for h in range(model.heads)] for l in range(model.layers)])
    bias = np.array([[parts.part(l, "v", h)[1] for h in range(model.heads)] for l in range(model.layers)])
    bias = np.where((z == 0).all(-1, keepdims=True), 0, bias)
    through = lambda x: np.einsum("lhd,lhdm->lhm", x, out)
    others = [hooks["hook_embed"][-1], hooks["hook_pos_embed"][-1], *(hooks[f"blocks.{l}.hook_mlp_out"][-1] for l in range(model.layers))]
    return through(z), through(bias), np.array(others)


def drawn(seed, count, tokens):
    """Random tokens, `count` of them."""
    return (np.random.default_rng(seed).random(count) * tokens).astype(int)


def of_text(weights, params, tokens, edits):
    """The numbers of one text, and what each head adds to random tokens in the answer's place [seed, layer, head]."""
    model = Edited(weights, weights.heads, edits)
    hooks, logits = model.run(tokens)
    rows = model.w.get("lm_head.weight", model.w["wte.weight"])
    gain, shift = model.w["ln_f.weight"], model.w["ln_f.bias"]
    scale = hooks["ln_final.hook_scale"][-1]
    heads, bias, others = written(weights, model, hooks)
    with_heads = params["value_bias"] == "heads"
    output_bias = sum(model.w[f"h.{l}.attn.c_proj.bias"] for l in range(model.layers))

    def read(x, difference):
        return (x - x.mean(-1, keepdims=True)) / scale @ (gain * difference)

    answer = weights.first_token(params["answer"]) if params["answer"] else int(logits[-1].argmax())
    against = weights.first_token(params["against"]) if params["against"] else None
    mean = rows.mean(0)
    difference = rows[answer] - (mean if against is None else rows[against])
    by_head = heads if with_heads else heads - bias
    rest = output_bias if with_heads else output_bias + bias.sum((0, 1))
    found = {
        "answer": [answer] if against is None else [answer, against],
        "difference": logits[-1, answer] - (logits[-1].mean() if against is None else logits[-1, against]),
        "contribution": read(by_head, difference),
    }
    found.update({"strongest": found["contribution"].max(), "opposed": found["contribution"].min(), "all_heads": found["contribution"].sum()})
    part = np.append(read(others, difference), read(rest, difference) + shift @ difference)
    found["all_mlps"] = part[2:-1].sum()
    if edits:
        part = np.append(part, found["difference"] - found["all_heads"] - part.sum())
    found["part"] = part
    random = []
    for seed in range(1, 21):
        one = drawn(seed, 1 if against is None else 2, len(rows))
        random.append(read(by_head, rows[one[0]] - (mean if against is None else rows[one[1]])))
    return found, np.array(random)


def numbers(weights, params, tokens, edits):
    if params["prompts"] == "set":
        return {}
    found, random = of_text(weights, params, tokens, edits)
    found["random_strongest"] = np.abs(random).max((1, 2))
    return found
