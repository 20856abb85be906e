"""What ./dev fuzz does with a program that breaks: it stops and names the case, and the same case is the same command line."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "dev"
sys.path.insert(0, str(TOOLS))

import fuzz  # noqa: E402
from report import Failure  # noqa: E402

STUDY = '[{"id": "s", "params": [{"key": "k", "choices": ["a"]}]}]'
LISTS = f"case \"$1\" in studies) echo '{STUDY}';; hooks) echo '[{{\"name\": \"h\"}}]';; *) "


class FuzzCase(unittest.TestCase):
    def program(self, act: str) -> Path:
        """A program that does this with every command line."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "program"
        path.write_text(f"#!/bin/sh\n{LISTS}{act};; esac\n")
        path.chmod(0o755)
        patch = mock.patch.object(fuzz.build, "native", return_value=path)
        patch.start()
        self.addCleanup(patch.stop)
        return path

    def check_found(self, act: str, why: str) -> None:
        self.program(act)
        with self.assertRaises(Failure) as found:
            fuzz.fuzz_program(7, 1, None)
        self.assertRegex(str(found.exception), r"--part program --seed 7 --case \d+$")
        self.assertIn(why, found.exception.detail)

    def test_a_crash_is_found(self) -> None:
        self.check_found("kill -SEGV $$", "ended with -11")

    def test_a_failure_without_a_sentence_is_found(self) -> None:
        self.check_found("exit 1", "failed without a sentence")

    def test_numbers_that_json_does_not_know_are_found(self) -> None:
        self.check_found("echo '{\"a\": NaN}'", "NaN in JSON")

    def test_half_a_file_is_found(self) -> None:
        self.check_found("touch o.npz.1.part; echo '{}'", "left half a file")

    def test_a_case_is_the_same_again(self) -> None:
        self.program("exit 0")
        act = fuzz.Program()

        def words(number: int) -> list:
            with tempfile.TemporaryDirectory() as name:
                return [word.replace(name, "") for word in act.command(Path(name), fuzz.Case(3, number).dice())]

        first = [words(number) for number in range(30)]
        self.assertEqual(first, [words(number) for number in range(30)])
        self.assertGreater(len({tuple(line) for line in first}), 20)

    def test_a_case_needs_its_part(self) -> None:
        with self.assertRaises(Failure):
            fuzz.fuzz(1, 1, None, 3)


if __name__ == "__main__":
    unittest.main()
