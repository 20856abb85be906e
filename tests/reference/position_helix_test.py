"""position_helix against numpy: the same numbers from code that shares nothing with ours, on GPT-2 and on random weights."""

import itertools
import json
import os
import struct
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import differences, position_helix

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
TOLERANCE = {"others": 1e-8, "explained": 1e-10, "explained_first3": 1e-10, "residual": 1e-9, "turns": 1e-9, "walk_explained_first3": 1e-7, "walk_turns": 1e-5, "walk_along": 1e-5, "along": 1e-6}
DEFAULTS = {"source": "learned", "first": 1, "last": 1023, "group": 1, "fit_first": -1, "fit_last": -1, "base": 10000.0, "positions": 1024, "dimensions": 768, "centre": True, "plane": (1, 2)}


def real_model():
    """The folder of GPT-2 small's weights, or None."""
    named = [Path(name) for name in os.environ.get("HELIXSCOPE_MODELS", "").split(":") if name]
    folders = [*named, ROOT.parent / "shared" / "gpt2"]
    return next((folder for folder in folders if folder.is_dir() and any(folder.glob("*.safetensors"))), None)


def read_wpe(folder):
    """wpe as float64, read without our loader."""
    path = next(Path(folder).glob("*.safetensors"))
    with path.open("rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        info = header.get("wpe.weight") or header["transformer.wpe.weight"]
        begin, end = info["data_offsets"]
        file.seek(8 + length + begin)
        data = file.read(end - begin)
    assert info["dtype"] == "F32"
    return np.frombuffer(data, dtype="<f4").reshape(info["shape"]).astype(np.float64)


def write_wpe(folder, rows):
    data = rows.astype("<f4").tobytes()
    header = json.dumps({"wpe.weight": {"dtype": "F32", "shape": list(rows.shape), "data_offsets": [0, len(data)]}}).encode()
    (Path(folder) / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + data)


def expected(wpe, given):
    """The numbers of the exported script, but for the random walks."""
    p = {**DEFAULTS, **given}
    return position_helix.of_fit(position_helix.fit_of(wpe, p), p)


def text_of(value):
    if isinstance(value, bool):
        return "1" if value else "0"
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def run_study(folder, given):
    sets = [word for key, value in given.items() for word in ("--set", f"{key}={text_of(value)}")]
    done = subprocess.run([CLI, "run", "position_helix", "--model", str(folder), "--json", *sets], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def array(document, name):
    found = document["arrays"][name]
    return np.array([float(x) for x in found["data"]]).reshape(found["shape"])


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class Compared(unittest.TestCase):
    def compare(self, folder, wpe, given, walks=True):
        with self.subTest(**given):
            document, p = run_study(folder, given), {**DEFAULTS, **given}
            want = position_helix.numbers({"wpe.weight": wpe}, p, [], []) if walks else expected(wpe, given)
            self.assertEqual(differences(document, want, TOLERANCE, left_out=None if given else ()), [])
            if "points" not in want:
                return
            points, there = array(document, "points"), want["points"]
            for k in range(points.shape[1]):  # small components, too, are as precise
                if not np.ma.getmaskarray(there)[:, k].any():
                    np.testing.assert_allclose(points[:, k], there.data[:, k], rtol=0, atol=1e-8 * np.abs(there.data[:, k]).max(), err_msg=f"component {k + 1}")


class RandomWeights(Compared):
    """Random weights: ranges longer and shorter than the number of dimensions, groups that do not divide the range."""

    def settings(self, count):
        ranges = [(0, count - 1), (1, count - 1), (3, 40), (10, 12), (count - 30, count - 1), (1, 10 * count)]
        for (first, last), centre, group in itertools.product(ranges, (True, False), (1, 7)):
            yield {"first": first, "last": last, "centre": centre, "group": group}
        for plane in ((1, 3), (2, 1), (3, 2)):
            yield {"plane": plane}
        for fit in ((0, 20), (50, count - 1), (0, count - 1)):
            yield {"first": 5, "last": 45, "fit_first": fit[0], "fit_last": fit[1]}
            yield {"first": 5, "last": 45, "fit_first": fit[0], "fit_last": fit[1], "centre": False, "group": 3}
        for base in (2, 100, 10000, 1e6):
            yield {"source": "sinusoidal", "first": 0, "base": base, "positions": count, "dimensions": 33}
        yield {"source": "sinusoidal", "first": 2, "last": 60, "positions": 90, "dimensions": 48, "group": 5, "centre": False}
        yield {"source": "sinusoidal", "first": 0, "base": 1000.0}  # 153, whatever model is open

    def check_all(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            write_wpe(folder, rows)
            wpe = read_wpe(folder)
            for given in self.settings(len(rows)):
                self.compare(folder, wpe, given)

    def test_noise(self):
        random = np.random.default_rng(3)
        self.check_all(random.normal(size=(120, 48)) * np.linspace(2, 0.5, 48) + 0.3)

    def test_helix_in_noise(self):
        random = np.random.default_rng(5)
        t = np.linspace(0, 1, 150)
        curve = np.stack([1.3 * np.cos(15 * t), np.sin(15 * t), 2 * t], axis=1)
        self.check_all(curve @ random.normal(size=(3, 32)) + 0.01 * random.normal(size=(150, 32)))


class Gpt2(Compared):
    """The real positions, and numbers of the texts as plain constants."""

    @classmethod
    def setUpClass(cls):
        if np is None:
            raise unittest.SkipTest("numpy is not installed, so nothing is compared with it")
        cls.folder = real_model()
        if cls.folder is None:
            raise unittest.SkipTest("no GPT-2 weights here (set HELIXSCOPE_MODELS to their folder)")
        cls.wpe = read_wpe(cls.folder)

    def test_settings(self):
        settings = [
            {}, {"first": 0}, {"first": 100}, {"last": 99}, {"last": 1022}, {"centre": False}, {"group": 10}, {"group": 100},
            {"last": 99, "fit_first": 100, "fit_last": 1023}, {"first": 100, "fit_first": 1, "fit_last": 99}, {"plane": (1, 3)},
            {"source": "sinusoidal", "first": 0}, {"source": "sinusoidal", "first": 0, "base": 1000.0},
        ]  # fmt: skip
        for given in settings:
            self.compare(self.folder, self.wpe, given, walks=given == {})

    def test_numpy_finds_what_the_texts_say(self):
        if self.wpe.shape != (1024, 768):
            self.skipTest("these are not the positions of GPT-2 small")
        for given, share in (({"first": 0}, 0.9039), ({}, 0.9106), ({"first": 100}, 0.9511), ({"last": 99}, 0.9640)):
            self.assertAlmostEqual(expected(self.wpe, given)["explained_first3"], share, places=4)
        for base, count in ((10000.0, 137), (1000.0, 153)):
            found = expected(self.wpe, {"source": "sinusoidal", "first": 0, "base": base})
            self.assertEqual(found["components_for_90"], count)

    def test_static_picture(self):
        """The text for visitors whose browser cannot compute."""
        if self.wpe.shape != (1024, 768):
            self.skipTest("these are not the positions of GPT-2 small")
        found = expected(self.wpe, {})
        picture = (ROOT / "web" / "plain.svg").read_text(encoding="utf-8")
        for component in range(3):
            self.assertIn(f">{100 * found['explained'][component]:.1f} %<", picture)
        self.assertIn(f">{100 * found['explained_first3']:.2f} %<", picture)
        self.assertIn("make 3.02 turns", picture)


if __name__ == "__main__":
    unittest.main()
