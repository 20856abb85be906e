"""subspace_overlap against numpy's own decomposition: random weights, the bundled model, and what the texts say of GPT-2 small."""

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
    from studies.subspace_overlap import blurred

DEFAULTS = {"a": "wpe", "b": "wte", "layer": 0, "head": -1, "side": "residual", "gain": 0, "centre": 0, "blur": 0, "count_a": 100, "count_b": 30}
GROUPS = {"tables": ["wpe", "wte"], "attention": ["q", "k", "v", "o"], "weights": ["q", "k", "v", "o", "fc", "mlp"]}
GAINS = {"q": "h.{}.ln_1.weight", "k": "h.{}.ln_1.weight", "v": "h.{}.ln_1.weight", "fc": "h.{}.ln_2.weight", "wte": "ln_f.weight"}
APART = 1e-10  # of squared singular values, relative to the largest: below, a direction is an arbitrary one of several
ALIKE = 1e-4  # tolerance for squared dot products of directions that are this far apart

# What is asked of every model.
CASES = [
    {}, {"blur": 2.5}, {"centre": 1}, {"gain": 1, "a": "q"}, {"a": "k", "b": "wpe", "centre": 1, "gain": 1},
    {"a": "v", "b": "wpe", "layer": 1, "side": "other"}, {"a": "o", "b": "wpe"}, {"a": "o", "b": "wpe", "side": "other"},
    {"a": "o", "b": "wte", "head": 1, "blur": 1}, {"a": "q", "b": "k", "head": 2, "layer": 1},
    {"a": "fc", "b": "mlp", "side": "other", "gain": 1}, {"a": "mlp", "b": "fc", "centre": 1, "layer": 1},
    {"a": "attention", "b": "tables", "count_a": 12, "count_b": 5}, {"a": "weights", "b": "wpe", "head": 0, "blur": 0.7},
]


def matrix(tensors, heads, name, p):
    """[other side, residual stream], with the gain folded in and the mean removed, where asked."""
    if name in ("wpe", "wte"):
        rows = tensors[name + ".weight"]
        rows = rows * tensors["ln_f.weight"] if p["gain"] and name == "wte" else rows
        return rows - rows.mean(0) if p["centre"] else rows
    at = f"h.{p['layer']}."
    if name in "qkv":
        stored = np.split(tensors[at + "attn.c_attn.weight"], 3, axis=1)["qkv".index(name)].T
    elif name == "fc":
        stored = tensors[at + "mlp.c_fc.weight"].T
    else:
        stored = tensors[at + {"o": "attn.c_proj.weight", "mlp": "mlp.c_proj.weight"}[name]]
    if p["head"] >= 0 and name in ("q", "k", "v", "o"):
        stored = np.split(stored, heads)[p["head"]]
    if p["gain"] and name in GAINS:
        stored = stored * tensors[GAINS[name].format(p["layer"])]
    if p["centre"]:
        stored = stored - stored.mean(1, keepdims=True)
    return stored.T if p["side"] == "other" else stored


def directions(tensors, heads, name, p):
    """Right singular vectors as rows, and which of them are distinct from their neighbours."""
    _, values, rows = np.linalg.svd(matrix(tensors, heads, name, p), full_matrices=False)
    squares = (values / values[0]) ** 2
    gaps = -np.diff(squares, append=-np.inf, prepend=np.inf)
    return rows, np.minimum(gaps[:-1], gaps[1:]) > APART


def pooled(overlap, size, cells):
    out = np.full((cells, cells), np.nan)
    for i in range(0, overlap.shape[0], size):
        for j in range(0, overlap.shape[1], size):
            out[i // size, j // size] = overlap[i : i + size, j : j + size].mean()
    return out


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "subspace_overlap", "--model", folder, *sets, "--json"))
    arrays = {name: np.array([np.nan if x == "nan" else x for x in array["data"]], float).reshape(array["shape"]) for name, array in document["arrays"].items()}
    return document, arrays


@unittest.skipIf(np is None, "numpy is not installed")
class SubspaceOverlapTest(unittest.TestCase):
    def check(self, folder, tensors, heads, given):
        p = {**DEFAULTS, **given}
        document, here = run(folder, **given)
        scalars = {name: scalar["value"] for name, scalar in document["scalars"].items()}
        rows, columns = (GROUPS.get(p[side], [p[side]]) for side in "ab")
        for i, a in enumerate(rows):
            for j, b in enumerate(columns):
                (left, sure_a), (right, sure_b) = (directions(tensors, heads, name, p) for name in (a, b))
                plain = (left @ right.T) ** 2
                wanted = blurred(plain, p["blur"])
                size = int(scalars["pooled"])
                panel = pooled(wanted, size, here["panels"].shape[2])
                np.testing.assert_array_equal(np.isnan(panel), np.isnan(here["panels"][i, j]))
                sure = np.outer(sure_a, sure_b)
                if p["blur"] == 0:
                    self.assertGreater(sure.mean(), 0.05)  # minihelix keeps 16 components of its positions: the others are rounding
                if i == j == 0:
                    alike = np.abs(here["overlap"] - wanted) < ALIKE
                    self.assertTrue(alike[sure].all() if p["blur"] == 0 else alike.mean() > 0.8)
                    self.assertEqual(scalars["chance"], 1 / left.shape[1])
                    whole = [plain.sum(axis) for axis, basis in ((1, right), (0, left)) if len(basis) == basis.shape[1]]
                    error = max((np.abs(sums - 1).max() for sums in whole), default=None)
                    if error is None:
                        self.assertEqual(scalars["row_sum_error"], "nan")
                    else:
                        self.assertLess(scalars["row_sum_error"], 1e-10)
                first, last = min(p["count_a"], len(left)), min(p["count_b"], len(right))
                self.assertAlmostEqual(here["corners"][i, j], plain[:5, :5].max(), delta=1e-6)
                self.assertAlmostEqual(here["held_first_by_pair"][i, j], plain[:first, :last].sum(), delta=1e-4)
                self.assertAlmostEqual(here["held_last_by_pair"][i, j], plain[-first:, :last].sum(), delta=1e-4)

    def check_all(self, folder, tensors, heads):
        for given in CASES:
            with self.subTest(**given):
                self.check(folder, tensors, heads, given)

    def test_random_weights(self):
        tensors, config = random_checkpoint(2, 48, 3, 96, 1500, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            self.check_all(folder, {name: array.astype(float) for name, array in tensors.items()}, 3)

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        self.check_all(MINIHELIX, read_tensors(MINIHELIX / "model.safetensors"), heads)

    def test_what_the_texts_say_of_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        scalar = lambda name, **given: run(folder, **{"b": "wpe", **given})[0]["scalars"][name]["value"]
        self.assertAlmostEqual(scalar("corner", a="q"), 0.775, places=3)
        self.assertAlmostEqual(scalar("corner", a="k"), 0.900, places=3)
        self.assertAlmostEqual(scalar("corner", a="q", gain=1), 0.003, places=3)
        self.assertAlmostEqual(scalar("corner", a="k", gain=1), 0.444, places=3)
        self.assertAlmostEqual(scalar("chance", a="q"), 0.0013, places=4)
        self.assertAlmostEqual(scalar("held_last", a="q", gain=1), 17.4, places=1)
        self.assertAlmostEqual(scalar("held_chance", a="q"), 3.9, places=1)
        self.assertAlmostEqual(scalar("held_first", a="o"), 10.6, places=1)
        self.assertAlmostEqual(scalar("held_first", a="o", side="other"), 4.0, places=1)
        self.assertAlmostEqual(scalar("held_first", a="v"), 3.9, places=1)
        self.assertLess(scalar("row_sum_error", a="q"), 1e-10)
