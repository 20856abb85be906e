"""head_logits against numpy: what each part adds to a difference of logits, on the bundled model and on random weights; over the
set of prompts as the mean of single runs."""

import json
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    np = None
else:
    from exported import Edited, Weights
    from forward_test import helixscope, some_tokens
    from gpt2_reference import random_checkpoint, write_checkpoint
    from minihelix_test import FOLDER as MINIHELIX
    from studies.head_logits import numbers, of_text

NAMES = "When John and Mary went to the shops, John gave the bag to"
PARAMS = {"prompts": "text", "answer": "", "against": "", "value_bias": "biases"}


def run(folder, *options, **given):
    sets = [argument for key, value in given.items() for argument in ("--set", f"{key}={value}")]
    document = json.loads(helixscope("run", "head_logits", "--model", folder, *options, *sets, "--json"))
    scalars = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
    arrays = {name: np.array([float(x) for x in entry["data"]]).reshape(entry["shape"]) for name, entry in document["arrays"].items()}
    return document, scalars, arrays


def tokens_of(folder, text):
    return [token["id"] for token in json.loads(helixscope("tokenize", "--model", folder, "--text", text, "--json"))["tokens"]]


@unittest.skipIf(np is None, "numpy is not installed, so nothing is compared with it")
class HeadLogitsTest(unittest.TestCase):
    def check(self, folder, tokens, edits=(), **given):
        more = [argument for edit in edits for argument in ("--edit", edit)]
        _, scalars, arrays = run(folder, "--tokens", ",".join(map(str, tokens)), *more, **given)
        expected = numbers(Weights(folder), PARAMS | given, tokens, list(edits))
        limit = 1e-4 * max(1, np.abs(arrays["contribution"]).max(), np.abs(arrays["part"]).max())
        for name, value in expected.items():
            with self.subTest(number=name):
                np.testing.assert_allclose(scalars[name] if name in scalars else arrays[name], value, atol=10 * limit)
        self.assertLess(abs(arrays["contribution"].sum() + arrays["part"].sum() - scalars["difference"]), limit)
        return scalars, arrays

    def test_the_bundled_model(self):
        tokens = tokens_of(MINIHELIX, NAMES)
        for given in ({}, {"value_bias": "heads"}, {"answer": " Mary", "against": " John"}):
            with self.subTest(given):
                self.check(MINIHELIX, tokens, **given)
        self.check(MINIHELIX, tokens, ["ablate_head:5.0", "scale_attn:3:2"], answer=" Mary")

    def test_random_weights(self):
        tensors, config = random_checkpoint(3, 64, 4, 60, 97, spread=0.2)
        with tempfile.TemporaryDirectory() as folder:
            write_checkpoint(folder, tensors, config)
            for given in ({}, {"value_bias": "heads"}):
                self.check(folder, some_tokens(20, 97), **given)

    def test_removing_a_head_where_only_the_direct_path_is_left(self):
        """After the last attention only its MLP reads on: without that, and with the scales frozen, a removal of a last-layer head takes exactly
        what the head adds."""
        tokens = tokens_of(MINIHELIX, NAMES)
        still = ["zero_mlp:5", "freeze_norms"]
        model = Edited(Weights(MINIHELIX), 8, still)
        ids = tokens_of(MINIHELIX, " Mary") + tokens_of(MINIHELIX, " John")
        lead = lambda edits: float(np.subtract(*Edited(Weights(MINIHELIX), 8, edits).run(tokens)[1][-1][ids]))
        whole = lead(still)
        _, arrays = self.check(MINIHELIX, tokens, still, answer=" Mary", against=" John", value_bias="heads")
        self.assertEqual(model.layers, 6)
        for head in range(8):
            self.assertAlmostEqual(whole - lead([*still, f"ablate_head:5.{head}"]), arrays["contribution"][5, head], delta=1e-3)

    def test_the_set_of_prompts(self):
        document, scalars, arrays = run(MINIHELIX, prompts="set")
        sentences = document["words"]["sentences"]["data"]
        self.assertEqual(len(set(sentences)), 32)
        weights, each, by_head, by_chance = Weights(MINIHELIX), [], [], []
        for sentence in sentences:
            # The giver is named twice; whose name stands once is to come next.
            words = sentence.replace(",", "").split()
            names = [word for word in words if word[0].isupper() and word not in ("When", "After", "While", "In")]
            giver = max(names, key=names.count)
            right = next(name for name in names if name != giver)
            self.assertEqual((names.count(giver), names.count(right)), (2, 1))
            found, random = of_text(weights, PARAMS | {"answer": f" {right}", "against": f" {giver}"}, tokens_of(MINIHELIX, sentence), [])
            by_chance.append(random)
            each.append(found["difference"])
            by_head.append(found["contribution"])
        np.testing.assert_allclose(arrays["by_prompt"], each, atol=1e-3)
        np.testing.assert_allclose(arrays["contribution"], np.mean(by_head, 0), atol=1e-4)
        np.testing.assert_allclose(arrays["deviation"], np.std(by_head, 0), atol=1e-4)
        # Each seed draws two tokens for all prompts: with two for each prompt their mean would tend to 0, and any head would stand out.
        np.testing.assert_allclose(arrays["random_strongest"], np.abs(np.mean(by_chance, 0)).max((1, 2)), atol=1e-3)
        self.assertAlmostEqual(scalars["difference"], np.mean(each), delta=1e-4)
        self.assertAlmostEqual(scalars["spread"], np.std(each), delta=1e-4)
        self.assertEqual(scalars["right"], np.mean(np.array(each) > 0))


if __name__ == "__main__":
    unittest.main()
