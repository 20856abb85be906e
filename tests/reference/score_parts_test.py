"""score_parts against numpy: queries and keys as sums of position, token and what is shared, on the bundled model and on random weights."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited, normals
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT, read_tensors
    from studies.score_parts import centred, normalized, random_texts, scores, shares

SAMPLED, LAGS = 96, 33


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "score_parts", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


def sides(model, ids, layer, bos):
    """Position, token, shared: [3, position, d_model]; and LayerNorm's scales."""
    name = f"blocks.{layer}.hook_resid_pre"
    hooks = model.run(ids)[0]
    x, scale = hooks[name], hooks[f"blocks.{layer}.ln1.hook_scale"]
    texts = random_texts(ids, bos)
    means = np.mean([model.run(text)[0]["hook_embed" if layer == 0 else name] for text in texts], 0)
    by_position = hooks["hook_pos_embed"] if layer == 0 else means
    position = by_position - by_position.mean(0)
    shared = np.broadcast_to(by_position.mean(0) + (means.mean(0) if layer == 0 else 0), x.shape)
    return np.stack([position, x - position - shared, shared]), scale.reshape(-1, 1)


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class ScorePartsTest(unittest.TestCase):
    def check(self, folder, tensors, heads, ids, layer, head, *options, edits=(), bos=False):
        tokens = ("--tokens", ",".join(map(str, ids[int(bos) :])))
        document, scalars, arrays = run(folder, *tokens, *(["--bos"] if bos else []), *options, layer=layer, head=head)
        model = Edited(tensors, heads, edits)
        d = tensors["ln_f.weight"].shape[0]
        size = d // heads
        parts, scale = sides(model, ids, layer, bos)
        z = normalized(parts, scale, tensors[f"h.{layer}.ln_1.weight"], tensors[f"h.{layer}.ln_1.bias"])
        w, b = tensors[f"h.{layer}.attn.c_attn.weight"], tensors[f"h.{layer}.attn.c_attn.bias"]
        own = slice(head * size, (head + 1) * size)
        w_q, w_k, b_q, b_k = w[:, own], w[:, d : 2 * d][:, own], b[own], b[d : 2 * d][own]
        whole = scores(z, w_q, w_k, b_q, b_k)
        np.testing.assert_allclose(whole.sum(0), model.run(ids)[0][f"blocks.{layer}.attn.hook_scores_raw"][head], atol=1e-4)
        ours = centred(whole)
        np.testing.assert_allclose(arrays["share"], shares(ours), atol=2e-4)
        np.testing.assert_allclose(arrays["parts"], ours, atol=2e-3)
        for lag in (0, 1, 2, min(len(ids) - 1, LAGS) - 1):
            there = [ours[:, i, i - lag] for i in range(max(lag + 1, 2), len(ids))]
            np.testing.assert_allclose(arrays["by_lag"][:, lag], np.mean(there, 0), atol=1e-3)
            self.assertAlmostEqual(arrays["score_by_lag"][lag], np.mean(there, 0).sum(), delta=1e-3)
        some = [i * (len(ids) - 1) // (min(len(ids), SAMPLED) - 1) for i in range(min(len(ids), SAMPLED))]
        for seed in (1, 20):
            rng = np.random.default_rng(seed)
            drawn = [like.mean() + like.std() * normals(rng, like.size).reshape(like.shape) for like in (w_q, w_k)]
            np.testing.assert_allclose(arrays["random_share"][seed - 1], shares(centred(scores(z[:, some], *drawn, b_q, b_k))), atol=2e-4)
        return scalars

    def test_the_bundled_model(self):
        tensors = {name: np.asarray(t, np.float64) for name, t in read_tensors(MINIHELIX / "model.safetensors").items()}
        heads = json.loads((MINIHELIX / "config.json").read_text())["n_head"]
        tokens = json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT[:160], "--json"))
        ids = [token["id"] for token in tokens["tokens"]]
        scalars = self.check(MINIHELIX, tensors, heads, ids, 4, 4)
        self.assertEqual(scalars["peak_lag"], 1)
        self.check(MINIHELIX, tensors, heads, ids, 0, 3)
        end = json.loads((MINIHELIX / "config.json").read_text())["eos_token_id"]
        self.check(MINIHELIX, tensors, heads, [end, *ids], 4, 4, bos=True)

    def test_random_weights_and_edits(self):
        tensors, config = random_checkpoint(2, 24, 2, 40, 90, seed=3, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            wide = {name: np.asarray(t, np.float64) for name, t in tensors.items()}
            ids = list(some_tokens(20, 90))
            self.check(folder, wide, 2, ids, 1, 1)
            self.check(folder, wide, 2, ids, 0, 1)
            self.check(folder, wide, 2, ids, 1, 0, "--edit", "zero_positions", edits=["zero_positions"])


if __name__ == "__main__":
    unittest.main()
