"""binary_positions against numpy: bits from Python's own binary numbers, sinusoids, signs and correlations."""

import json
import subprocess
import unittest

from position_helix_test import CLI, array, np


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class BinaryPositions(unittest.TestCase):
    def compare(self, bits):
        done = subprocess.run([CLI, "run", "binary_positions", "--set", f"bits={bits}", "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        shown = 2 ** max(bits, 4)
        digits = np.array([[int(c) for c in format(p, f"0{bits + 5}b")[::-1]] for p in range(2 * shown)]).T[:bits]
        periods = 2.0 ** np.arange(1, bits + 1)[:, None]
        positions = np.arange(2 * shown)
        waves, slower = (-np.sin(2 * np.pi * (positions + 0.5) / (factor * periods)) for factor in (1, 2))
        np.testing.assert_array_equal(array(document, "bit"), digits[:, :shown])
        np.testing.assert_allclose(array(document, "sinusoid"), waves[:, :shown], atol=1e-12)
        np.testing.assert_array_equal(array(document, "period"), periods[:, 0])
        for name, other in (("agreement_by_bit", waves), ("chance_by_bit", slower)):
            np.testing.assert_allclose(array(document, name), ((other > 0) == (digits == 1)).mean(1), atol=1e-15)
        wanted = [np.corrcoef(digit, wave)[0, 1] for digit, wave in zip(digits, waves)]
        np.testing.assert_allclose(array(document, "correlation_by_bit"), wanted, atol=1e-12)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertEqual((scalars["agreement"], scalars["chance"]), (1, 0.5))
        signs = 2 * digits[:, :shown].T - 1
        flips = (signs[1:] != signs[:-1]).sum(1)
        np.testing.assert_array_equal(array(document, "flips")[1:], flips)
        self.assertAlmostEqual(scalars["largest_jump"], np.linalg.norm(np.diff(signs, axis=0), axis=1).max(), delta=1e-12)
        angle = 2 * np.pi * positions[:, None] / periods[:, 0]
        lengths = np.linalg.norm(np.diff(np.hstack([np.sin(angle), np.cos(angle)]), axis=0), axis=1)
        np.testing.assert_allclose(lengths, scalars["sinusoid_step"], atol=1e-12)
        self.assertTrue(document["claims"][0]["holds"])

    def test_all_numbers_of_bits(self):
        for bits in range(1, 9):
            with self.subTest(bits=bits):
                self.compare(bits)


if __name__ == "__main__":
    unittest.main()
