"""attention_sink against numpy: the term by dimension, its chance level and the removals, on the bundled model and on GPT-2 small's tensors."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited, normals
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from position_helix_test import real_model
    from studies.attention_sink import layers_of


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "attention_sink", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


def terms(tensors, layers, heads):
    """|b_Q W_Kᵀ| by dimension, mean over layers and heads; raw, and with the gain."""
    d = len(tensors["h.0.ln_1.weight"])
    size = d // heads
    raw, gain = [], []
    for layer in layers:
        w, b = tensors[f"h.{layer}.attn.c_attn.weight"][:, d : 2 * d], tensors[f"h.{layer}.attn.c_attn.bias"][:d]
        for h in range(heads):
            at = slice(h * size, (h + 1) * size)
            raw.append(np.abs(w[:, at] @ b[at]))
            gain.append(np.abs(w[:, at] @ b[at] * tensors[f"h.{layer}.ln_1.weight"]))
    return np.mean(raw, 0), np.mean(gain, 0)


def ratio(term, chosen=None):
    chosen = np.argsort(-term, kind="stable")[:3] if chosen is None else chosen
    return term[chosen].mean() / np.delete(term, chosen).mean()


def random_term(tensors, layers, heads, seed):
    """The law of |b_Q W_Kᵀ| for a normal W_K: each entry is normal itself."""
    rng = np.random.default_rng(seed)
    d = len(tensors["h.0.ln_1.weight"])
    size = d // heads
    out = []
    for layer in layers:
        w, b = tensors[f"h.{layer}.attn.c_attn.weight"][:, d : 2 * d], tensors[f"h.{layer}.attn.c_attn.bias"][:d]
        for h in range(heads):
            own = b[h * size : (h + 1) * size]
            out.append(np.abs(w.mean() * own.sum() + w.std() * np.linalg.norm(own) * normals(rng, d)))
    return np.mean(out, 0)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class AttentionSinkTest(unittest.TestCase):
    def check_term(self, tensors, layers, heads, scalars, arrays, chosen=None):
        raw, gain = terms(tensors, layers, heads)
        np.testing.assert_allclose(arrays["bias_term"], raw, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(arrays["bias_term_gain"], gain, rtol=1e-6, atol=1e-9)
        there = np.argsort(-raw, kind="stable")[:3] if chosen is None else np.array(chosen)
        np.testing.assert_array_equal(arrays["dimension"], there)
        self.assertAlmostEqual(scalars["ratio"], ratio(raw, there), places=5)
        self.assertAlmostEqual(scalars["ratio_gain"], ratio(gain, there), places=5)
        for seed in (1, 7, 20):
            self.assertAlmostEqual(arrays["random_ratios"][seed - 1], ratio(random_term(tensors, layers, heads, seed), chosen), places=5)

    def test_the_bundled_model(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        heads, count = config["n_head"], config["n_layer"]
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]][:40]
        _, scalars, arrays = run(MINIHELIX, "--tokens", ",".join(map(str, tokens)), without="mlp")
        layers = layers_of(count)
        self.check_term(tensors, layers, heads, scalars, arrays)
        every = [[], [f"zero_bias:q:{l}" for l in range(count)], [f"zero_bias:k:{l}" for l in range(count)], ["replace_position:0:1"], ["zero_mlp:0"], ["zero_positions"], ["zero_tokens"]]
        from_query = max(len(tokens) // 2, 1)
        for i, edits in enumerate(every):
            hooks, _ = Edited(tensors, heads, edits).run(tokens)
            by_layer = np.array([hooks[f"blocks.{l}.attn.hook_pattern"][:, from_query:, 0].mean() for l in range(count)])
            self.assertAlmostEqual(arrays["removed"][i], by_layer[list(layers)].mean(), delta=1e-4, msg=str(edits))
            if i in (0, 4):
                np.testing.assert_allclose(arrays["by_layer" if i == 0 else "without_by_layer"], by_layer, atol=1e-4)
        self.assertAlmostEqual(arrays["share"][2], 1, delta=1e-5, msg="the keys' bias changes no pattern")
        self.assertAlmostEqual(scalars["even"], np.mean([1 / (i + 1) for i in range(from_query, len(tokens))]), places=9)

    @unittest.skipIf(np is not None and real_model() is None, "GPT-2 small is not at hand")
    def test_the_real_weights(self):
        file = next(real_model().glob("*.safetensors"))
        tensors = {name: t for name, t in read_tensors(file).items() if name.startswith("h.")}
        document, scalars, arrays = run(file, dimensions="138,378,447")
        self.check_term(tensors, range(3, 11), 12, scalars, arrays, [138, 378, 447])
        self.assertAlmostEqual(scalars["chosen"], 1.3695, delta=5e-5)
        self.assertAlmostEqual(scalars["others"], 0.1757, delta=5e-5)
        self.assertAlmostEqual(scalars["chosen_gain"], 0.1995, delta=5e-5)
        self.assertAlmostEqual(scalars["others_gain"], 0.0613, delta=5e-5)
        self.assertEqual({c["id"]: c["holds"] for c in document["claims"]}, {"SINK-chosen": True, "SINK-others": True})


if __name__ == "__main__":
    unittest.main()
