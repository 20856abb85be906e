"""GPT-2 small's first layer from a file and from a stand-in for the hub that sends parts, and everything either may get wrong."""

import contextlib
import hashlib
import io
import json
import os
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Dict, List
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import checkpoint  # noqa: E402
import first_layer  # noqa: E402
import models  # noqa: E402
from report import Failure  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "gpt2" / "gpt2-small-partial.safetensors"
PARTS = [name for name in first_layer.PINS if name != "wpe.weight"]
BYTES = {name: bytes([i]) * 40 for i, name in enumerate(PARTS)}  # stand-ins of ten numbers each
PINS = {
    "wpe.weight": first_layer.PINS["wpe.weight"],
    **{name: first_layer.Pin((10,), hashlib.sha256(data).hexdigest()) for name, data in BYTES.items()},
}


def written(tensors: Dict[str, bytes], prefix: str = "transformer.", dtype: str = "F32") -> bytes:
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, data in tensors.items():
        header[prefix + name] = {"dtype": dtype, "shape": [10], "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(tensors.values())


# Others lie before and between the wanted ones.
MIXED = {"wte.weight": b"w" * 80, **{name: BYTES[name] for name in reversed(PARTS)}, "ln_f.bias": b"l" * 40}


class Hub(BaseHTTPRequestHandler):
    """Sends the asked part of one file, after a redirect as the real one does."""

    protocol_version = "HTTP/1.1"
    data: bytes
    asked: List[str]
    cut: int  # so many of the next answers end early
    fail: List[int]
    ranges = True

    def do_GET(self) -> None:
        if self.fail:
            return self.answer(self.fail.pop(0), {}, b"no")
        if not self.path.startswith("/store"):
            return self.answer(302, {"Location": "/store"}, b"there")
        wanted = self.headers.get("Range", "")
        self.asked.append(wanted)
        if not self.ranges:
            return self.answer(200, {}, self.data)
        first, last = (int(part) for part in wanted.removeprefix("bytes=").split("-"))
        body = self.data[first : last + 1]
        if self.cut and first > 8:
            type(self).cut -= 1
            return self.answer(206, {"Content-Range": f"bytes {first}-{last}/{len(self.data)}"}, body[:-5], len(body))
        return self.answer(206, {"Content-Range": f"bytes {first}-{last}/{len(self.data)}"}, body)

    def answer(self, status: int, headers: Dict[str, str], body: bytes, size: int = -1) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(size if size >= 0 else len(body)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):
            self.wfile.write(body)
        self.close_connection = size >= 0

    def log_message(self, *_: object) -> None:
        pass


class Case(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        self.out = self.top / "models"
        patch = mock.patch.object(first_layer, "PINS", PINS)
        patch.start()
        self.addCleanup(patch.stop)

    def make(self, path=None) -> Path:
        with contextlib.redirect_stdout(io.StringIO()):
            return first_layer.make(path, self.out)

    def refused(self, part: str, path=None) -> None:
        with self.assertRaises(Failure) as caught:
            self.make(path)
        self.assertIn(part, str(caught.exception))
        self.assertTrue(str(caught.exception).endswith("."))
        self.assertFalse(self.out.exists() and os.listdir(self.out), "something was left behind")

    def check_whole(self, folder: Path) -> None:
        entries, begin = first_layer.entries(first_layer.LocalFile(folder / "model.safetensors"))
        data = (folder / "model.safetensors").read_bytes()
        self.assertEqual(list(entries), list(PINS))
        for name, entry in entries.items():
            first, last = entry["data_offsets"]
            self.assertEqual(hashlib.sha256(data[begin + first : begin + last]).hexdigest(), PINS[name].sha256, name)
        self.assertEqual(begin + last, len(data))
        self.assertEqual(sorted(os.listdir(folder)), ["LICENSE", "README.md", "model.safetensors"])
        self.assertEqual(os.listdir(self.out), [first_layer.NAME])


class FromAFile(Case):
    def file(self, data: bytes, name: str = "model.safetensors") -> Path:
        path = self.top / name
        path.write_bytes(data)
        return path

    def test_names_with_and_without_a_prefix(self) -> None:
        for prefix in ("transformer.", ""):
            self.check_whole(self.make(self.file(written(MIXED, prefix))))

    def test_a_folder_and_a_second_time(self) -> None:
        self.file(written(MIXED))
        self.check_whole(self.make(self.top))
        self.check_whole(self.make(self.top))

    def test_what_is_not_gpt2_small_is_refused(self) -> None:
        name = PARTS[2]
        self.refused(f"has no {name}", self.file(written({key: data for key, data in MIXED.items() if key != name})))
        self.refused("its bytes are others", self.file(written({**MIXED, name: b"x" * 40})))
        self.refused("another shape or precision", self.file(written({**MIXED, name: b"x" * 44})))
        self.refused("another shape or precision", self.file(written(MIXED, dtype="F16")))
        self.refused("holds no .safetensors file", self.top / "nothing")

    def test_every_cut_is_refused(self) -> None:
        data = written(MIXED)
        for length in (*range(0, 64), *range(64, len(data) - 41, 37)):  # the last tensor is not needed
            self.refused(".", self.file(data[:length]))

    def test_a_header_that_is_none(self) -> None:
        for header in (b"[]", b"3", b"{", b"\xff\xff", b'{"a": 1}', b"[" * 5000):
            self.refused(".", self.file(len(header).to_bytes(8, "little") + header))
        self.refused("no safetensors file", self.file((1 << 40).to_bytes(8, "little")))

    def test_a_place_that_cannot_be_written(self) -> None:
        self.out.write_bytes(b"a file")
        with self.assertRaises(Failure) as caught:
            self.make(self.file(written(MIXED)))
        self.assertIn("cannot be written", str(caught.exception))

    @unittest.skipUnless(REAL.is_file(), "no GPT-2 weights here")
    def test_the_real_one(self) -> None:
        mock.patch.stopall()
        with mock.patch.object(first_layer, "PINS", REAL_PINS):
            folder = self.make(REAL)
        self.assertEqual((folder / "model.safetensors").stat().st_size, 12_601_960)
        self.assertEqual(checkpoint.summary(folder / "model.safetensors"), ("f32", ("words", "the last LayerNorm", "MLPs")))

    def test_the_list_says_its_title_and_place(self) -> None:
        folder = self.make(self.file(written(MIXED)))
        models.write_index(self.out)
        (entry,) = json.loads((self.out / "index.json").read_text())
        self.assertEqual((entry["title"], entry["after"], entry["path"]), ("GPT-2 small, first layer", "gpt2-positions", f"models/{folder.name}/"))


class FromTheHub(Case):
    def setUp(self) -> None:
        super().setUp()
        self.hub = type("TestHub", (Hub,), {"data": written(MIXED, ""), "asked": [], "cut": 0, "fail": []})
        server = ThreadingHTTPServer(("127.0.0.1", 0), self.hub)
        server.daemon_threads = True
        server.handle_error = lambda *_: None  # the client may end a download
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        base = f"http://127.0.0.1:{server.server_address[1]}"
        for patch in (mock.patch.dict(os.environ, {"HELIXSCOPE_HUB": base, "no_proxy": "127.0.0.1"}), mock.patch.object(first_layer.time, "sleep")):
            patch.start()
            self.addCleanup(patch.stop)

    def test_only_what_is_needed_is_read(self) -> None:
        self.check_whole(self.make())
        self.assertEqual(len(self.hub.asked), 2 + len(PARTS))
        first, last = zip(*((int(end) for end in part.removeprefix("bytes=").split("-")) for part in self.hub.asked[2:]))
        self.assertEqual([b - a for a, b in zip(first, last)], [39] * len(PARTS))

    def test_two_cuts_in_a_row_are_made_good(self) -> None:
        self.hub.cut = 2
        self.check_whole(self.make())

    def test_more_are_one_sentence(self) -> None:
        self.hub.cut = 99
        self.refused("the connection ended after")

    def test_an_answer_that_is_an_error(self) -> None:
        for status, part in ((404, "has no model.safetensors"), (401, "does not show this model"), (400, "answered 400")):
            self.hub.fail = [status]
            self.refused(part)
        self.hub.fail = [503, 429]
        self.check_whole(self.make())

    def test_a_hub_that_sends_whole_files(self) -> None:
        self.hub.ranges = False
        self.refused("does not send parts of a file")

    def test_other_bytes(self) -> None:
        self.hub.data = written({**MIXED, PARTS[0]: b"x" * 40}, "")
        self.refused("its bytes are others")


REAL_PINS = dict(first_layer.PINS)

if __name__ == "__main__":
    unittest.main()
