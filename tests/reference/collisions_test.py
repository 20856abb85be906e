"""collisions against numpy's distances of every pair: random weights, and the bundled model."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from forward_test import helixscope
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import read_tensors


def run(folder, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "collisions", "--model", folder, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    return document, scalars, {name: np.array(entry["data"], float) for name, entry in document["arrays"].items()}


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Collisions(unittest.TestCase):
    def check(self, folder, tensors, token, position, count, **given):
        tokens, positions = tensors["wte.weight"], tensors["wpe.weight"]
        e, p = tokens - tokens[token], positions - positions[position]
        squares = (e**2).sum(1)[:, None] + (p**2).sum(1)[None, :] + 2 * e @ p.T
        same_position = np.sqrt(np.delete(squares[:, position], token).min())
        same_token = np.sqrt(np.delete(squares[token], position).min())
        squares = np.delete(np.delete(squares, token, 0), position, 1)
        wanted = np.sqrt(np.sort(squares, axis=None)[:count])
        document, scalars, arrays = run(folder, position=position, count=count, **(given or {"token": token}))
        self.assertEqual(scalars["token"], token)
        np.testing.assert_allclose(arrays["distance"], wanted, rtol=1e-6)
        pairs = zip(arrays["nearest_token"].astype(int), arrays["nearest_position"].astype(int))
        again = [np.linalg.norm(e[t] + p[i]) for t, i in pairs]
        np.testing.assert_allclose(arrays["distance"], again, rtol=1e-12)
        for name, value in (("same_position", same_position), ("same_token", same_token), ("typical", np.sqrt(squares.mean()))):
            self.assertAlmostEqual(scalars[name], value, delta=1e-6 * value, msg=name)
        return document, scalars

    def test_random_weights(self):
        for spread in (0.02, 0.2, 2.0):
            tensors, config = random_checkpoint(1, 48, 3, 96, 3000, spread=0.2)
            tensors["wpe.weight"] *= np.float32(spread)
            with tempfile.TemporaryDirectory() as folder:
                write_checkpoint(folder, tensors, config)
                self.check(folder, {name: array.astype(float) for name, array in tensors.items()}, 1234, 7, 50)

    def test_the_bundled_model(self):
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        vocabulary = json.loads((MINIHELIX / "vocab.json").read_text(encoding="utf-8"))
        for word in ("cat", "house", "the"):
            document, scalars = self.check(MINIHELIX, tensors, vocabulary["Ġ" + word], 3, 20, word=" " + word)
            self.assertEqual(document["words"]["names"]["data"][0], " " + word)
            self.assertGreater(scalars["nearest"], 0.9 * scalars["same_position"])


if __name__ == "__main__":
    unittest.main()
