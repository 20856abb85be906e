"""qk_symmetry against matrices that numpy forms: random weights, the bundled model, and GPT-2 small's attention weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    import exported  # noqa: F401
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors
    from position_helix_test import real_model
    from studies.qk_symmetry import distance


def heads_of(tensors, heads, gain):
    """W_Q and W_K of every head, layer after layer."""
    layer = 0
    while f"h.{layer}.attn.c_attn.weight" in tensors:
        w = tensors[f"h.{layer}.attn.c_attn.weight"]
        w = w * tensors[f"h.{layer}.ln_1.weight"][:, None] if gain else w
        q, k, _ = np.split(w, 3, axis=1)
        yield from zip(np.split(q, heads, axis=1), np.split(k, heads, axis=1))
        layer += 1


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "qk_symmetry", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    return document, scalars, {name: np.array([float(x) for x in entry["data"]]) for name, entry in document["arrays"].items()}


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Symmetry(unittest.TestCase):
    def check(self, folder, tensors, heads, gain=0, centre=0):
        words = tensors["wte.weight"]
        words = words - words.mean(0) if centre else words
        values, axes = np.linalg.eigh(words.T @ words)
        half = axes * np.sqrt(np.maximum(values, 0)) @ axes.T  # X M Xᵀ and half M half have the same norms and products
        _, scalars, arrays = run(folder, identity=1, gain=gain, centre=centre)
        for i, (q, k) in enumerate(heads_of(tensors, heads, gain)):
            m = q @ k.T
            self.assertAlmostEqual(arrays["by_head"][i], distance(m, m.T), delta=1e-7)
            plain, scores = half @ half, half @ m @ half
            scores *= np.linalg.norm(plain) / np.linalg.norm(scores)
            self.assertAlmostEqual(arrays["by_head_identity"][i], distance(plain, scores), delta=1e-6)
            for c in (0.5, 0.9, 1.1, 2):
                self.assertLess(arrays["by_head_identity"][i], distance(plain, c * scores) + 1e-9)
        size = words.shape[1] // heads
        best = (axes[:, -size:] * values[-size:]) @ axes[:, -size:].T
        best *= np.linalg.norm(plain) / np.linalg.norm(best)
        self.assertAlmostEqual(scalars["bound_identity"], distance(plain, best), delta=1e-6)
        self.assertAlmostEqual(scalars["mean_transpose"], arrays["by_head"].mean(), delta=1e-12)
        self.assertAlmostEqual(scalars["random_transpose"], np.sqrt(2) - 1, delta=0.01)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 96, 1500, spread=0.2)
        tensors["wte.weight"] += np.linspace(0, 0.3, 48).astype("<f4")
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for gain, centre in ((0, 0), (1, 0), (0, 1)):
                with self.subTest(gain=gain, centre=centre):
                    self.check(folder, {name: array.astype(float) for name, array in tensors.items()}, 3, gain, centre)

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        self.check(MINIHELIX, read_tensors(MINIHELIX / "model.safetensors"), heads)

    def test_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        tensors = read_tensors(next(folder.glob("*.safetensors")))
        document, scalars, arrays = run(folder, identity=1)
        wanted = [distance(q @ k.T, k @ q.T) for q, k in heads_of(tensors, 12, False)]
        np.testing.assert_allclose(arrays["by_head"], wanted, atol=1e-7)
        self.assertAlmostEqual(scalars["mean_transpose"], 0.4034, delta=5e-5)
        self.assertEqual(np.argmin(arrays["by_head"]), 5)  # head 0.5
        if "wte.weight" not in tensors:
            self.assertEqual(document["scalars"]["distance_identity"]["note"], "needs wte.weight")
            self.assertEqual(document["claims"][0]["needs"], ["wte.weight"])


if __name__ == "__main__":
    unittest.main()
