"""Random numbers, control models and chance levels against numpy: the same seeds, drawn with numpy's own generator."""

import json
import os
import struct
import subprocess
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import in_order, noise, normals, walk

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
MODELS = ROOT / "assets" / "models"
DTYPES = {"F16": "<f2", "F32": "<f4"}


def read_tensor(model, name):
    with (MODELS / model / "model.safetensors").open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        info = json.loads(file.read(length))[name]
        begin, end = info["data_offsets"]
        file.seek(8 + length + begin)
        return np.frombuffer(file.read(end - begin), dtype=DTYPES[info["dtype"]]).reshape(info["shape"]).astype(np.float64)


def run(study, model, *options):
    done = subprocess.run([CLI, "run", study, "--model", str(MODELS / model), "--json", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def scalar(result, name):
    return float(result["scalars"][name]["value"])


def array(result, name):
    found = result["arrays"][name]
    return np.array(found["data"], dtype=float).reshape(found["shape"])


@unittest.skipIf(np is None, "numpy is not there")
class ControlsTest(unittest.TestCase):
    def columns(self, model, control):
        result = run("position_dimension", model, "--control", control, "--set", "dimensions=0,5,100", "--set", "first=0")
        return array(result, "values").T

    def test_positions_of_every_kind(self):
        for model in ("minihelix", "gpt2-positions"):
            rows = read_tensor(model, "wpe.weight")
            expected = {
                "walk": walk(rows, np.random.default_rng(3)),
                "noise": noise(np.linalg.norm(rows, axis=1), rows.shape[1], np.random.default_rng(3)),
                "rows": rows[in_order(len(rows), np.random.default_rng(3))],
            }
            for kind, table in expected.items():
                with self.subTest(model=model, kind=kind):
                    np.testing.assert_allclose(self.columns(model, f"{kind}:3"), table[:, [0, 5, 100]].astype("<f4"), rtol=2e-7, atol=1e-7)

    def test_weights_come_from_streams_of_their_names(self):
        for name, options in {"wpe.weight": [], "wte.weight": ["--set", "matrix=wte"], "h.2.mlp.c_fc.weight": ["--set", "matrix=fc", "--set", "layer=2"]}.items():
            stored = read_tensor("minihelix", name)
            rng = np.random.default_rng([7, *name.encode()])
            table = (stored.mean() + stored.std() * normals(rng, stored.size).reshape(stored.shape)).astype("<f4").astype(float)
            result = run("spectrum", "minihelix", "--control", "weights:7", *options)
            np.testing.assert_allclose(array(result, "singular_values"), np.linalg.svd(table, compute_uv=False), rtol=1e-5)

    def test_provenance_and_claims(self):
        result = run("position_helix", "gpt2-positions", "--control", "walk:3")
        self.assertEqual(result["provenance"]["model"], "control:walk:3@gpt2-positions")
        for claim in result["claims"]:
            self.assertIsNone(claim["holds"], claim["id"])

    def test_walks_of_the_helix(self):
        rows = read_tensor("minihelix", "wpe.weight")[1:]
        result = run("position_helix", "minihelix")
        self.assertEqual(array(result, "walk_turns").size, 20)
        for seed in (1, 2, 20):
            table = walk(rows, np.random.default_rng(seed))
            u, s, _ = np.linalg.svd(table - table.mean(0), full_matrices=False)
            points = u[:, :3] * s[:3]
            steps = np.diff(np.unwrap(np.arctan2(points[:, 1], points[:, 0])))
            turns = abs(steps[np.abs(steps) <= 1].sum()) / (2 * np.pi)
            with self.subTest(seed=seed):
                self.assertAlmostEqual(array(result, "walk_explained_first3")[seed - 1], (s[:3] ** 2).sum() / (s**2).sum(), places=7)
                self.assertAlmostEqual(array(result, "walk_turns")[seed - 1], turns, places=5)
                self.assertAlmostEqual(array(result, "walk_along")[seed - 1], abs(np.corrcoef(points[:, 2], np.arange(len(rows)))[0, 1]), places=5)

    def test_rank_of_a_table_that_was_cut(self):
        rows = read_tensor("minihelix", "wpe.weight")[1:]
        values = np.linalg.svd(rows - rows.mean(0), compute_uv=False)
        self.assertEqual(scalar(run("position_helix", "minihelix"), "rank"), 1 + np.argmax(values[1:] < 0.01 * values[:-1]))

    def test_the_largest_overlap_by_chance(self):
        found = array(run("subspace_overlap", "minihelix"), "random_corner")
        for seed in (1, 2, 20):
            q, _ = np.linalg.qr(normals(np.random.default_rng(seed), 5 * 256).reshape(5, 256).T)
            self.assertAlmostEqual(found[seed - 1], (q[:5] ** 2).max(), places=9)

    def test_three_axes_of_random_rows(self):
        found = array(run("token_cloud", "minihelix"), "random_explained_first3")
        rng = np.random.default_rng(0)
        shares = []
        for _ in range(5):
            values = np.linalg.svd(rng.normal(size=(4095, 256)), compute_uv=False) ** 2
            shares.append(values[:3].sum() / values.sum())
        self.assertAlmostEqual(found.mean(), np.mean(shares), delta=0.02 * np.mean(shares))

    def test_neighbours_in_random_order_at_the_end_of_training(self):
        rows = read_tensor("minihelix", "wpe.weight")
        unit = rows / np.linalg.norm(rows, axis=1)[:, None]
        n = len(rows)
        mean = ((unit @ unit.T).sum() - n) / (n * (n - 1))
        self.assertAlmostEqual(scalar(run("position_emergence", "minihelix"), "shuffled_cosine"), mean, places=3)


if __name__ == "__main__":
    unittest.main()
