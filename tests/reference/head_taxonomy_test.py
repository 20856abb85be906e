"""head_taxonomy against the forward pass in numpy: the diagonals of every head, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    import exported  # noqa: F401
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from studies import head_taxonomy
    from studies.head_taxonomy import mean_diagonals

ALIKE = 2e-5  # tolerance for means of attention, which is computed in float32


@unittest.skipIf(np is None, "numpy is not installed")
class HeadTaxonomyTest(unittest.TestCase):
    def check(self, folder, tensors, heads, tokens, shortest):
        hooks, _ = Reference(tensors, heads).run(tokens)
        layers = max(int(name.split(".")[1]) for name in hooks if name.startswith("blocks.")) + 1
        wanted = mean_diagonals([hooks[f"blocks.{layer}.attn.hook_pattern"] for layer in range(layers)], shortest)
        ids = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "head_taxonomy", "--model", folder, "--tokens", ids, "--set", f"min_length={shortest}", "--json"))
        here = {name: np.array([float("nan" if x is None else x) for x in array["data"]]).reshape(array["shape"]) for name, array in document["arrays"].items()}
        np.testing.assert_allclose(here["mean_diagonal"], wanted, atol=ALIKE)
        ordered = np.sort(wanted, axis=-1)
        np.testing.assert_allclose(here["ratio"], ordered[..., -2] / ordered[..., -1], atol=2e-3)
        np.testing.assert_allclose(here["previous"], wanted[..., 1], atol=ALIKE)
        clear = ordered[..., -1] - ordered[..., -2] > 4 * ALIKE
        self.assertGreater(clear.mean(), 0.5)
        np.testing.assert_array_equal(here["argmax_lag"][clear], wanted.argmax(-1)[clear])
        self.assertEqual(document["scalars"]["previous_token_heads"]["value"], (here["argmax_lag"] == 1).sum())
        self.assertEqual(document["scalars"]["heads"]["value"], layers * heads)
        even = np.tril(np.ones((len(tokens), len(tokens)))) / np.arange(1, len(tokens) + 1)[:, None]
        np.testing.assert_allclose(here["even"], mean_diagonals([even[None]], shortest)[0, 0], atol=1e-12)
        self.check_metrics(here, [hooks[f"blocks.{layer}.attn.hook_pattern"] for layer in range(layers)], even, tokens)
        return here

    def check_metrics(self, here, patterns, even, tokens):
        """What each head gives the token itself, the first one, the same one earlier and what followed it; and its entropy."""
        same = [[j for j in range(i) if tokens[j] == tokens[i]] for i in range(len(tokens))]

        def metrics(pattern):
            rows = range(1, len(tokens))
            after = [(i, [j + 1 for j in same[i] if j + 1 < i]) for i in rows]
            bits = [-(p[p > 0] * np.log2(p[p > 0])).sum() for p in pattern[1:]]
            mean = lambda values: np.mean(values) if values else np.nan
            return {
                "self": mean([pattern[i, i] for i in rows]),
                "first": mean([pattern[i, 0] for i in rows]),
                "induction": mean([pattern[i, keys].sum() for i, keys in after if keys]),
                "duplicate": mean([pattern[i, same[i]].sum() for i in rows if same[i]]),
                "entropy": mean(bits),
            }

        level = metrics(even)
        for layer, heads in enumerate(patterns):
            for head, pattern in enumerate(heads):
                for name, value in metrics(pattern).items():
                    np.testing.assert_allclose(here[name][layer, head], value, atol=1e-4, err_msg=name)
        for k, name in enumerate(("self", "first", "induction", "duplicate", "entropy")):
            np.testing.assert_allclose(here["level"][k + 1], level[name], atol=1e-5)

    def test_the_bundled_model_has_a_head_that_looks_back(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [config["eos_token_id"], *(token["id"] for token in text["tokens"])]
        for shortest in (1, 20):
            with self.subTest(shortest=shortest):
                here = self.check(MINIHELIX, tensors, config["n_head"], tokens, shortest)
        best = np.unravel_index(here["previous"].argmax(), here["previous"].shape)
        self.assertEqual(here["argmax_lag"][best], 1)
        self.assertLess(here["ratio"][best], 0.5)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, tensors, 4, some_tokens(60, 97), 5)
            self.check(folder, tensors, 4, some_tokens(25, 97) + some_tokens(25, 97), 5)

    def in_windows(self, folder, tokens, *settings, bos=False):
        """A text longer than a window, against the exported script; the windows' own numbers against their mean."""
        given = [part for setting in settings for part in ("--set", setting)] + (["--bos"] if bos else [])
        text = ",".join(map(str, tokens))
        document = json.loads(helixscope("run", "head_taxonomy", "--model", folder, "--tokens", text, *given, "--json"))
        self.assertEqual(exported.disagreements(document, head_taxonomy, folder, bos), [])
        here = {name: np.array([float("nan" if x is None else x) for x in array["data"]]).reshape(array["shape"]) for name, array in document["arrays"].items()}
        for low, mean, high in (("diagonal_least", "mean_diagonal", "diagonal_most"),):
            self.assertTrue((here[low] <= here[mean] + 1e-6).all() and (here[mean] <= here[high] + 1e-6).all())
            self.assertGreater((here[high] - here[low]).max(), 0.01)
        for k, name in enumerate(head_taxonomy.METRICS):
            known = np.isfinite(here[name])
            self.assertTrue((here["least"][k][known] <= here[name][known] + 1e-6).all(), name)
            self.assertTrue((here[name][known] <= here["most"][k][known] + 1e-6).all(), name)
        return document, here

    def test_a_text_longer_than_the_context_runs_in_windows(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            tokens = some_tokens(60, 97) + some_tokens(60, 97)[::-1] + some_tokens(37, 97)
            document, here = self.in_windows(folder, tokens)
            self.assertEqual([document["scalars"][name]["value"] for name in ("windows", "window")], [3, 60])
            self.assertEqual(len(document["tokens"]), 157)
            parts = [Reference(tensors, 4).run(part)[0] for part in (tokens[:60], tokens[60:120], tokens[-60:])]
            each = np.array([mean_diagonals([hooks[f"blocks.{layer}.attn.hook_pattern"] for layer in range(3)], 1) for hooks in parts])
            np.testing.assert_allclose(here["mean_diagonal"], each.mean(0), atol=ALIKE)
            np.testing.assert_allclose(here["diagonal_least"], each.min(0), atol=ALIKE)
            np.testing.assert_allclose(here["diagonal_most"], each.max(0), atol=ALIKE)
            self.in_windows(folder, tokens, "window=20", "min_length=3", "first_lag=0", "last_lag=5")

    def test_windows_of_the_bundled_model(self):
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT * 3, "--json"))
        tokens = [token["id"] for token in text["tokens"]]
        document, _ = self.in_windows(MINIHELIX, tokens, "window=50", bos=True)
        self.assertGreater(document["scalars"]["windows"]["value"], 2)
