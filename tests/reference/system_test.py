"""The program where the system refuses: a full or closed output, too little memory, too few threads."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

try:
    import resource
except ImportError:  # no POSIX system
    resource = None

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("HELIXSCOPE_CLI") or str(ROOT / "build" / "native" / "helixscope")
MODEL = str(ROOT / "assets" / "models" / "minihelix")
FULL = Path("/dev/full")
MB = 1 << 20


def address_space(megabytes):
    return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB))


class SystemCase(unittest.TestCase):
    def run_program(self, *words, **how):
        return subprocess.run([CLI, *words], stderr=subprocess.PIPE, timeout=120, check=False, **how)

    def check_sentence(self, done, part):
        said = done.stderr.decode()
        self.assertEqual(done.returncode, 1, said)
        self.assertRegex(said, r"\A[A-Z][^\n]*\.\n\Z")
        self.assertIn(part, said)


@unittest.skipUnless(FULL.exists(), "this system has no /dev/full")
class Output(SystemCase):
    LARGE = ("run", "position_helix", "--model", MODEL, "--json")
    SMALL = ("--version",)

    def test_a_full_disk_is_a_failure(self):
        for words in (self.LARGE, self.SMALL):
            with FULL.open("wb") as full:
                self.check_sentence(self.run_program(*words, stdout=full), "the disk is full")

    def test_a_closed_output_is_a_failure(self):
        for words in (self.LARGE, self.SMALL):
            done = self.run_program(*words, preexec_fn=lambda: os.close(1))
            self.check_sentence(done, "could be written")

    def test_no_file_takes_the_place_of_a_closed_output(self):
        with tempfile.TemporaryDirectory() as place:
            path = Path(place) / "x.npz"
            done = self.run_program(*self.LARGE, "--npz", str(path), preexec_fn=lambda: os.close(1))
            self.check_sentence(done, "could be written")
            self.assertEqual(path.read_bytes()[-22:-18], b"PK\5\6")  # an archive to its end, nothing after it

    def test_a_file_on_a_full_disk_is_a_failure(self):
        for option in ("--npz", "--svg"):
            done = self.run_program(*self.LARGE[:-1], option, str(FULL), stdout=subprocess.DEVNULL)
            self.check_sentence(done, "the disk is full")


@unittest.skipUnless(resource, "limits need a POSIX system")
class Limits(SystemCase):
    WORDS = ("run", "predictions", "--model", MODEL, "--prompt", "The sea was calm", "--json")

    def test_too_little_memory_is_a_sentence(self):
        refused = 0
        for megabytes in (16, 24, 32, 48, 64):
            done = self.run_program(*self.WORDS, stdout=subprocess.PIPE, preexec_fn=address_space(megabytes))
            if done.returncode == 127 and b"shared libraries" in done.stderr:
                continue  # the system could not even begin the program
            self.assertIn(done.returncode, (0, 1), f"{megabytes} MB: {done.stderr.decode()}")
            if done.returncode == 1:
                refused += 1
                self.check_sentence(done, "memory")
        self.assertGreater(refused, 0)

    def test_fewer_threads_where_the_system_refuses_some(self):
        whole = self.run_program(*self.WORDS, stdout=subprocess.PIPE)
        few = self.run_program(*self.WORDS, "--threads", "64", stdout=subprocess.PIPE, preexec_fn=address_space(300))
        self.assertEqual(few.returncode, 0, few.stderr.decode())
        said = r"\AThe system provided \d+ threads of the 64 requested; the numbers are the same\.\n\Z"
        self.assertRegex(few.stderr.decode(), said)
        self.assertEqual(json.loads(few.stdout)["arrays"], json.loads(whole.stdout)["arrays"])


if __name__ == "__main__":
    unittest.main()
