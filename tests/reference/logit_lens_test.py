"""logit_lens against numpy: every layer's readout under every norm, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors

EPSILON = 1e-5


def centred(rows):
    return rows - rows.mean(-1, keepdims=True)


def scale(rows):
    return np.sqrt((centred(rows) ** 2).mean(-1, keepdims=True) + EPSILON)


def readouts(hooks, tensors, norm):
    """Log-probabilities [layer, position, token] of each layer's residual stream."""
    gain, shift = (np.asarray(tensors[f"ln_f.{name}"], np.float64) for name in ("weight", "bias"))
    layers = max(int(name.split(".")[1]) for name in hooks if name.startswith("blocks.")) + 1
    rows = [hooks[f"blocks.{layer}.hook_resid_pre"] for layer in range(layers)] + [hooks[f"blocks.{layers - 1}.hook_resid_post"]]
    rows = np.stack([np.asarray(row, np.float64).reshape(-1, len(gain)) for row in rows])
    once = lambda x: centred(x) / scale(x) * gain + shift
    rows = {"none": lambda x: x, "once": once, "twice": lambda x: once(once(x)), "frozen": lambda x: centred(x) / scale(rows[-1]) * gain + shift}[norm](rows)
    logits = rows @ np.asarray(tensors["wte.weight"], np.float64).T
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


@unittest.skipIf(np is None, "numpy is not installed")
class LogitLensTest(unittest.TestCase):
    def check(self, folder, tensors, heads, tokens, norm, position):
        hooks, _ = Reference(tensors, heads).run(tokens)
        log_p = readouts(hooks, tensors, norm)
        p = np.exp(log_p)
        entropy = -(p * np.where(p > 0, log_p, 0)).sum(-1)
        ids = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "logit_lens", "--model", folder, "--tokens", ids, "--set", f"norm={norm}", "--set", f"position={position}", "--json"))
        here = {name: np.array(array["data"]).reshape(array["shape"]) for name, array in document["arrays"].items()}
        np.testing.assert_allclose(here["entropy"], entropy, atol=2e-3)
        two = np.sort(p, axis=-1)[..., -2:]
        np.testing.assert_allclose(here["probability"], two[..., 1], atol=1e-3)
        clear = two[..., 1] - two[..., 0] > 4e-3
        self.assertGreater(clear.mean(), 0.3)
        np.testing.assert_array_equal(here["top"][clear], p.argmax(-1)[clear])
        scalar = {name: value["value"] for name, value in document["scalars"].items()}
        at = position if position >= 0 else len(tokens) - 1
        self.assertAlmostEqual(scalar["entropy_nats"], entropy[-1, at], delta=2e-3)
        self.assertAlmostEqual(scalar["entropy_bits"], entropy[-1, at] / np.log(2), delta=3e-3)
        self.assertAlmostEqual(scalar["mean_entropy_nats"], entropy[-1].mean(), delta=2e-3)
        same = here["top"][:, at] == here["top"][-1, at]
        self.assertEqual(scalar["from_layer"], len(same) - np.argmin(np.append(same[::-1], False)))

    def test_the_bundled_model(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]][:40]
        for norm, position in (("once", -1), ("none", 3), ("twice", 10), ("frozen", -1)):
            with self.subTest(norm=norm):
                self.check(MINIHELIX, tensors, config["n_head"], tokens, norm, position)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for norm in ("once", "none", "twice", "frozen"):
                with self.subTest(norm=norm):
                    self.check(folder, tensors, 4, some_tokens(20, 97), norm, 5)


if __name__ == "__main__":
    unittest.main()
