"""position_scores against the exported script: scores, patterns, gradients and chance levels of layer 0 on positions alone, on the bundled model and on GPT-2 small's tensors."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Weights, differences, recomputed
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from position_helix_test import real_model
    from studies import position_scores

OF_ONE_HEAD = ("query", "to_first_other", "along_share", "outward_share", "held", "score", "pattern", "by_lag", "lag_spread", "query_score")
OF_ONE_HEAD += ("points", "explained", "pull", "along", "outward", "rows_rising", "walk_rising", "random_rising")


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "position_scores", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class PositionScoresTest(unittest.TestCase):
    def check(self, folder, left_out=("patterns",), **given):
        document, scalars, arrays = run(folder, **given)
        there = recomputed(document, position_scores, folder)
        self.assertEqual(differences(document, there, position_scores.TOLERANCE, left_out), [])
        counted = len(position_scores.Layer(Weights(folder)).counted())
        for name in ("rising_by_head", "rows_rising", "walk_rising", "random_rising"):  # one comparison may fall the other way in rounding
            if name in there:
                np.testing.assert_allclose(arrays[name], np.ma.getdata(there[name]), rtol=0, atol=1.5 / counted)
        self.assertEqual(scalars["rising_heads"], (arrays["rising_by_head"] == 1).sum())
        if given["head"] >= 0:
            self.assertEqual(scalars["rising"], arrays["rising_by_head"][given["head"]])

    def check_gradients(self, folder, head, biases, places):
        """The script's gradients are the differences of its scores."""
        layer, step = position_scores.Layer(Weights(folder)), 1e-4
        gradients = layer.gradients(head, biases)
        for i in places:
            moved = layer.rows[i] + step * np.concatenate([np.eye(layer.d), -np.eye(layer.d)])
            query, keys = layer.rows[i : i + 1], layer.norm(moved)
            (wq, bq), (wk, bk) = (layer.part(0, which, head) for which in "qk")
            scores = (keys @ wk + biases * bk) @ (layer.norm(query) @ wq + biases * bq)[0] / np.sqrt(layer.size)
            there = (scores[: layer.d] - scores[layer.d :]) / (2 * step)
            np.testing.assert_allclose(gradients[i], there, rtol=0, atol=1e-5 * np.abs(there).max())

    def test_the_bundled_model(self):
        for head, biases, first, last, query in ((0, 1, 0, 255, 128), (2, 0, 0, 511, 300), (7, 1, 50, 180, 77)):
            with self.subTest(head=head):
                self.check(MINIHELIX, head=head, biases=biases, first=first, last=last, query=query)
                self.check_gradients(MINIHELIX, head, biases, (3, 128, 254))

    def test_all_heads(self):
        self.check(MINIHELIX, OF_ONE_HEAD, head=-1, first=2, last=130)
        self.check(MINIHELIX, OF_ONE_HEAD, head=-1, biases=0, last=40)

    def test_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        self.check(folder, head=5, biases=1, first=50, last=255, query=128)
        self.check_gradients(folder, 5, 1, (3, 128, 1022))
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
