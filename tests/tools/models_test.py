"""Which folders are models, under what names, and what the index says of them."""

import hashlib
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import models  # noqa: E402
from report import Failure  # noqa: E402


class ModelsCase(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        patch = mock.patch.object(models, "CACHE", self.top / "cache")
        patch.start()
        self.addCleanup(patch.stop)

    def folder(self, name: str, *files: str) -> Path:
        folder = self.top / name
        folder.mkdir(parents=True)
        for file in files:
            (folder / file).write_text(f"content of {file}")
        return folder


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
        self.folder("all/a", "manifest.json", "shard-0.bin")
        self.folder("all/c", "readme.txt")
        found = models.find([self.top / "all"])
        self.assertEqual([model.name for model in found], ["a", "b"])
        self.assertEqual(found[0].files, ("manifest.json",))
        self.assertEqual(found[0].bytes, len("content of shard-0.bin"))

    def test_usual_name_wins_over_several(self) -> None:
        several = self.folder("several", "a.safetensors", "model.safetensors")
        self.assertEqual(models.find([several])[0].files, ("model.safetensors",))
        self.assertFalse(models.is_model(self.folder("unclear", "a.safetensors", "b.safetensors")))

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
        }
        self.assertEqual(models.index(models.find([folder])), [expected])


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
        shared = self.folder("shared/gpt2")
        with mock.patch.dict(os.environ, {"HELIXSCOPE_MODELS": f"{named}:{self.top}/none"}):
            with mock.patch.object(models, "ROOT", self.top / "clone"):
                self.assertEqual(models.chosen_folders([str(given)]), [given, named, shared])

    def test_a_wrong_option_is_an_error(self) -> None:
        with self.assertRaises(Failure):
            models.chosen_folders([str(self.top / "none")])


if __name__ == "__main__":
    unittest.main()
