"""extended_positions against numpy on the bundled model: prompts, means, every variant of the angles, spaces, sparsity and chance."""

import json
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import in_order, normals, walk
    from forward_test import helixscope
    from gpt2_reference import Reference
    from minihelix_test import FOLDER, read_tensors

SEEDS = range(1, 21)
HOOKS = {"resid_pre": "hook_resid_pre", "ln1": "ln1.hook_normalized", "ln1_normalized": "ln1.hook_normalized"}


def centred(rows):
    return rows - rows.mean(0)


def subspace(rows, centre):
    """Three left and three right singular vectors, as rows."""
    u, _, vt = np.linalg.svd(centred(rows) if centre else rows, full_matrices=False)
    return {"left": u[:, :3].T, "right": vt[:3]}


def degrees(a, b):
    return np.degrees(np.arccos(np.clip(np.linalg.svd(a @ b.T)[1], 0, 1)))


def effective(rows):
    squares = (rows**2).mean(0)
    return squares.sum() ** 2 / (squares**2).sum()


def share(rows, count=3):
    values = np.linalg.svd(rows, compute_uv=False) ** 2
    return values[:count].sum() / values.sum()


@unittest.skipIf(np is None, "numpy is not installed")
class ExtendedPositionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tensors = read_tensors(FOLDER / "model.safetensors")
        config = json.loads((FOLDER / "config.json").read_text())
        cls.bos, cls.context, cls.layers = config["bos_token_id"], config["n_ctx"], config["n_layer"]
        cls.reference = Reference(cls.tensors, config["n_head"])
        cls.passes = {}

    def run_study(self, **settings):
        options = [part for key, value in settings.items() for part in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "extended_positions", "--model", FOLDER, "--json", *options))
        arrays = {name: np.array(array["data"], dtype=float).reshape(array["shape"]) for name, array in document["arrays"].items()}
        return {name: value["value"] for name, value in document["scalars"].items()}, arrays

    def hooks(self, token):
        if token not in self.passes:
            run = self.reference.run([self.bos] + [token] * (self.context - 1))[0]
            self.passes[token] = {name: run[name] for layer in range(self.layers) for hook in set(HOOKS.values()) if (name := f"blocks.{layer}.{hook}")}
        return self.passes[token]

    def mean(self, tokens, layer, hook):
        """Extended positions, and the mean cosine of two prompts."""
        each = [self.hooks(token)[f"blocks.{layer}.{HOOKS[hook]}"] for token in tokens]
        rows = np.mean([centred(x) for x in each], 0)
        if hook == "ln1":  # the shift is the same in every row
            rows = rows * self.tensors[f"h.{layer}.ln_1.weight"]
        apart = [centred(x[1:]) for x in each]
        lengths = sum((x**2).sum() for x in apart)
        pairs = (sum(apart) ** 2).sum() - lengths
        return rows, pairs / lengths / (len(tokens) - 1) if len(tokens) > 1 else np.nan

    def is_alone(self, token):
        """Whether a token's text is cut into that token again."""
        if token == self.bos:
            return False
        text = bytes.fromhex(json.loads(helixscope("tokenize", "--model", FOLDER, "--decode", token, "--json"))["tokens"][0]["bytes"])
        try:
            text.decode()
        except UnicodeDecodeError:
            return False
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text"
            file.write_bytes(text)
            cut = json.loads(helixscope("tokenize", "--model", FOLDER, "--text-file", file, "--json"))["tokens"]
        return [one["id"] for one in cut] == [token]

    def test_random_tokens(self):
        _, here = self.run_study(prompts=6)
        order = in_order(self.tensors["wte.weight"].shape[0], np.random.default_rng(1))
        first, expected = here["token"][0], []
        for token in order:
            if len(expected) < 5 and token != first and self.is_alone(token):
                expected.append(token)
        np.testing.assert_array_equal(here["token"][1:], expected)

    def check(self, layer, hook="resid_pre", side="right", centre=1, first=1, prompts=3, threshold=0.3):
        scalars, here = self.run_study(layer=layer, hook=hook, side=side, centre=centre, first=first, prompts=prompts, threshold=threshold)
        tokens = here["token"].astype(int).tolist()
        table = self.tensors["wpe.weight"][first:]
        whole, agreement = self.mean(tokens, layer, hook)
        rows, size = whole[first:], np.abs(whole[first:]).max()
        np.testing.assert_allclose(here["matrix"], rows, atol=1e-4 * size)

        other = hook if hook != "resid_pre" else "ln1"
        variants = [(s, c, h) for s in ("right", "left") for c in (1, 0) for h in ("resid_pre", other)]
        expected = [degrees(subspace(self.mean(tokens, layer, h)[0][first:], c)[s], subspace(table, c)[s]) for s, c, h in variants]
        np.testing.assert_allclose(here["angles"], expected, atol=0.05)
        chosen = variants.index((side, centre, hook))
        np.testing.assert_allclose([scalars[f"angle_{k}"] for k in (1, 2, 3)], here["angles"][chosen])
        by_layer = [degrees(subspace(self.mean(tokens, i, hook)[0][first:], centre)[side], subspace(table, centre)[side]) for i in range(self.layers)]
        np.testing.assert_allclose(here["angles_by_layer"], by_layer, atol=0.05)

        fit = lambda x: centred(x) if centre else x
        one, two = fit(table), fit(rows)
        self.assertAlmostEqual(scalars["explained_first3"], share(two), delta=1e-4)
        self.assertAlmostEqual(scalars["shared"], ((two @ subspace(table, centre)["right"].T) ** 2).sum() / (two**2).sum(), delta=1e-3)
        if prompts > 1 and hook != "ln1":
            self.assertAlmostEqual(scalars["agreement"], agreement, delta=1e-4)
        for name, matrix in (("dimensions_over", rows), ("dimensions_over_positions", one)):
            most = np.abs(matrix).max(0)
            unclear = (np.abs(most - threshold) < 1e-3 * size).sum()
            self.assertLessEqual(abs(scalars[name] - (most > threshold).sum()), unclear)
        self.assertAlmostEqual(scalars["effective"], effective(rows), delta=1e-2 * effective(rows))
        self.assertAlmostEqual(scalars["effective_positions"], effective(one), delta=1e-3 * effective(one))

        scaled = [x / np.sqrt((x**2).sum(1).mean()) for x in (one, two)]
        for space, axes in enumerate((one, two, np.concatenate(scaled))):
            directions = np.linalg.svd(axes, full_matrices=False)[2][:3]
            for curve, x in enumerate(scaled):
                np.testing.assert_allclose(np.abs(here["points"][space, curve]), np.abs(x @ directions.T), atol=5e-3)
        self.check_chance(here, rows, table, side, centre)

    def check_chance(self, here, rows, table, side, centre):
        n, d = rows.shape
        for seed in SEEDS[:2]:
            basis = np.linalg.qr(normals(np.random.default_rng(seed), 3 * (n if side == "left" else d)).reshape(3, -1).T)[0].T
            np.testing.assert_allclose(here["random_angles"][seed - 1], degrees(basis, np.eye(3, basis.shape[1])), atol=1e-5)
            steps = centred(walk(rows, np.random.default_rng(seed)))
            np.testing.assert_allclose(here["walk_angles"][seed - 1], degrees(subspace(steps, centre)[side], subspace(table, centre)[side]), atol=0.3)
            self.assertAlmostEqual(here["walk_explained_first3"][seed - 1], share(steps), delta=1e-3)
            self.assertAlmostEqual(here["walk_effective"][seed - 1], effective(steps), delta=1e-2 * effective(steps))

    def test_directions(self):
        self.check(2)

    def test_as_the_text(self):
        self.check(2, hook="ln1", side="left", centre=0, first=0)

    def test_before_the_gain(self):
        self.check(4, hook="ln1_normalized", side="left", prompts=1, threshold=0.05)

    def test_layer_0(self):
        scalars, here = self.run_study(layer=0, token=self.bos, first=0)
        expected = centred(self.tensors["wpe.weight"])
        np.testing.assert_allclose(here["matrix"], expected, atol=1e-6)
        self.assertLess(scalars["angle_3"], 0.01)


if __name__ == "__main__":
    unittest.main()
