"""head_sources against numpy: contributions along the direct path, removals by edited passes, and the composition of weights, on the bundled model, on random weights and on GPT-2 small's tensors."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited, normals
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors
    from position_helix_test import real_model
    from studies.head_sources import pair_weights, targets

REPEATS = " river stone window captain letter green horse summer river stone window captain letter green horse summer"
SEEDS = range(1, 21)


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "head_sources", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


class Model:
    def __init__(self, tensors, heads):
        self.w = {name: np.asarray(tensor, np.float64) for name, tensor in tensors.items()}
        self.heads = heads
        self.d = len(self.w["h.0.ln_1.weight"])
        self.size = self.d // heads

    def part(self, layer, which, head):
        """W and b of a head's q, k or v."""
        at = slice("qkv".index(which) * self.d + head * self.size, "qkv".index(which) * self.d + (head + 1) * self.size)
        return self.w[f"h.{layer}.attn.c_attn.weight"][:, at], self.w[f"h.{layer}.attn.c_attn.bias"][at]

    def out(self, layer, head):
        return self.w[f"h.{layer}.attn.c_proj.weight"][head * self.size : (head + 1) * self.size]

    def composition(self, layer, head, which):
        reads = self.part(layer, which, head)[0]
        ratio = np.empty((layer, self.heads))
        for l in range(layer):
            for h in range(self.heads):
                ov = self.part(l, "v", h)[0] @ self.out(l, h)
                ratio[l, h] = np.linalg.norm(ov @ reads) / np.linalg.norm(ov) / np.linalg.norm(reads)
        return ratio

    def random_composition(self):
        out = []
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            v, o, w = (normals(rng, self.size * self.d).reshape(self.size, self.d) for _ in range(3))
            ov = v.T @ o
            out.append(np.linalg.norm(ov @ w.T) / np.linalg.norm(ov) / np.linalg.norm(w))
        return out


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class HeadSourcesTest(unittest.TestCase):
    def check(self, folder, model, tokens, layer, head, through, kind):
        document, scalars, arrays = run(folder, "--tokens", ",".join(map(str, tokens)), layer=layer, head=head, through=through, target=kind)
        tensors = model.w
        hooks, _ = Edited(tensors, model.heads, []).run(tokens)
        block = f"blocks.{layer}."
        q, k = (np.asarray(hooks[block + f"attn.hook_{name}"])[:, head] for name in "qk")
        pattern = hooks[block + "attn.hook_pattern"][head]
        keys = targets(kind, tokens, pattern)
        pairs = pair_weights(keys)
        lead = (pairs * (q @ k.T)).sum() / np.sqrt(model.size)
        self.assertAlmostEqual(scalars["lead"], lead, delta=1e-3)

        gain = model.w[f"h.{layer}.ln_1.weight"]
        which = "k" if through == "keys" else "q"
        reads = model.part(layer, which, head)[0]
        scale = hooks[block + "ln1.hook_scale"]

        def score(rows):
            """The lead of rows of the residual stream, the other side held, without any bias."""
            mine = (rows - rows.mean(-1, keepdims=True)) / scale * gain @ reads
            return (pairs * (q @ mine.T if through == "keys" else mine @ k.T)).sum() / np.sqrt(model.size)

        results = [hooks[f"blocks.{l}.attn.hook_result"] for l in range(layer)]
        added = np.array([[score(r[:, h]) for h in range(model.heads)] for r in results]).reshape(layer, model.heads)
        limit = 1e-3 * max(1, np.abs(added).max())
        np.testing.assert_allclose(arrays["contribution"], added, atol=limit)
        parts = dict(zip(document["words"]["parts"]["data"], arrays["part"]))
        self.assertAlmostEqual(parts["tokens"], score(hooks["hook_embed"]), delta=limit)
        self.assertAlmostEqual(parts["positions"], score(hooks["hook_pos_embed"]), delta=limit)
        for l in range(layer):
            self.assertAlmostEqual(parts[f"MLP {l}"], score(hooks[f"blocks.{l}.hook_mlp_out"]), delta=limit)
        largest = max(np.abs(added).max(), np.abs(arrays["part"]).max())
        self.assertLess(abs(arrays["contribution"].sum() + arrays["part"].sum() - scalars["lead"]), 1e-4 * largest)
        self.assertLess(scalars["residual_error"], 1e-4)

        def lost(edit):
            hooks, _ = Edited(tensors, model.heads, [edit]).run(tokens)
            there_q, there_k = (np.asarray(hooks[block + f"attn.hook_{name}"])[:, head] for name in "qk")
            now = q @ there_k.T if through == "keys" else there_q @ k.T
            attention = np.mean([hooks[block + "attn.hook_pattern"][head][i, j].sum() for i, j in enumerate(keys) if j])
            return lead - (pairs * now).sum() / np.sqrt(model.size), attention

        for l, h in {(0, 0), (layer - 1, model.heads - 1), np.unravel_index(added.argmax(), added.shape)}:
            there, attention = lost(f"ablate_head:{l}.{h}")
            self.assertAlmostEqual(arrays["ablated"][l, h], there, delta=1e-3 * max(1, abs(there)))
            self.assertAlmostEqual(arrays["attention_without"][l, h], attention, delta=1e-3)
        self.assertAlmostEqual(arrays["part_ablated"][0], lost("zero_tokens")[0], delta=5e-3)
        self.assertAlmostEqual(scalars["agreement"], np.corrcoef(added.ravel(), arrays["ablated"].ravel())[0, 1], delta=1e-3)
        self.assertEqual(arrays["random_strongest"].shape, (20,))
        self.check_chance(model, layer, head, which, gain, results, score, reads, arrays)
        self.check_weights(model, layer, head, arrays)
        return scalars, arrays

    def check_chance(self, model, layer, head, which, gain, results, score, reads, arrays):
        for seed in (1, 20):
            kept = reads.copy()
            reads[:] = reads.mean() + reads.std() * normals(np.random.default_rng(seed), reads.size).reshape(reads.shape)
            most = max(score(r[:, h]) for r in results for h in range(model.heads))
            reads[:] = kept
            self.assertAlmostEqual(arrays["random_strongest"][seed - 1], most, delta=1e-3 * max(1, most))

    def check_weights(self, model, layer, head, arrays):
        for which in "kqv":
            np.testing.assert_allclose(arrays[f"{which}_composition"], model.composition(layer, head, which), atol=1e-6)
        np.testing.assert_allclose(arrays["random_composition"], model.random_composition(), atol=1e-9)

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        model = Model(read_tensors(MINIHELIX / "model.safetensors"), heads)
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", REPEATS, "--json"))["tokens"]]
        scalars, arrays = self.check(MINIHELIX, model, tokens, 5, 0, "keys", "induction")
        self.assertEqual(np.unravel_index(arrays["contribution"].argmax(), arrays["contribution"].shape), (4, 4), "the previous-token head feeds the induction head")
        self.assertGreater(scalars["strongest"], arrays["random_strongest"].max())
        self.check(MINIHELIX, model, tokens, 4, 4, "queries", "previous")

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for through, kind in (("keys", "most"), ("queries", "first"), ("keys", "self")):
                with self.subTest(through=through, target=kind):
                    self.check(folder, Model(tensors, 4), some_tokens(20, 97), 2, 1, through, kind)

    def test_the_real_weights(self):
        folder = real_model()
        if not folder:
            self.skipTest("the weights are not here (HELIXSCOPE_MODELS names their folders)")
        file = next(folder.glob("*.safetensors"))
        tensors = read_tensors(file)
        model = Model({name: t for name, t in tensors.items() if name.startswith("h.")}, 12)
        for layer, head, stated in ((5, 5, 0.096), (5, 1, 0.101), (6, 9, 0.101)):
            document, scalars, arrays = run(file, layer=layer, head=head)
            self.check_weights(model, layer, head, arrays)
            self.assertEqual(np.unravel_index(arrays["k_composition"].argmax(), (layer, 12)), (4, 11))
            self.assertAlmostEqual(scalars["composition"], stated, delta=0.0005)
            self.assertLess(arrays["random_composition"].max(), 0.04)
            claim = next(c for c in document["claims"] if c["id"] == f"T13-{layer}.{head}")
            self.assertTrue(claim["holds"])
            self.assertTrue(np.isnan(scalars["lead"]))


if __name__ == "__main__":
    unittest.main()
