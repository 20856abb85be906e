"""The forward pass against numpy: every hook of every layer and all logits, on models of many shapes and one of full width."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
RELATIVE = 1e-4  # of the largest entry of a hook
LOGITS = 2e-3

# layers, width, heads, context, vocabulary, tied, spread
SHAPES = {
    "odd width": (3, 35, 5, 40, 61, True, 0.3),
    "one head": (1, 24, 1, 16, 50, True, 0.3),
    "three layers, short context": (3, 64, 4, 8, 97, True, 0.2),
    "a head of its own": (2, 48, 3, 30, 77, False, 0.2),
    "full width": (2, 768, 12, 256, 50257, True, 0.02),
}


def helixscope(*arguments):
    done = subprocess.run([CLI, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def some_tokens(count, vocabulary):
    return [(i * 7919 + 3) % vocabulary for i in range(count)]


@unittest.skipIf(np is None, "numpy is not installed")
class ForwardTest(unittest.TestCase):
    def check_shape(self, layers, width, heads, context, vocabulary, tied, spread):
        tensors, config = random_checkpoint(layers, width, heads, context, vocabulary, spread=spread, tied=tied)
        tokens = some_tokens(min(context, 48), vocabulary)
        hooks, logits = Reference(tensors, heads).run(tokens)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            ids = ",".join(map(str, tokens))
            names = [argument for name in hooks for argument in ("--hook", name)]
            helixscope("capture", "--model", folder, "--tokens", ids, *names, "--npz", f"{folder}/hooks.npz")
            helixscope("logits", "--model", folder, "--tokens", ids, "--npy", f"{folder}/logits.npy")
            here = np.load(f"{folder}/logits.npy")
            self.assertEqual(here.shape, logits.shape)
            self.assertLessEqual(np.abs(here - logits).max(), LOGITS)
            with np.load(f"{folder}/hooks.npz") as captured:
                for name, there in hooks.items():
                    with self.subTest(hook=name):
                        self.compare(captured[name], there)

    def compare(self, here, there):
        self.assertEqual(here.shape, there.shape)
        finite = np.isfinite(there)
        self.assertTrue((np.isneginf(here) == np.isneginf(there)).all())
        difference = np.abs(here[finite] - there[finite]).max()
        self.assertLessEqual(difference, RELATIVE * np.abs(there[finite]).max())

    def test_shapes(self):
        for name, shape in SHAPES.items():
            with self.subTest(model=name):
                self.check_shape(*shape)

    def test_predictions_and_edits(self):
        tensors, config = random_checkpoint(3, 32, 4, 20, 90, spread=0.4)
        tokens = some_tokens(15, 90)
        ids = ",".join(map(str, tokens))
        reference = Reference(tensors, 4)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for edits, zero in (([], []), (["--edit", "ablate_head:1.2", "--edit", "ablate_head:2.0"], [(1, 2), (2, 0)])):
                _, logits = reference.run(tokens, zero)
                result = json.loads(helixscope("run", "predictions", "--model", folder, "--tokens", ids, "--json", *edits))
                last = np.exp(logits[-1] - logits[-1].max())
                last /= last.sum()
                order = np.argsort(-last)[:10]
                self.assertEqual(result["arrays"]["token"]["data"], order.tolist())
                np.testing.assert_allclose(result["arrays"]["probability"]["data"], last[order], rtol=1e-4)
                self.assertAlmostEqual(result["scalars"]["entropy_nats"]["value"], -(last * np.log(last)).sum(), places=4)
                self.assertAlmostEqual(result["scalars"]["entropy_bits"]["value"], -(last * np.log2(last)).sum(), places=4)

    def test_attention(self):
        tensors, config = random_checkpoint(2, 32, 4, 60, 90, spread=0.4)
        tokens = some_tokens(50, 90)
        hooks, _ = Reference(tensors, 4).run(tokens)
        stages = {"pattern": "hook_pattern", "scores": "hook_scores_raw", "masked": "hook_attn_scores"}
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for stage, hook in stages.items():
                result = json.loads(helixscope("run", "attention", "--model", folder, "--tokens", ",".join(map(str, tokens)), "--set", "layer=1", "--set", "head=3", "--set", f"stage={stage}", "--json"))
                array = result["arrays"]["pattern"]
                here = np.array([float(x) for x in array["data"]]).reshape(array["shape"])
                self.compare(here, hooks[f"blocks.1.attn.{hook}"][3])
                pattern = hooks["blocks.1.attn.hook_pattern"][3]
                self.assertAlmostEqual(result["scalars"]["previous"]["value"], np.diagonal(pattern, -1).mean(), places=5)
                # The first row is left out: the first token can only attend to itself, whatever the head does.
                self.assertAlmostEqual(result["scalars"]["self"]["value"], np.diagonal(pattern)[1:].mean(), places=5)
                # Of the second token the first one is the previous one, too.
                self.assertAlmostEqual(result["scalars"]["first"]["value"], pattern[1:, 0].mean(), places=5)
                self.check_glance(result, hooks)

    def check_glance(self, result, hooks):
        """All heads, the largest entry of each cell."""
        heads, pool = result["arrays"]["heads"], int(result["scalars"]["pooled"]["value"])
        here = np.array(heads["data"]).reshape(heads["shape"])
        for layer in range(2):
            pattern = hooks[f"blocks.{layer}.attn.hook_pattern"]
            cells = here.shape[2]
            padded = np.zeros((4, cells * pool, cells * pool))
            padded[:, :50, :50] = pattern
            most = padded.reshape(4, cells, pool, cells, pool).max((2, 4))
            np.testing.assert_allclose(here[layer], most, atol=1e-5)


if __name__ == "__main__":
    unittest.main()
