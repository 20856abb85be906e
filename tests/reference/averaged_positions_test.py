"""averaged_positions against numpy: loss, copying, attention to the token before and the counter-test, by edited passes."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors

SIZES, EVERY, COPIED = (1, 5, 20), 5, 50


def log_p(logits):
    logits = np.asarray(logits, np.float64)
    logits = logits - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def random_order(count):
    rng, order = np.random.default_rng(1), list(range(count))
    for i in range(count - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


def loss(logits, tokens):
    return -log_p(logits)[np.arange(len(tokens) - 1), tokens[1:]]


def previous(hooks, layers, queries):
    """Mean attention to the token before, [layer, head]."""
    patterns = [np.asarray(hooks[f"blocks.{layer}.attn.hook_pattern"], np.float64) for layer in range(layers)]
    return np.array([[head[queries, queries - 1].mean() for head in pattern] for pattern in patterns])


@unittest.skipIf(np is None, "numpy is not installed")
class AveragedPositionsTest(unittest.TestCase):
    def run_study(self, folder, tokens, *options):
        settings = [f"groups={','.join(map(str, SIZES))}", "group=5", "text=prompt", f"every={EVERY}", *options]
        sets = [part for setting in settings for part in ("--set", setting)]
        document = json.loads(helixscope("run", "averaged_positions", "--model", folder, "--tokens", ",".join(map(str, tokens)), *sets, "--json"))
        arrays = {name: np.array(a["data"], float).reshape(a["shape"]) for name, a in document["arrays"].items()}
        return {name: s["value"] for name, s in document["scalars"].items()}, arrays

    def check(self, folder, tensors, heads, tokens, edit, *options, **known):
        scalars, arrays = self.run_study(folder, tokens, *options)
        tokens = np.array(tokens)
        layers = arrays["previous"].shape[1]
        queries = np.arange(2, len(tokens))
        copied = random_order(len(tensors["wte.weight"]))[: min(COPIED, len(tensors["wpe.weight"]) // 2)]
        twice = np.array(copied * 2)
        runs = {}
        for size in (*SIZES, 0):
            edits = [] if size == 1 else [edit.format(size)] if size else ["zero_positions"]
            hooks, logits = Edited(tensors, heads, edits, **known).run(list(tokens))
            right = loss(Edited(tensors, heads, edits, **known).run(list(twice))[1], twice)[-(len(copied) - 1) :]
            runs[size] = loss(logits, tokens), previous(hooks, layers, queries), np.exp(-right).mean(), log_p(logits)[-1], hooks
        np.testing.assert_allclose(arrays["size"], SIZES)
        answer = runs[1][3].argmax()
        for i, size in enumerate(SIZES):
            self.assertAlmostEqual(arrays["loss"][i], runs[size][0].mean(), delta=1e-3)
            np.testing.assert_allclose(arrays["previous"][i], runs[size][1], atol=1e-3)
            self.assertAlmostEqual(arrays["copying"][i], runs[size][2], delta=1e-3)
            self.assertAlmostEqual(arrays["answer"][i], np.exp(runs[size][3][answer]), delta=1e-3)
        self.assertAlmostEqual(scalars["loss_none"], runs[0][0].mean(), delta=1e-3)
        np.testing.assert_allclose(arrays["previous_none"], runs[0][1], atol=1e-3)
        self.check_kept(scalars, arrays, runs)
        self.check_head(scalars, arrays, runs, tensors, heads, tokens, known)

    def check_kept(self, scalars, arrays, runs):
        difference = runs[0][0] - runs[1][0]
        clear = difference.mean() > 2 * difference.std() / np.sqrt(len(difference) - 1)
        self.assertEqual(bool(clear), bool(np.isfinite(arrays["loss_kept"]).all()))
        for i, size in enumerate(SIZES):
            if clear:
                left = (runs[0][0].mean() - runs[size][0].mean()) / difference.mean()
                self.assertAlmostEqual(arrays["loss_kept"][i], left, delta=5e-3 / difference.mean())

    def check_head(self, scalars, arrays, runs, tensors, heads, tokens, known):
        layer, head = int(scalars["layer"]), int(scalars["head"])
        np.testing.assert_allclose(arrays["head_previous"], arrays["previous"][:, layer, head])
        first, side = int(scalars["first_query"]), arrays["pattern"].shape[1]
        part = slice(first, first + side)
        for i, size in enumerate(SIZES):
            pattern = np.asarray(runs[size][4][f"blocks.{layer}.attn.hook_pattern"])[head, part, part]
            np.testing.assert_allclose(np.nan_to_num(arrays["pattern"][i]), np.tril(pattern), atol=2e-3)
        queries = np.arange(2, len(tokens))
        for depth in range(layer + 1):
            edits = [f"mask_previous:0-{depth - 1}:{EVERY}"] if depth else []
            hooks, _ = Edited(tensors, heads, edits, **known).run(list(tokens))
            for name, some in (("masked", queries[queries % EVERY == 0]), ("others", queries[queries % EVERY != 0])):
                self.assertAlmostEqual(arrays[name][depth], previous(hooks, layer + 1, some)[layer, head], delta=1e-3)

    def minihelix(self, count):
        config = json.loads((MINIHELIX / "config.json").read_text())
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        hello = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", "hello", "--json"))
        known = {"bos": config["bos_token_id"], "filler": hello["tokens"][0]["id"]}
        tokens = [token["id"] for token in text["tokens"]][:count]
        return read_tensors(MINIHELIX / "model.safetensors"), config["n_head"], tokens, known

    def test_the_bundled_model(self):
        tensors, heads, tokens, known = self.minihelix(120)
        self.check(MINIHELIX, tensors, heads, tokens, "group_positions:{}", **known)

    def test_before_a_layer(self):
        tensors, heads, tokens, known = self.minihelix(80)
        self.check(MINIHELIX, tensors, heads, tokens, "average_extended:3:{}", "averaged=extended", "before=3", **known)

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, tensors, 4, some_tokens(40, 97), "group_positions:{}")


if __name__ == "__main__":
    unittest.main()
