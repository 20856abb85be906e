"""position_share against numpy: the parts of every layer, their norms and ranks, the walks, and the table of GPT-2 small's positions."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import walk
    from forward_test import ROOT, helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors

SEEDS = 20


def squares(rows):
    return (rows**2).sum()


def norm(rows):
    return np.linalg.norm(rows.reshape(-1, rows.shape[-1]), 2)


def stable_rank(rows):
    values = np.linalg.svd(rows - rows.mean(0), compute_uv=False)
    return squares(values) / values[0] ** 2


def cosines(a, b):
    return (a @ b.T) / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)


@unittest.skipIf(np is None, "numpy is not installed")
class PositionShareTest(unittest.TestCase):
    def run_study(self, folder, tokens, **settings):
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        texts = ["--tokens", ",".join(map(str, tokens)), "--set", "text=prompt"] if tokens else []
        document = json.loads(helixscope("run", "position_share", "--model", folder, *texts, *options, "--json"))
        arrays = {name: np.array(a["data"], float).reshape(a["shape"]) for name, a in document["arrays"].items()}
        return {name: s["value"] for name, s in document["scalars"].items()}, arrays

    def streams(self, tensors, heads, windows, layers):
        """[layer, text, position, d_model], the end included."""
        names = [f"blocks.{layer}.hook_resid_pre" for layer in range(layers)] + [f"blocks.{layers - 1}.hook_resid_post"]
        passes = [Reference(tensors, heads).run(window)[0] for window in windows]
        return np.array([[hooks[name] for hooks in passes] for name in names])

    def check_layer(self, here, layer, values):
        texts, positions, _ = values.shape
        whole = values - values.mean((0, 1))
        pos, ctx = whole.mean(0), whole.mean(1)
        rest = whole - pos - ctx[:, None]
        parts = {"position": pos + 0 * rest, "context": ctx[:, None] + 0 * rest, "rest": rest}
        total = squares(whole)
        for name, part in parts.items():
            self.assertAlmostEqual(here[f"share_{name}"][layer], squares(part) / total, delta=1e-4)
            self.assertAlmostEqual(here[f"norm_{name}"][layer], norm(part) / norm(whole), delta=1e-4)
        self.assertAlmostEqual(here["share_chance"][layer], squares(rest) / (texts - 1) / total, delta=1e-4)
        self.assertAlmostEqual(here["rank"][layer], stable_rank(pos), delta=1e-3 * stable_rank(pos))
        first = np.linalg.svd(pos)[2][0]
        less = (squares(parts["position"]) - squares(rest) / (texts - 1)) / (norm(parts["position"]) ** 2 - squares(rest @ first) / (texts - 1))
        hardly = squares(parts["position"]) <= 1.5 * squares(rest) / (texts - 1)
        np.testing.assert_allclose(here["rank_less"][layer], np.nan if hardly else max(less, 1), rtol=2e-3)
        self.assertAlmostEqual(here["length"][layer], np.sqrt(total / texts / positions), delta=1e-4 * np.sqrt(total))
        self.assertAlmostEqual(here["neighbour_cosine"][layer], np.diag(cosines(pos[:-1], pos[1:])).mean(), delta=1e-3)
        self.assertAlmostEqual(here["context_cosine"][layer], np.abs(cosines(pos, ctx)).mean(), delta=1e-3)
        energy = np.linalg.svd(pos, compute_uv=False) ** 2
        np.testing.assert_allclose(here["explained"][layer], energy[:3] / energy.sum(), atol=1e-4)
        along = np.linalg.svd(pos)[0][:, :3] * np.sqrt(energy[:3] / energy.sum() * positions)
        np.testing.assert_allclose(np.abs(here["points"][layer]), np.abs(along), atol=2e-2)
        return pos

    def check(self, folder, tensors, heads, tokens, count, size, layer, first):
        scalars, here = self.run_study(folder, tokens, windows=count, window=size, layer=layer, first=first)
        step = (len(tokens) - size) // (count - 1)
        self.assertEqual([scalars[name] for name in ("windows", "window", "step")], [count, size, step])
        layers = len(here["share_position"]) - 1
        values = self.streams(tensors, heads, [tokens[i * step : i * step + size] for i in range(count)], layers)[:, :, first:]
        rows = [self.check_layer(here, i, values[i]) for i in range(layers + 1)]
        self.assertLess(scalars["sum_error"], 1e-5)
        self.assertAlmostEqual(scalars["position"], here["share_position"][layer])
        np.testing.assert_allclose(here["matrix"], rows[layer], atol=1e-4 * np.abs(rows[layer]).max())
        table = tensors["wpe.weight"][first:size]
        self.assertAlmostEqual(scalars["table_rank"], stable_rank(table), delta=1e-4 * stable_rank(table))
        d = table.shape[1]
        self.assertAlmostEqual(scalars["crossing_chance"], np.sqrt(2 / np.pi / d), delta=1e-9)
        for seed in range(1, SEEDS + 1):
            steps = walk(rows[layer], np.random.default_rng(seed))
            self.assertAlmostEqual(here["walk_rank"][seed - 1], stable_rank(steps), delta=1e-2 * stable_rank(steps))

    def test_minihelix(self):
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        cut = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]
        tokens = [one["id"] for one in cut]
        self.check(MINIHELIX, tensors, 8, tokens, count=6, size=32, layer=2, first=1)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 32, 4, 40, 60, spread=0.3)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check(folder, tensors, 4, some_tokens(120, 60), count=5, size=24, layer=2, first=0)

    def test_published_table(self):
        """2.05 in Song and Zhong's table; all rows but the first give another number."""
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        table = read_tensors(folder / "model.safetensors")["wpe.weight"]
        for last, stated in ((511, 2.054), (1023, 2.968)):
            scalars, _ = self.run_study(folder, None, window=last + 1)
            self.assertAlmostEqual(scalars["table_rank"], stable_rank(table[1 : last + 1]), places=6)
            self.assertAlmostEqual(scalars["table_rank"], stated, places=3)

    def test_claim_on_the_table_alone(self):
        """The table of claims judges it on positions alone; row 0 makes the difference."""
        folder = ROOT / "assets" / "models" / "gpt2-positions"
        found = json.loads(helixscope("run", "claims", "--model", folder, "--set", "conventions=SHARE-table", "--json"))
        table = read_tensors(folder / "model.safetensors")["wpe.weight"]
        self.assertEqual(found["words"]["setting"]["data"], ["From position 1", "From position 0"])
        np.testing.assert_allclose(found["arrays"]["here"]["data"], [stable_rank(table[first:512]) for first in (1, 0)], rtol=1e-6)
        self.assertEqual(found["arrays"]["reproduces"]["data"], [1, 0])
        self.assertEqual(found["words"]["verdict"]["data"][0], "holds")

    def test_books(self):
        """The default run: parts that add up, and the level of what averaging leaves."""
        scalars, here = self.run_study(MINIHELIX, None)
        self.assertEqual((scalars["windows"], scalars["window"]), (32, 96))
        total = here["share_position"] + here["share_context"] + here["share_rest"]
        np.testing.assert_allclose(total, 1, atol=1e-5)
        np.testing.assert_allclose(here["share_chance"], here["share_rest"] / 31, rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
