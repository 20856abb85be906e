"""attention_sink against the exported script: the term by dimension, its chance level and the removals, on the bundled model and on GPT-2 small's tensors."""

import json
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Heads, disagreements
    from forward_test import helixscope
    from minihelix_test import FOLDER as MINIHELIX
    from minihelix_test import TEXT
    from position_helix_test import real_model
    from studies import attention_sink
    from studies.attention_sink import terms


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "attention_sink", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class AttentionSinkTest(unittest.TestCase):
    def check(self, folder, *options, **given):
        document, scalars, arrays = run(folder, *options, **given)
        self.assertEqual(disagreements(document, attention_sink, folder), [])
        return document, scalars, arrays

    def test_the_bundled_model(self):
        tokens = [token["id"] for token in json.loads(helixscope("tokenize", "--model", MINIHELIX, "--text", TEXT, "--json"))["tokens"]][:40]
        text = ("--tokens", ",".join(map(str, tokens)))
        _, _, arrays = self.check(MINIHELIX, *text, without="mlp")
        self.assertAlmostEqual(arrays["share"][2], 1, delta=1e-5, msg="the keys' bias changes no pattern")
        self.check(MINIHELIX, *text, "--edit", "no_mask", without="positions", dimensions="5,80,5", layer=3)

    def test_the_script_finds_a_planted_dimension(self):
        """The queries' bias meets dimension 7 alone in the keys' weights, which ln_1's gain doubles."""
        d, rng = 16, np.random.default_rng(1)
        tensors = {f"h.{layer}.attn.c_attn.{name}": np.zeros(shape) for layer in range(2) for name, shape in (("weight", (d, 3 * d)), ("bias", 3 * d))}
        tensors |= {f"h.{layer}.ln_1.weight": np.where(np.arange(d) == 7, 2.0, 1.0) for layer in range(2)}
        for layer in range(2):
            tensors[f"h.{layer}.attn.c_attn.bias"][:d] = 1
            tensors[f"h.{layer}.attn.c_attn.weight"][:, d : 2 * d] = rng.normal(0, 1e-3, (d, d))
            tensors[f"h.{layer}.attn.c_attn.weight"][7, d : 2 * d] = 0.5
        raw, gain = terms(Heads(tensors, 2), range(2))
        self.assertEqual((raw.argmax(), gain.argmax()), (7, 7))
        self.assertAlmostEqual(raw[7], 0.5 * d / 2)
        self.assertAlmostEqual(gain[7], d / 2)

    @unittest.skipIf(np is not None and real_model() is None, "GPT-2 small is not at hand")
    def test_the_real_weights(self):
        file = next(real_model().glob("*.safetensors"))
        document, scalars, _ = self.check(file, dimensions="138,378,447")
        self.assertAlmostEqual(scalars["chosen"], 1.3695, delta=5e-5)
        self.assertAlmostEqual(scalars["others"], 0.1757, delta=5e-5)
        self.assertAlmostEqual(scalars["chosen_gain"], 0.1995, delta=5e-5)
        self.assertAlmostEqual(scalars["others_gain"], 0.0613, delta=5e-5)
        self.assertEqual({c["id"]: c["holds"] for c in document["claims"]}, {"SINK-chosen": True, "SINK-others": True})


if __name__ == "__main__":
    unittest.main()
