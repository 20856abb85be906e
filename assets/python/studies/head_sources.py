"""head_sources: what each earlier head adds to the scores of a head, and how their weights compose."""

import numpy as np
from edits import Edited
from heads import Heads
from random_numbers import normals

COMPOSITIONS = ("k_composition", "q_composition", "v_composition", "composition", "mean_composition")
TOLERANCE = {"others": 1e-4, **dict.fromkeys(COMPOSITIONS, 1e-6), "random_composition": 1e-9, "random_mean": 1e-9}


def seen_by(query, count, causal):
    """How many keys a query sees."""
    return query + 1 if causal else count


def targets(kind, tokens, pattern, causal):
    """The keys that each query is asked about. With the mask query 0 sees but itself, and is not asked."""
    out = []
    for i in range(len(tokens)):
        keys = {
            "most": [int(pattern[i, : seen_by(i, len(tokens), causal)].argmax())],
            "previous": [i - 1] if i > 0 else [],
            "first": [0],
            "self": [i],
            "induction": [j + 1 for j in range(i - 2) if tokens[j] == tokens[i]],
        }[kind]
        out.append(keys if i > 0 or not causal else [])
    return out


def pair_weights(keys, causal):
    """What a score counts: the mean lead of the keys that are asked about over all keys, mean over queries."""
    n = len(keys)
    weights = np.zeros((n, n))
    counted = [i for i in range(n) if keys[i]]
    for i in counted:
        weights[i, : seen_by(i, n, causal)] -= 1 / seen_by(i, n, causal)
        weights[i, keys[i]] += 1 / len(keys[i])
    return weights / len(counted)


def composition(model, layer, head, which):
    """Of Frobenius norms, by earlier layer and head."""
    reads = model.part(layer, which, head)[0]
    ratio = np.empty((layer, model.heads))
    for l in range(layer):
        for h in range(model.heads):
            ov = model.part(l, "v", h)[0] @ model.out(l, h)
            ratio[l, h] = np.linalg.norm(ov @ reads) / np.linalg.norm(ov) / np.linalg.norm(reads)
    return ratio


def random_composition(model):
    out = []
    for seed in range(1, 21):
        rng = np.random.default_rng(seed)
        v, o, w = (normals(rng, model.size * model.d).reshape(model.size, model.d) for _ in range(3))
        ov = v.T @ o
        out.append(np.linalg.norm(ov @ w.T) / np.linalg.norm(ov) / np.linalg.norm(w))
    return np.array(out)


def readers_of(weights, params):
    """The layer and head of each head that reads."""
    return [(layer_of(weights, params), params["head"]), *(tuple(map(int, name.split("."))) for name in params["others"].split())]


def readers_composition(model, weights, params):
    """With W_QK, mean over the heads that read; not a number where one of them does not come later."""
    readers = readers_of(weights, params)
    ratio = np.full((layer_of(weights, params), model.heads), np.nan)
    qk = [model.part(layer, "k", head)[0] @ model.part(layer, "q", head)[0].T for layer, head in readers]
    for layer in range(min(layer for layer, _ in readers)):
        for head in range(model.heads):
            ov = model.part(layer, "v", head)[0] @ model.out(layer, head)
            ratio[layer, head] = np.mean([np.linalg.norm(ov @ one) / np.linalg.norm(ov) / np.linalg.norm(one) for one in qk])
    return ratio


def random_readers(model, readers):
    out = []
    for seed in range(1, 21):
        rng = np.random.default_rng(seed)

        def drawn(rows, columns, rng=rng):
            return normals(rng, rows * columns).reshape(rows, columns)

        v, o = drawn(model.size, model.d), drawn(model.size, model.d)
        ov, ratios = v.T @ o, []
        for _ in range(readers):
            q, k = drawn(model.d, model.size), drawn(model.d, model.size)
            ratios.append(np.linalg.norm(ov @ k @ q.T) / np.linalg.norm(ov) / np.linalg.norm(k @ q.T))
        out.append(np.mean(ratios))
    return np.array(out)


class Question:
    """The lead of a head's score: that of the keys that are asked about over all keys, mean over the queries."""

    def __init__(self, weights, params, tokens, edits):
        self.weights, self.p, self.tokens, self.edits = weights, params, tokens, edits
        self.model, self.keys_move = Heads(weights, weights.heads), params["through"] == "keys"
        self.layer, self.head = layer_of(weights, params), params["head"]
        self.causal = "no_mask" not in edits
        self.hooks, self.q, self.k, self.pattern = self.run(edits)
        self.keys = targets(params["target"], tokens, self.pattern, self.causal)
        if params["query"] >= 0:
            self.keys = [keys if i == params["query"] else [] for i, keys in enumerate(self.keys)]
        if any(self.keys):
            self.pairs = pair_weights(self.keys, self.causal)
            self.lead = self.lead_of(self.q, self.k)

    def run(self, edits):
        """A pass with these edits: all its values, and the head's queries, keys and pattern."""
        hooks, _ = Edited(self.weights, self.weights.heads, edits).run(self.tokens)
        at = f"blocks.{self.layer}.attn.hook_"
        return hooks, hooks[at + "q"][:, self.head], hooks[at + "k"][:, self.head], hooks[at + "pattern"][self.head]

    def lead_of(self, q, k):
        return (self.pairs * (q @ k.T)).sum() / np.sqrt(self.model.size)

    def attention(self, pattern):
        return np.mean([pattern[i, keys].sum() for i, keys in enumerate(self.keys) if keys])

    def reader(self):
        """W_K or W_Q, and its bias: what is read through."""
        return self.model.part(self.layer, "k" if self.keys_move else "q", self.head)

    def share(self, mine):
        """The lead of these keys (or queries), with the head's own on the other side."""
        return self.lead_of(self.q, mine) if self.keys_move else self.lead_of(mine, self.k)

    def score(self, rows, reads):
        """The lead of rows of the residual stream, with LayerNorm's scale held and without any bias."""
        scale, gain = self.hooks[f"blocks.{self.layer}.ln1.hook_scale"], self.weights[f"h.{self.layer}.ln_1.weight"]
        return self.share((rows - rows.mean(-1, keepdims=True)) / scale * gain @ reads)

    def results(self, layer):
        """[token, head, d_model]: what each head writes."""
        z = self.hooks[f"blocks.{layer}.attn.hook_z"]
        return np.stack([z[:, head] @ self.model.out(layer, head) for head in range(self.model.heads)], 1)

    def by_head(self, reads):
        added = [[self.score(rows, reads) for rows in self.results(layer).swapaxes(0, 1)] for layer in range(self.layer)]
        return np.array(added).reshape(self.layer, self.model.heads)

    def parts(self):
        """Names, edits that remove them, and contributions of what is no head: tokens, positions, MLPs and biases."""
        reads, bias = self.reader()
        found = [("tokens", "zero_tokens", "hook_embed"), ("positions", "zero_positions", "hook_pos_embed")]
        found += [(f"MLP {layer}", f"zero_mlp:{layer}", f"blocks.{layer}.hook_mlp_out") for layer in range(self.layer)]
        found = [(name, edit, self.score(self.hooks[hook], reads)) for name, edit, hook in found]
        written = sum((self.weights[f"h.{layer}.attn.c_proj.bias"] for layer in range(self.layer)), np.zeros(self.model.d))
        own = self.weights[f"h.{self.layer}.ln_1.bias"] @ reads + bias
        everywhere = np.ones((len(self.tokens), 1))
        return [*found, ("biases", "", self.score(everywhere * written, reads) + self.share(everywhere * own))]

    def random_strongest(self):
        """The largest contribution of an earlier head to a head of random weights, by seed."""
        reads = self.reader()[0]
        drawn = (normals(np.random.default_rng(seed), reads.size).reshape(reads.shape) for seed in range(1, 21))
        return np.array([self.by_head(reads.mean() + reads.std() * one).max() for one in drawn])

    def without(self, edit):
        """What the lead loses in a run with one more edit, with the head's own values on the other side; and the attention then."""
        _, q, k, pattern = self.run([*self.edits, edit])
        return self.lead - self.share(k if self.keys_move else q), self.attention(pattern)


def layer_of(weights, params):
    return weights.layers - 1 if params["layer"] < 0 else params["layer"]


def of_weights(weights, params):
    """The compositions, for which no text runs."""
    model, layer = Heads(weights, weights.heads), layer_of(weights, params)
    found = {"layer": layer, "random_composition": random_composition(model)}
    found["random_mean"] = found["random_composition"].mean()
    found.update({f"{which}_composition": composition(model, layer, params["head"], which) for which in "kqv"})
    found["readers"] = len(readers_of(weights, params))
    found["readers_composition"] = readers_composition(model, weights, params)
    found["random_readers"] = random_readers(model, found["readers"])
    found["random_readers_mean"] = found["random_readers"].mean()
    if np.isfinite(found["readers_composition"]).any():
        found["readers_largest"] = np.nanmax(found["readers_composition"])
    if layer > 0:
        own = found["k_composition" if params["through"] == "keys" else "q_composition"]
        found.update(composition=own.max(), mean_composition=own.mean())
    return found


def of_text(question):
    """Contributions along the direct path, and what the head loses without each of the others."""
    found = {"lead": question.lead, "attention": question.attention(question.pattern), "queries": sum(map(bool, question.keys))}
    n, causal = len(question.tokens), question.causal
    found["even_attention"] = np.mean([len(keys) / seen_by(i, n, causal) for i, keys in enumerate(question.keys) if keys])
    shape, parts = (question.layer, question.model.heads), question.parts()
    added = found["contribution"] = question.by_head(question.reader()[0])
    sums = [part for _, _, part in parts]
    rest = question.lead - added.sum() - sum(sums)  # what edits of the residual stream add
    found["part"] = np.array([*sums, *([rest] if question.edits else [])])
    found["part_ablated"] = np.array([question.without(edit)[0] if edit else np.nan for _, edit, _ in parts] + [np.nan] * bool(question.edits))
    if not question.edits:
        found["residual_error"] = abs(rest) / max(np.abs(added).max(initial=0), np.abs(sums).max())
    if question.layer > 0:
        heads = [question.without(f"ablate_head:{layer}.{head}") for layer in range(shape[0]) for head in range(shape[1])]
        ablated, attention = np.array(heads).T.reshape(2, *shape)
        at = np.unravel_index(added.argmax(), shape)
        found.update(ablated=ablated, attention_without=attention, random_strongest=question.random_strongest())
        found.update(strongest=added[at], strongest_removed=ablated[at], strongest_attention=attention[at])
        found["agreement"] = np.corrcoef(added.ravel(), ablated.ravel())[0, 1]
    return found


def numbers(weights, params, tokens, edits):
    found = of_weights(weights, params)
    if tokens:
        question = Question(weights, params, tokens, edits)
        if any(question.keys):
            found.update(of_text(question))
    return found
