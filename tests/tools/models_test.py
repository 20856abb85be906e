"""Which folders are models, their names, and their entries in the index."""

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Dict, Optional
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import models  # noqa: E402
import packs  # noqa: E402
from report import Failure  # noqa: E402


class ModelsCase(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        for name, place_of in (("CACHE", "cache"), ("DOWNLOADS", "downloads")):
            patch = mock.patch.object(models, name, self.top / place_of)
            patch.start()
            self.addCleanup(patch.stop)

    def folder(self, name: str, *files: str) -> Path:
        folder = self.top / name
        folder.mkdir(parents=True)
        for file in files:
            (folder / file).write_text(f"content of {file}")
        return folder

    def pack(self, name: str, change: Optional[Dict[str, object]] = None) -> Path:
        """A pack of two shards and a vocabulary, called "packed"; `change` replaces entries of its manifest."""
        folder = self.folder(name, "weights-00001.bin", "weights-00002.bin", "vocab.json")
        shards = [{"file": f"weights-0000{i}.bin", "offset": 28 * (i - 1), "bytes": 28, "sha256": "0" * 64} for i in (1, 2)]
        manifest = {
            "format": "helixscope-pack",
            "version": 1,
            "name": "packed",
            "precision": "f16",
            "bytes": 56,
            "sha256": "a" * 64,
            "missing": ["the MLP matrices"],
            "shards": shards,
            "files": [{"file": "vocab.json", "bytes": 21, "sha256": "0" * 64}],
        }
        (folder / "manifest.json").write_text(json.dumps({**manifest, **(change or {})}))
        return folder

    def said_by_finding(self, folder: Path) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(models.find([folder]), [])
        return said.getvalue()


class Find(ModelsCase):
    def test_named_by_folder_or_by_a_telling_file(self) -> None:
        plain = self.folder("tiny", "model.safetensors", "vocab.json", "notes.txt")
        telling = self.folder("gpt2", "gpt2-small-partial.safetensors", "merges.txt")
        found = models.find([plain, telling])
        self.assertEqual([model.name for model in found], ["tiny", "gpt2-small-partial"])
        self.assertEqual([model.path for model in found], ["models/tiny/", "models/gpt2-small-partial/"])
        self.assertEqual(found[0].files, ("model.safetensors", "vocab.json"))

    def test_folder_of_folders(self) -> None:
        self.folder("all/b", "model.safetensors")
        self.folder("all/a", "model.safetensors")
        self.folder("all/c", "readme.txt")
        found = models.find([self.top / "all"])
        self.assertEqual([model.name for model in found], ["a", "b"])

    def test_usual_name_wins_over_several(self) -> None:
        several = self.folder("several", "a.safetensors", "model.safetensors")
        self.assertEqual(models.find([several])[0].files, ("model.safetensors",))
        self.assertFalse(models.is_model(self.folder("unclear", "a.safetensors", "b.safetensors")))

    def test_a_record_of_training_is_no_model_and_goes_along(self) -> None:
        found = models.find([self.folder("small", "small-one.safetensors", "emergence.safetensors")])
        self.assertEqual(found[0].name, "small-one")
        self.assertEqual(found[0].files, ("small-one.safetensors", "emergence.safetensors"))
        self.assertFalse(models.is_model(self.folder("only", "emergence.safetensors")))

    def test_what_comes_with_the_page(self) -> None:
        self.folder("assets/models/mini", "model.safetensors", "vocab.json")
        found = models.bundled(self.top)
        self.assertEqual([(model.name, model.path) for model in found], [("mini", "assets/models/mini/")])
        self.assertEqual(models.bundled(self.top / "nowhere"), [])

    def test_same_name_twice_and_same_folder_twice(self) -> None:
        one = self.folder("x/gpt2", "model.safetensors")
        two = self.folder("y/gpt2", "model.safetensors")
        self.assertEqual([model.name for model in models.find([one, two, one])], ["gpt2", "gpt2-2"])

    def test_a_link_out_of_the_folder_is_left_out(self) -> None:
        folder = self.folder("linked", "model.safetensors")
        outside = self.folder("outside", "vocab.json")
        (folder / "vocab.json").symlink_to(outside / "vocab.json")
        self.assertEqual(models.find([folder])[0].files, ("model.safetensors",))

    def test_index(self) -> None:
        folder = self.folder("tiny", "model.safetensors")
        content = b"content of model.safetensors"
        expected = {
            "name": "tiny",
            "path": "models/tiny/",
            "files": ["model.safetensors"],
            "bytes": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "precision": "?",
            "missing": ["anything that can be read"],
        }
        self.assertEqual(models.index(models.find([folder])), [expected])


class Packs(ModelsCase):
    def test_a_pack_is_as_its_manifest_says(self) -> None:
        entry = models.index(models.find([self.pack("some folder")]))[0]
        files = ["manifest.json", "weights-00001.bin", "weights-00002.bin", "vocab.json"]
        expected = {"name": "packed", "path": "models/packed/", "files": files, "bytes": 56, "sha256": "a" * 64}
        self.assertEqual(entry, {**expected, "precision": "f16", "missing": ["the MLP matrices"]})
        self.assertEqual(models.find([self.pack("eight", {"precision": "q8"})])[0].precision, "q8")

    def test_a_broken_pack_is_left_out_and_said(self) -> None:
        wrong: Dict[str, Dict[str, object]] = {
            "not that of a pack": {"format": "web-app"},
            "version": {"version": 2},
            "damaged": {"sha256": "none"},
            "outside": {"files": [{"file": "../secret", "bytes": 1}]},
            "list": {"shards": None},
            "size": {"bytes": -1},
            "as large": {"bytes": 57},
        }
        for number, (part, change) in enumerate(wrong.items()):
            self.assertIn(part, self.said_by_finding(self.pack(f"wrong-{number}", change)))
        unreadable = self.pack("unreadable")
        for text in ("", "{", "[" * 100_000, "7"):
            (unreadable / "manifest.json").write_text(text)
            self.assertIn("left out", self.said_by_finding(unreadable))

    def test_a_shard_that_is_missing_or_cut(self) -> None:
        folder = self.pack("cut")
        (folder / "weights-00002.bin").write_text("short")
        self.assertIn("weights-00002.bin has 5 bytes", self.said_by_finding(folder))
        (folder / "weights-00002.bin").unlink()
        self.assertIn("weights-00002.bin is missing", self.said_by_finding(folder))

    def test_a_link_out_of_the_pack(self) -> None:
        folder, outside = self.pack("linked"), self.folder("outside", "vocab.json")
        (folder / "vocab.json").unlink()
        (folder / "vocab.json").symlink_to(outside / "vocab.json")
        self.assertIn("leads out", self.said_by_finding(folder))

    def test_index_for_hosting(self) -> None:
        self.pack("host/gpt2-f16")
        with contextlib.redirect_stdout(io.StringIO()):
            path = models.write_index(self.top / "host")
        entry = json.loads(path.read_text())[0]
        self.assertEqual((entry["name"], entry["path"]), ("packed", "models/gpt2-f16/"))
        with self.assertRaises(Failure):
            models.write_index(self.top / "host" / "gpt2-f16")

    def test_the_program_is_asked_to_pack(self) -> None:
        model = self.folder("gpt2", "model.safetensors")
        with mock.patch.object(packs, "DOWNLOADS", self.top / "downloads"), mock.patch("build.native", return_value="hx"):
            for status in (0, 1):
                answer = mock.Mock(returncode=status)
                with mock.patch.object(packs.subprocess, "run", return_value=answer) as run:
                    with contextlib.redirect_stdout(io.StringIO()):
                        if status == 0:
                            self.assertEqual(packs.make(model, None, "f16"), self.top / "downloads" / "gpt2-f16")
                        else:
                            self.assertRaises(Failure, packs.make, model, None, "f16")
                words = run.call_args[0][0]
                self.assertEqual(words[:4] + words[6:], ["hx", "pack", "--model", str(model), "--precision", "f16"])
            self.assertRaises(Failure, packs.make, self.top / "none", None, "f16")


class Listed(ModelsCase):
    def list_of(self, folder: Path) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            models.print_list(models.find([folder]))
        return said.getvalue()

    def test_precision_and_what_is_missing(self) -> None:
        self.assertRegex(self.list_of(self.pack("some")), r"packed .* f16 +pack .*without the MLP matrices")
        names = ["wpe.weight", "wte.weight", "ln_f.weight"]
        names += [f"h.{n}.{part}.weight" for n in (0, 1) for part in ("ln_1", "attn.c_attn", "mlp.c_fc")]
        for absent, words in ((None, "complete"), ("wte.weight", "without words"), ("h.1.mlp.c_fc.weight", "without MLPs")):
            tensors = {f"transformer.{name}": {"dtype": "BF16"} for name in names if name != absent}
            header = json.dumps({"__metadata__": {}, **tensors}).encode()
            folder = self.folder(f"file-{absent}")
            (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
            self.assertRegex(self.list_of(folder), rf" bf16 +file .*{words}")

    def test_what_is_no_safetensors_file(self) -> None:
        self.assertIn("without anything", self.list_of(self.folder("odd", "model.safetensors")))


class Hash(ModelsCase):
    def test_remembered_until_the_file_changes(self) -> None:
        file = self.folder("tiny", "model.safetensors") / "model.safetensors"
        first = models.sha256_of(file)
        with mock.patch.object(models.hashlib, "sha256", wraps=hashlib.sha256) as hashing:
            self.assertEqual(models.sha256_of(file), first)
            self.assertEqual(hashing.call_count, 1)  # of the key alone
        file.write_text("other")
        self.assertEqual(models.sha256_of(file), hashlib.sha256(b"other").hexdigest())

    def test_nothing_is_written_beside_the_model(self) -> None:
        folder = self.folder("tiny", "model.safetensors")
        models.find([folder])
        self.assertEqual(os.listdir(folder), ["model.safetensors"])


class Chosen(ModelsCase):
    def test_order(self) -> None:
        given, named = self.folder("given"), self.folder("named")
        shared = self.folder("shared/gpt2", "model.safetensors")
        downloads = self.folder("downloads")
        with mock.patch.dict(os.environ, {"HELIXSCOPE_MODELS": f"{named}:{self.top}/none"}):
            with mock.patch.object(models, "ROOT", self.top / "clone"):
                self.assertEqual(models.chosen_folders([str(given)]), [given, named, shared])  # nothing got yet
                self.folder("downloads/gpt2", "model.safetensors")
                self.assertEqual(models.chosen_folders([str(given)]), [given, named, downloads, shared])

    def test_a_wrong_option_is_an_error(self) -> None:
        with self.assertRaises(Failure):
            models.chosen_folders([str(self.top / "none")])


if __name__ == "__main__":
    unittest.main()
