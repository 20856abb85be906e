"""layer_frames against numpy: spectra, edges, angles, ranks, the map and the null, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import normals
    from forward_test import helixscope, some_tokens
    from gpt2_reference import Reference, random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from studies.layer_frames import compare_frames, count, edge

CRITERIA = ("mean", "median", "geometric", "geometric_text", "share", "gap")


def residual_stream(hooks):
    layers = max(int(name.split(".")[1]) for name in hooks if name.startswith("blocks.")) + 1
    names = [f"blocks.{layer}.hook_resid_pre" for layer in range(layers)] + [f"blocks.{layers - 1}.hook_resid_post"]
    return [np.asarray(hooks[name], np.float64) for name in names]


def classical_map(distances):
    centring = np.eye(len(distances)) - 1 / len(distances)
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    at = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    there = np.linalg.norm(at[:, None] - at[None], axis=-1)
    return at, np.sqrt(((there - distances) ** 2).sum() / (distances**2).sum())


def random_frames(dimensions, features, seed):
    rng, frames = np.random.default_rng(seed), []
    for d in dimensions:
        frames.append(np.linalg.qr(normals(rng, d * features).reshape(d, features).T)[0].T)
    return frames


@unittest.skipIf(np is None, "numpy is not installed")
class LayerFrames(unittest.TestCase):
    def check(self, folder, tensors, heads, tokens, criterion="mean", first=0, threshold=0.9):
        stream = residual_stream(Reference(tensors, heads).run(tokens)[0])
        stream = [rows[first:] - rows[first:].mean(0) for rows in stream]
        samples, features = len(stream[0]) - 1, stream[0].shape[1]
        values, directions = zip(*((s[:samples] ** 2, v) for _, s, v in (np.linalg.svd(rows, full_matrices=False) for rows in stream)))
        ids = ",".join(map(str, tokens))
        given = {"criterion": criterion, "first": first, "threshold": threshold}
        words = [word for key, value in given.items() for word in ("--set", f"{key}={value}")]
        document = json.loads(helixscope("run", "layer_frames", "--model", folder, "--tokens", ids, *words, "--json"))
        here = {name: np.array(a["data"], float).reshape(a["shape"]) for name, a in document["arrays"].items()}
        scalar = {name: float(s["value"]) for name, s in document["scalars"].items()}

        shares = np.array([v / v.sum() for v in values])
        shown = here["share"].shape[1]
        np.testing.assert_allclose(here["share"], shares[:, :shown], atol=1e-6, rtol=1e-3)
        np.testing.assert_allclose(here["participation"], 1 / (shares**2).sum(1), rtol=1e-4)
        dimensions = [count(v, samples, features, criterion) for v in values]
        self.assertEqual(list(here["dimensions"]), dimensions)
        if criterion not in ("share", "gap"):
            edges = [edge(v, samples, features, criterion) / v.sum() for v in values]
            np.testing.assert_allclose(here["edge"], edges, rtol=1e-3)
        for c, rule in enumerate(CRITERIA[:5]):
            mean = np.mean([count(v, samples, features, rule) for v in values])
            self.assertLessEqual(abs(here["rule_dimensions"][c] - mean), 0.3 if "geometric" in rule else 1e-9, rule)
        noise = [np.linalg.svd(normals(np.random.default_rng(seed), samples * features).reshape(samples, features), compute_uv=False)[:samples] ** 2 for seed in range(1, 6)]
        for c, rule in enumerate(CRITERIA):
            self.assertAlmostEqual(here["rule_noise"][c], np.mean([count(v, samples, features, rule) for v in noise]))
        np.testing.assert_allclose(here["noise_share"], noise[0][:shown] / noise[0].sum(), rtol=1e-6)

        frames = [v[:d] for v, d in zip(directions, dimensions)]
        there = compare_frames(frames, threshold)
        np.testing.assert_allclose(here["angles"], there["angles"], atol=0.05)
        np.testing.assert_allclose(here["overlap"], there["overlap"], atol=1e-9)
        for name in ("mean_angle", "most_angle", "least_angle", "consecutive_angle", "dispersion", "overlapping", "union_rank", "union_effective", "order"):
            np.testing.assert_allclose(scalar[name], there[name], rtol=2e-3, err_msg=name)
        at, stress = classical_map(there["angles"])
        self.assertAlmostEqual(scalar["stress"], stress, delta=2e-3)
        np.testing.assert_allclose(abs(here["mds"]), abs(at), atol=0.05 * np.abs(at).max())
        random = [compare_frames(random_frames(dimensions, features, seed), threshold) for seed in range(1, 6)]
        self.assertAlmostEqual(scalar["random_dispersion"], np.mean([r["dispersion"] for r in random]), delta=1e-6)
        self.assertAlmostEqual(scalar["random_union_effective"], np.mean([r["union_effective"] for r in random]), delta=1e-4)
        self.assertEqual(here["length"][-1], samples + 1)
        self.assertEqual(here["length_angle"][-1], scalar["mean_angle"])
        return here, scalar

    def test_the_bundled_model(self):
        config = json.loads((MINIHELIX / "config.json").read_text())
        tensors = read_tensors(MINIHELIX / "model.safetensors")
        text = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))
        tokens = [token["id"] for token in text["tokens"]]
        for criterion in CRITERIA[:5]:
            with self.subTest(criterion=criterion):
                here, scalar = self.check(MINIHELIX, tensors, config["n_head"], tokens, criterion)
                self.assertLess(scalar["dispersion"], scalar["random_dispersion"])
        here, _ = self.check(MINIHELIX, tensors, config["n_head"], tokens, first=1, threshold=0.5)
        self.assertEqual(list(here["length"]), [15, 50, len(tokens) - 1])

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 120, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for criterion in ("geometric", "share"):  # by the mean eigenvalue random embeddings have no signal
                with self.subTest(criterion=criterion):
                    self.check(folder, tensors, 4, some_tokens(90, 97), criterion)


if __name__ == "__main__":
    unittest.main()
