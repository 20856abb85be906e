"""sinusoid against numpy: the encoding, and the rotation as a whole matrix."""

import json
import subprocess
import unittest

from position_helix_test import CLI, array, np

if np is not None:
    from exported import sinusoidal


def rotation(size, base, shift):
    """M_k: blocks on the diagonal, for (sine, cosine) pairs."""
    m = np.zeros((size, size))
    for i in range(size // 2):
        a = shift * base ** (-2 * i / size)
        m[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return m


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Encoding(unittest.TestCase):
    def compare(self, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "sinusoid", *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        base, d, k, n = (given.get(name, usual) for name, usual in (("base", 10000), ("dimensions", 768), ("shift", 1), ("positions", 1024)))
        rows = sinusoidal(n + k, d, base)
        m = rotation(d, base, k)
        np.testing.assert_allclose(m @ m.T, np.eye(d), atol=1e-12)
        left = np.linalg.norm(rows[:n] @ m.T - rows[k:], axis=1)
        np.testing.assert_allclose(array(document, "encoding"), rows[:n], atol=1e-7)
        np.testing.assert_allclose(array(document, "residual"), left, atol=1e-10)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        norms = np.linalg.norm(rows[:n], axis=1)
        self.assertAlmostEqual(scalars["norm"], norms.mean(), delta=1e-10)
        cosines = (rows[: n - 1] * rows[1:n]).sum(1) / (norms[:-1] * norms[1:])
        self.assertAlmostEqual(scalars["neighbour_cosine"], cosines.mean(), delta=1e-12)
        self.assertLess(scalars["rotation_residual"], 1e-10)
        # Two random positions of these: E|a − b|² = 2 (d/2 − |mean|²), so the mean distance is below its root.
        rms = np.sqrt(2 * (d / 2 - (rows[:n].mean(0) ** 2).sum()))
        self.assertLess(scalars["shuffled_residual"], rms * 1.02)
        self.assertGreater(scalars["shuffled_residual"], rms * 0.8)
        return scalars, document["claims"]

    def test_usual(self):
        scalars, claims = self.compare()
        self.assertAlmostEqual(scalars["norm"], 19.5959, delta=5e-5)
        self.assertAlmostEqual(scalars["neighbour_cosine"], 0.97336, delta=5e-6)
        self.assertEqual([(c["id"], c["holds"]) for c in claims], [("F6", True), ("P3", True)])

    def test_base_1000(self):
        scalars, _ = self.compare(base=1000)
        self.assertAlmostEqual(scalars["neighbour_cosine"], 0.96468, delta=5e-6)

    def test_others(self):
        self.compare(shift=100, positions=300)
        self.compare(shift=7, dimensions=32, positions=200, base=50)


if __name__ == "__main__":
    unittest.main()
