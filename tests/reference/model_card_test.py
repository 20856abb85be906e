"""model_card against the file's own header, read without our loader: the bundled models and GPT-2 small."""

import json
import math
import unittest

from forward_test import helixscope
from position_helix_test import ROOT, real_model

PARTS = (("tokens", "wte.weight"), ("positions", "wpe.weight"), ("qkv", "attn.c_attn."), ("output", "attn.c_proj."), ("mlp_in", "mlp.c_fc."), ("mlp_out", "mlp.c_proj."), ("norms", "ln_"))


def tensors_of(folder):
    path = next(folder.glob("*.safetensors")) if not (folder / "model.safetensors").exists() else folder / "model.safetensors"
    with path.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return {name: entry for name, entry in header.items() if name != "__metadata__"}


class Card(unittest.TestCase):
    def check(self, folder):
        tensors = tensors_of(folder)
        document = json.loads(helixscope("run", "model_card", "--model", folder, "--json"))
        value = {name: float(scalar["value"]) for name, scalar in document["scalars"].items()}
        data = {name: entry["data"] for name, entry in document["arrays"].items()}
        words = {name: entry["data"] for name, entry in document["words"].items()}
        self.assertEqual(sorted(words["name"]), sorted(tensors))
        for i, name in enumerate(words["name"]):
            shape = [int(x) for x in data["shapes"][4 * i : 4 * i + 4] if x != "nan"]
            self.assertEqual(shape, tensors[name]["shape"])
            self.assertEqual(words["stored"][i], tensors[name]["dtype"])
            self.assertEqual(data["tensor_parameters"][i], math.prod(shape))
        counts = dict(zip(words["part"], data["part_parameters"]))
        for part, said in PARTS:
            self.assertEqual(counts[part], sum(math.prod(t["shape"]) for name, t in tensors.items() if said in name), part)
        self.assertEqual(value["parameters"], sum(math.prod(t["shape"]) for t in tensors.values()))
        self.assertEqual(value["bytes"], sum(t["data_offsets"][1] - t["data_offsets"][0] for t in tensors.values()))
        return document, value

    def test_the_bundled_models(self):
        models = ROOT / "assets" / "models"
        _, value = self.check(models / "minihelix")
        config = json.loads((models / "minihelix" / "config.json").read_text())
        self.assertEqual(value["n_head"], config["n_head"])
        self.assertEqual(value["n_layer"], config["n_layer"])
        self.assertEqual(value["whole"], value["parameters"])
        _, value = self.check(models / "gpt2-positions")
        self.assertEqual(value["parameters"], 1024 * 768)

    def test_gpt2_small(self):
        folder = real_model()
        if folder is None:
            self.skipTest("GPT-2 small's weights are not at hand")
        document, value = self.check(folder)
        self.assertEqual(value["n_layer"], 12)
        (claim,) = document["claims"]
        self.assertEqual(claim["here"], 13)
        if "wte.weight" in tensors_of(folder):
            self.assertEqual(value["parameters"], 124439808)
            self.assertTrue(claim["holds"])
        else:
            self.assertIn("wte.weight", claim["needs"])


if __name__ == "__main__":
    unittest.main()
