"""rope against numpy: scores from rotation matrices written out in full, for the vectors that the seed stands for."""

import json
import subprocess
import unittest

from position_helix_test import CLI, array, np

if np is not None:
    import exported  # noqa: F401
    from studies.rope import added

SIZE, LAGS = 64, 128
MASK = (1 << 64) - 1


def splitmix(seed):
    """splitmix64's numbers as reals between 0 and 1."""
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield (((z ^ (z >> 31)) >> 11) + 0.5) * 2.0**-53


def gaussian(numbers):
    return np.array([np.sqrt(-2 * np.log(next(numbers))) * np.cos(2 * np.pi * next(numbers)) for _ in range(SIZE)])


def rotation(position, base, pairing):
    """The block-diagonal matrix of a position."""
    matrix = np.zeros((SIZE, SIZE))
    for i in range(SIZE // 2):
        a, b = (2 * i, 2 * i + 1) if pairing == "interleaved" else (i, i + SIZE // 2)
        angle = position * base ** (-2 * i / SIZE)
        matrix[np.ix_([a, b], [a, b])] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    return matrix


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Rope(unittest.TestCase):
    def run_it(self, **given):
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        done = subprocess.run([CLI, "run", "rope", *words, "--json"], capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def compare(self, pairing, base, shift, seed):
        document = self.run_it(pairing=pairing, base=base, shift=shift, seed=seed)
        numbers = splitmix(seed)
        query, key = gaussian(numbers), gaussian(numbers)
        starts = [0, shift, 10 * shift, 100 * shift]
        self.assertEqual(array(document, "start").tolist(), starts)
        rotary, sums = array(document, "rotary"), array(document, "added")
        for i, start in enumerate(starts):
            turned = rotation(start, base, pairing) @ key
            for lag in (0, 1, 2, 17, 64, LAGS - 1):
                wanted = (rotation(start + lag, base, pairing) @ query) @ turned / 8
                self.assertAlmostEqual(rotary[i, lag], wanted, delta=1e-9)
                wanted = (query + added(start + lag, base)) @ (key + added(start, base)) / 8
                self.assertAlmostEqual(sums[i, lag], wanted, delta=1e-9)
        scalars = {name: float(s["value"]) for name, s in document["scalars"].items()}
        self.assertEqual(scalars["score_residual"], np.ptp(rotary, axis=0).max())
        self.assertEqual(scalars["added_spread"], np.ptp(sums, axis=0).max())
        self.assertLess(scalars["score_residual"], 1e-11)
        self.assertGreater(scalars["added_spread"], 0.2)
        np.testing.assert_allclose(array(document, "wavelength"), 2 * np.pi * base ** (2 * np.arange(32) / 64), rtol=1e-12)
        return scalars

    def test_pairings_bases_and_shifts(self):
        for pairing in ("interleaved", "half"):
            for base, shift, seed in ((10000, 3, 0), (500000, 100, 5), (100, 1, 11)):
                with self.subTest(pairing=pairing, base=base):
                    self.compare(pairing, base, shift, seed)

    def test_the_default_has_the_error_of_rounding(self):
        document = self.run_it()
        self.assertLess(document["scalars"]["score_residual"]["value"], 2e-13)
        self.assertTrue(document["claims"][0]["holds"])


if __name__ == "__main__":
    unittest.main()
