"""The runner of tests in JavaScript: whatever goes wrong in a file, the run fails."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "dev"
sys.path.insert(0, str(TOOLS))

import npm  # noqa: E402
import testing  # noqa: E402

GOOD = "test('good', () => {});"
WRONG = {
    "a failure": "test('bad', () => { throw new Error('wrong'); });",
    "a failure in a suite": "describe('suite', () => { test('good', () => {}); test('bad', () => { throw new Error('wrong'); }); });",
    "a test without an end": "test('endless', () => new Promise((done) => setTimeout(done, 60_000)));",
    "a file that cannot be read": "import './nowhere.mjs';",
    "a process that ends by itself": "process.exit(3);",
}


class RunnerTest(unittest.TestCase):
    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def file(self, name: str, text: str) -> str:
        path = self.folder / name
        path.write_text(f"import {{ describe, test }} from 'node:test';\n{text}\n", encoding="utf-8")
        return str(path)

    def run_files(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        command = [str(npm.node()), str(TOOLS / "node_tests.mjs"), "--at-once", "2", "--timeout", "2000", *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)

    def test_it_fails_exactly_when_a_file_does(self) -> None:
        good = self.file("good_test.mjs", GOOD)
        done = self.run_files(good)
        self.assertEqual((done.returncode, "pass 1" in done.stdout), (0, True), done.stdout)
        for title, text in WRONG.items():
            with self.subTest(title):
                self.assertEqual(self.run_files(good, self.file("wrong_test.mjs", text)).returncode, 1)

    def test_a_pattern_chooses_titles(self) -> None:
        both = self.file("both_test.mjs", GOOD + WRONG["a failure"])
        self.assertEqual(self.run_files("--pattern", "/GOOD/i", both).returncode, 0)
        self.assertEqual(self.run_files("--pattern", "/bad/i", both).returncode, 1)

    def test_files_run_in_the_order_given_and_the_longest_are_named(self) -> None:
        files = [self.file(f"{name}_test.mjs", f"test('{name}', () => {{}});") for name in "lkjihgfedcba"]
        out = self.run_files("--at-once", "1", *files).stdout
        self.assertLess(out.index("✔ l"), out.index("✔ a"))
        self.assertRegex(out, r"(?m)^longest: \w+_test.mjs \d+ s, ")


class RoomTest(unittest.TestCase):
    def test_there_are_as_many_browsers_as_cores_and_memory_allow(self) -> None:
        for gigabytes, cores, expected in ((64, 8, 8), (8, 8, 4), (64, 2, 2), (1, 4, 1)):
            sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": gigabytes << 18}
            with mock.patch.object(testing.build, "jobs", return_value=cores), mock.patch.object(testing.os, "sysconf", sizes.get):
                self.assertEqual(testing.browsers_at_once(), expected)


if __name__ == "__main__":
    unittest.main()
