"""position_scores against numpy: scores, patterns, gradients and chance levels of layer 0 on positions alone, on the bundled model and on GPT-2 small's tensors."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import in_order, normals, walk
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors
    from position_helix_test import real_model
    from studies.position_scores import softmax

EPSILON = 1e-5


class Layer:
    """Layer 0's heads on the rows of wpe."""

    def __init__(self, tensors, heads):
        get = lambda name: np.asarray(tensors[name], np.float64)
        self.rows, self.gain, self.shift = get("wpe.weight"), get("h.0.ln_1.weight"), get("h.0.ln_1.bias")
        self.weight, self.bias = get("h.0.attn.c_attn.weight"), get("h.0.attn.c_attn.bias")
        self.n, self.d = self.rows.shape
        self.heads, self.size = heads, self.d // heads

    def norm(self, rows):
        return (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + EPSILON) * self.gain + self.shift

    def head(self, h):
        q, k, _ = np.split(self.weight, 3, axis=1)
        bq, bk, _ = np.split(self.bias, 3)
        part = slice(h * self.size, (h + 1) * self.size)
        return q[:, part], k[:, part], bq[part], bk[part]

    def scores(self, h, biases, rows=None):
        rows = self.norm(self.rows if rows is None else rows)
        wq, wk, bq, bk = self.head(h)
        return (rows @ wq + biases * bq) @ (rows @ wk + biases * bk).T / np.sqrt(self.size)

    def range(self):
        last = min(999, self.n - 2)
        return np.arange(50 if last >= 100 else 1, last + 1)

    def rising(self, scores):
        i = self.range()
        return (scores[i, i + 1] > scores[i, i - 1]).mean()

    def gradient(self, h, biases, i, step=1e-4):
        """Of the score of query i with a key at its own place, by differences in random directions."""
        wq, wk, bq, bk = self.head(h)
        q = self.norm(self.rows[i]) @ wq + biases * bq
        score = lambda row: q @ (self.norm(row) @ wk + biases * bk) / np.sqrt(self.size)
        out = np.empty(self.d)
        for j in range(self.d):
            by = np.zeros(self.d)
            by[j] = step
            out[j] = (score(self.rows[i] + by) - score(self.rows[i] - by)) / (2 * step)
        return out


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "position_scores", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class PositionScoresTest(unittest.TestCase):
    def check(self, folder, layer, head, biases, first, last, query):
        _, scalars, arrays = run(folder, head=head, biases=biases, first=first, last=last, query=query)
        s = layer.scores(head, biases)
        p = softmax(s)
        np.testing.assert_allclose(arrays["score"], s[first : last + 1, : last + 1], rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(arrays["pattern"], p[first : last + 1, : last + 1], atol=1e-6)
        np.testing.assert_allclose(arrays["query_score"], s[query], rtol=1e-8, atol=1e-8)
        rising = [layer.rising(layer.scores(h, biases)) for h in range(layer.heads)]
        np.testing.assert_allclose(arrays["rising_by_head"], rising, atol=1.5 / len(layer.range()))
        self.assertEqual(scalars["rising"], arrays["rising_by_head"][head])
        self.assertEqual(scalars["rising_heads"], (arrays["rising_by_head"] == 1).sum())
        i = np.arange(max(first, 1), last + 1)
        other = softmax(layer.scores(head, 1 - biases))
        for name, wanted in (("previous", p[i, i - 1]), ("self", p[i, i]), ("to_first", p[i, 0]), ("to_first_other", other[i, 0]), ("even", 1 / (i + 1))):
            self.assertAlmostEqual(scalars[name], wanted.mean(), delta=1e-9, msg=name)
        reach = len(arrays["by_lag"]) // 2
        i = np.arange(max(first, reach), min(last, layer.n - 1 - reach) + 1)
        less = np.array([s[i, i + lag] - s[i, i] for lag in range(-reach, reach + 1)])
        np.testing.assert_allclose(arrays["by_lag"], less.mean(1), atol=1e-8)
        np.testing.assert_allclose(arrays["lag_spread"], less.std(1), atol=1e-6)
        self.check_pull(layer, head, biases, arrays, scalars)
        self.check_chance(layer, head, biases, arrays)

    def check_pull(self, layer, head, biases, arrays, scalars):
        curve = layer.rows[1:] - layer.rows[1:].mean(0)
        axes = np.linalg.svd(curve, full_matrices=False)[2][:3]
        axes *= np.sign(np.take_along_axis(axes, np.abs(axes).argmax(1)[:, None], 1))
        points = curve @ axes.T
        np.testing.assert_allclose(arrays["points"], points, atol=1e-6)
        for i in (3, 128, layer.n - 2):
            gradient = layer.gradient(head, biases, i)
            pull = axes @ gradient
            np.testing.assert_allclose(arrays["pull"][i - 1], pull, rtol=1e-4, atol=1e-5 * np.abs(gradient).max())
            along = points[i] - points[i - 2]
            along /= np.linalg.norm(along)
            outward = points[i - 1] * [1, 1, 0]
            outward -= (outward @ along) * along
            outward /= np.linalg.norm(outward)
            pull /= np.linalg.norm(pull)
            self.assertAlmostEqual(arrays["along"][i - 1], pull @ along, delta=1e-4)
            self.assertAlmostEqual(arrays["outward"][i - 1], pull @ outward, delta=1e-4)
        counted = layer.range() - 1
        self.assertAlmostEqual(scalars["along_share"], (arrays["along"][counted] ** 2).mean(), delta=1e-9)
        self.assertAlmostEqual(scalars["outward_share"], (arrays["outward"][counted] ** 2).mean(), delta=1e-9)
        some = counted[:: len(counted) // 4] + 1
        held = [np.square(axes @ g).sum() / np.square(g).sum() for g in (layer.gradient(head, biases, i) for i in some)]
        self.assertTrue(min(held) * 0.3 < scalars["held"] < min(max(held) * 3, 1), (held, scalars["held"]))

    def check_chance(self, layer, head, biases, arrays):
        s = layer.scores(head, biases)
        seeds = range(1, 21)
        slack = 1.5 / len(layer.range())  # one comparison may fall the other way in rounding
        order = [in_order(layer.n, np.random.default_rng(seed)) for seed in seeds]
        np.testing.assert_allclose(arrays["rows_rising"], [layer.rising(s[np.ix_(o, o)]) for o in order], atol=slack)
        for seed in (1, 20):
            walked = layer.scores(head, biases, walk(layer.rows, np.random.default_rng(seed)))
            self.assertAlmostEqual(arrays["walk_rising"][seed - 1], layer.rising(walked), delta=slack)
            rng = np.random.default_rng(seed)
            wq, wk = (layer.weight.mean() + layer.weight.std() * normals(rng, layer.size * layer.d).reshape(layer.size, layer.d).T for _ in range(2))
            bq = layer.bias.mean() + layer.bias.std() * normals(rng, layer.size)
            rows = layer.norm(layer.rows)
            self.assertAlmostEqual(arrays["random_rising"][seed - 1], layer.rising((rows @ wq + biases * bq) @ (rows @ wk).T), delta=slack)

    def test_the_bundled_model(self):
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        layer = Layer(read_tensors(MINIHELIX / "model.safetensors"), heads)
        for head, biases, first, last, query in ((0, 1, 0, 255, 128), (2, 0, 0, 511, 300), (7, 1, 50, 180, 77)):
            with self.subTest(head=head):
                self.check(MINIHELIX, layer, head, biases, first, last, query)

    def test_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        tensors = read_tensors(next(folder.glob("*.safetensors")))
        layer = Layer(tensors, 12)
        self.check(folder, layer, 5, 1, 50, 255, 128)
        document, scalars, arrays = run(folder, head=5, first=50)
        everywhere = [h for h in range(12) if arrays["rising_by_head"][h] == 1]
        self.assertEqual(everywhere, [0, 1, 2, 3, 4, 6, 7, 8, 9, 10])
        self.assertAlmostEqual(arrays["rising_by_head"][5], 0.38, delta=0.005)
        self.assertAlmostEqual(arrays["rising_by_head"][11], 0.67, delta=0.005)
        self.assertAlmostEqual(scalars["to_first"], 0.57, delta=0.005)
        self.assertEqual([(c["id"], c["holds"]) for c in document["claims"]], [("T12-first", True)])
        document, scalars, _ = run(folder, head=5, first=16, biases=0)
        self.assertAlmostEqual(scalars["to_first"], 0.08, delta=0.005)
        self.assertEqual([(c["id"], c["holds"]) for c in document["claims"]], [("T12-biases", True)])
        document, _, _ = run(folder)
        self.assertEqual([(c["id"], c["holds"]) for c in document["claims"]], [("T12", True)])


if __name__ == "__main__":
    unittest.main()
