"""Scores find what was planted, and nothing where nothing was; the reduced `wpe` is numpy's SVD."""

import unittest

import train_support

train_support.need("numpy")

import numpy as np  # noqa: E402

import emergence  # noqa: E402
import scores  # noqa: E402


def uniform(n: int) -> np.ndarray:
    """A head that looks at all it may alike: [q_pos, k_pos]."""
    pattern = np.tril(np.ones((n, n)))
    return pattern / pattern.sum(1, keepdims=True)


def planted(n: int, back: int, share: float) -> np.ndarray:
    """A head that gives `share` of its attention to the position `back` before, and the rest to row 0."""
    pattern = np.zeros((n, n))
    pattern[:, 0] = 1
    rows = np.arange(back + 1, n)
    pattern[rows, 0] = 1 - share
    pattern[rows, rows - back] = share
    return pattern


class Heads(unittest.TestCase):
    def test_a_planted_previous_token_head(self) -> None:
        n = 50
        # Query 1 has its previous token in row 0, which gets all of its attention.
        expected = (0.9 * (n - 2) + 1) / (n - 1)
        self.assertAlmostEqual(scores.previous_token(planted(n, 1, 0.9)), expected)

    def test_a_planted_induction_head(self) -> None:
        half = 20
        self.assertAlmostEqual(scores.induction(planted(2 * half, half - 1, 0.8)), 0.8)

    def test_neither_is_the_other(self) -> None:
        self.assertLess(scores.previous_token(planted(40, 19, 0.8)), 0.06)
        self.assertEqual(scores.induction(planted(40, 1, 0.9)), 0)
        # A head that finds the same token, not the one after it.
        self.assertEqual(scores.induction(planted(40, 20, 0.9)), 0)

    def test_nothing_in_a_uniform_head(self) -> None:
        self.assertLess(scores.previous_token(uniform(64)), 0.08)
        self.assertLess(scores.induction(uniform(64)), 0.03)

    def test_heads_are_scored_apart(self) -> None:
        both = np.stack([planted(40, 1, 0.9), uniform(40)])
        self.assertEqual(scores.previous_token(both).shape, (2,))
        self.assertGreater(scores.previous_token(both)[0], scores.previous_token(both)[1])

    def test_repeated_tokens_are_twice_the_same(self) -> None:
        tokens = scores.repeated(3, 8, 100, 1)
        np.testing.assert_array_equal(tokens[:, :8], tokens[:, 8:])
        self.assertEqual(tokens.shape, (3, 16))


class Pieces(unittest.TestCase):
    def test_every_token_is_a_target_once(self) -> None:
        tokens, targets = scores.pieces(np.arange(10, dtype=np.uint16), 4, 99)
        np.testing.assert_array_equal(targets, [[0, 1, 2, 3], [4, 5, 6, 7]])
        np.testing.assert_array_equal(tokens, [[99, 0, 1, 2], [99, 4, 5, 6]])


class Shape(unittest.TestCase):
    def test_a_helix_is_three_dimensional_and_smooth(self) -> None:
        turn = np.arange(200) / 20
        helix = np.stack([np.cos(turn), np.sin(turn), turn / 10], 1) @ np.eye(3, 12) + 5
        self.assertAlmostEqual(scores.explained(helix), 1)
        self.assertGreater(scores.adjacent_cosine(helix), 0.999)

    def test_noise_is_not(self) -> None:
        noise = np.random.default_rng(1).normal(size=(400, 64))
        self.assertLess(scores.explained(noise), 0.12)
        self.assertLess(abs(scores.adjacent_cosine(noise)), 0.05)

    def test_zero_rows_have_no_shape(self) -> None:
        found = scores.shape_of(np.zeros((8, 4), np.float32))
        self.assertEqual(set(found.values()), {0.0})


class Emergence(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(2)
        self.snapshots = []
        for step in range(3):
            row = {name: np.float64(10 * step + i) for i, name in enumerate(emergence.FIGURES)}
            wpe = rng.normal(size=(40, 24)) * np.linspace(2, 0.1, 24) + rng.normal(size=24)
            self.snapshots.append({**row, "wpe": wpe.astype("<f4")})

    def test_each_step_is_its_own_best_rank_16(self) -> None:
        found = emergence.tensors(self.snapshots)
        for step, row in enumerate(self.snapshots):
            rows = row["wpe"].astype(np.float64)
            left, values, axes = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
            best = left[:, :16] * values[:16] @ axes[:16]
            parts = {name: array[step].astype(np.float64) for name, array in found.items()}
            np.testing.assert_allclose(parts["scores"] @ parts["axes"], best, atol=0.01)
            np.testing.assert_allclose(parts["mean"], rows.mean(0), atol=1e-3)
            np.testing.assert_allclose(parts["singular_values"], values, rtol=1e-6)
            np.testing.assert_allclose(parts["axes"] @ parts["axes"].T, np.eye(16), atol=2e-3)
            self.assertEqual(parts["tokens"], row["tokens"])

    def test_shapes_and_types(self) -> None:
        found = emergence.tensors(self.snapshots)
        shapes = {name: (array.shape, array.dtype.str) for name, array in found.items()}
        self.assertEqual(shapes.pop("scores"), ((3, 40, 16), "<f2"))
        self.assertEqual(shapes.pop("axes"), ((3, 16, 24), "<f2"))
        self.assertEqual(shapes.pop("mean"), ((3, 24), "<f2"))
        self.assertEqual(shapes.pop("singular_values"), ((3, 24), "<f4"))
        self.assertEqual(shapes, {name: ((3,), "<f4") for name in emergence.FIGURES})

    def test_zero_positions_stay_zero(self) -> None:
        reduced = emergence.reduce(np.zeros((20, 18)))
        self.assertEqual(np.abs(reduced.scores).max(), 0)
        self.assertTrue(np.isfinite(reduced.axes).all())


if __name__ == "__main__":
    unittest.main()
