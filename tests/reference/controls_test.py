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

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
MODELS = ROOT / "assets" / "models"
DTYPES = {"F16": "<f2", "F32": "<f4"}


def normals(rng, n):
    u = rng.random(2 * ((n + 1) // 2)).reshape(-1, 2)
    r, a = np.sqrt(-2 * np.log(1 - u[:, 0])), 2 * np.pi * u[:, 1]
    return np.stack([r * np.cos(a), r * np.sin(a)], 1).ravel()[:n]


def noise(norms, d, rng):
    g = normals(rng, len(norms) * d).reshape(-1, d)
    return g * (norms / np.linalg.norm(g, axis=1))[:, None]


def walk(rows, rng):
    steps = noise(np.linalg.norm(np.diff(rows, axis=0), axis=1), rows.shape[1], rng)
    return rows[0] + np.concatenate([np.zeros((1, rows.shape[1])), steps]).cumsum(0)


def in_order(n, rng):
    order = list(range(n))
    for i in range(n - 1, 0, -1):
        j = int(rng.random() * (i + 1))
        order[i], order[j] = order[j], order[i]
    return order


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


if __name__ == "__main__":
    unittest.main()
