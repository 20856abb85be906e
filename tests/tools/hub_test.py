"""Downloads from a stand-in for the hub: redirects, cuts and resuming, and everything a hub may get wrong."""

import contextlib
import errno
import hashlib
import io
import os
import sys
import tempfile
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Dict, List, Optional, Tuple
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "dev"))

import hub  # noqa: E402
from report import Failure  # noqa: E402

WEIGHTS = bytes(range(256)) * 8000  # 2 MB
SMALL = {
    "config.json": b'{"model_type": "gpt2"}',
    "vocab.json": b'{"a": 0}',
    "merges.txt": b"#version\n",
}


class Hub(BaseHTTPRequestHandler):
    """Sends /ID/resolve/main/FILE to /store/FILE, as the real one does with large files; the rest is set by a test."""

    protocol_version = "HTTP/1.1"
    files: Dict[str, bytes]
    asked: List[Tuple[str, Optional[str]]]  # file and range, of requests that got to the store
    cut_after: List[int]  # of the next answers with weights: the connection ends after so many bytes
    fail: List[int]  # the next answers have these statuses
    linked: Dict[str, str]  # headers of the redirect, instead of the true ones
    ranges = True
    etag = '"store-1"'
    to = ""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        if self.fail:
            self.answer(self.fail.pop(0), {}, b"no")
        elif name not in self.files:
            self.answer(404, {"X-Error-Code": "EntryNotFound"}, b"not here")
        elif self.path.startswith("/store/"):
            self.send_file(name)
        elif self.path.startswith("/some/tiny/resolve/main/"):
            data = self.files[name]
            linked = {"X-Linked-Etag": f'"{hashlib.sha256(data).hexdigest()}"', "X-Linked-Size": str(len(data))}
            linked.update(self.linked)
            self.answer(302, {"Location": f"{self.to}/store/{name}", **linked}, b"there")
        else:
            self.answer(401, {"X-Error-Code": "RepoNotFound"}, b"who?")

    def send_file(self, name: str) -> None:
        data, wanted = self.files[name], self.headers.get("Range")
        self.asked.append((name, wanted))
        status, headers, first = 200, {"ETag": self.etag}, 0
        if wanted and self.ranges:
            first = int(wanted.removeprefix("bytes=").rstrip("-"))
            if first >= len(data):
                return self.answer(416, {"Content-Range": f"bytes */{len(data)}"}, b"")
            status = 206
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        body = data[first:]
        keep = self.cut_after.pop(0) if name == hub.WEIGHTS and self.cut_after else len(body)
        self.answer(status, headers, body[:keep], len(body))
        return None

    def answer(self, status: int, headers: Dict[str, str], body: bytes, size: Optional[int] = None) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if size is None else size))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # the client may end the download
            self.wfile.write(body)
        if size is not None and len(body) < size:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass


class HubCase(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        self.out = self.top / "tiny"
        content = {"files": {**SMALL, hub.WEIGHTS: WEIGHTS}, "asked": [], "cut_after": [], "fail": [], "linked": {}}
        self.hub = type("TestHub", (Hub,), content)
        server = ThreadingHTTPServer(("127.0.0.1", 0), self.hub)
        server.daemon_threads = True
        self.base = f"http://127.0.0.1:{server.server_address[1]}"
        self.hub.to = self.base
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for patch in (
            mock.patch.dict(os.environ, {"HELIXSCOPE_HUB": self.base, "no_proxy": "127.0.0.1"}),
            mock.patch.object(hub.time, "sleep"),
            mock.patch.object(hub, "DOWNLOADS", self.top / "downloads"),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def get(self, name: str = "some/tiny") -> str:
        """The printed output."""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            hub.get(name, self.out)
        return said.getvalue()

    def refused(self, part: str, name: str = "some/tiny") -> None:
        with self.assertRaises(Failure) as caught:
            self.get(name)
        self.assertIn(part, str(caught.exception))
        self.assertTrue(str(caught.exception).endswith("."))
        self.assertFalse((self.out / hub.WEIGHTS).exists())

    def check_whole(self) -> None:
        for name, data in {**SMALL, hub.WEIGHTS: WEIGHTS}.items():
            self.assertEqual((self.out / name).read_bytes(), data)
        self.assertEqual(sorted(os.listdir(self.out)), sorted(self.hub.files))

    def ranges_asked(self) -> List[Optional[str]]:
        return [wanted for name, wanted in self.hub.asked if name == hub.WEIGHTS]


class Get(HubCase):
    def test_everything_through_redirects(self) -> None:
        said = self.get()
        self.check_whole()
        self.assertIn("2.0 MB", said)
        self.assertIn("model.safetensors: 1.8 of 2.0 MB", said)

    def test_the_default_folder_is_named_for_the_model(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(hub.get("some/tiny"), self.top / "downloads" / "tiny")
        self.assertTrue((self.top / "downloads" / "tiny" / hub.WEIGHTS).is_file())

    def test_what_is_there_is_not_fetched_again(self) -> None:
        self.get()
        self.hub.asked.clear()
        self.hub.cut_after = [0]  # its headers are asked for, its bytes are not needed
        self.get()
        self.check_whole()

    def test_another_file_is_not_replaced(self) -> None:
        self.out.mkdir()
        (self.out / "config.json").write_bytes(b"mine")
        self.refused("another file")
        self.assertEqual((self.out / "config.json").read_bytes(), b"mine")

    def test_the_tokenizer_may_be_absent(self) -> None:
        del self.hub.files["merges.txt"]
        self.assertIn("has no merges.txt", self.get())
        self.assertTrue((self.out / hub.WEIGHTS).is_file())

    def test_a_plain_server_without_hashes(self) -> None:
        self.hub.linked = {"X-Linked-Etag": '"abc"'}
        self.get()
        self.check_whole()


class Resume(HubCase):
    def test_a_cut_connection_goes_on_where_it_was(self) -> None:
        self.hub.cut_after = [700_000, 500_000]
        self.get()
        self.check_whole()
        self.assertEqual(self.ranges_asked(), [None, "bytes=699999-", "bytes=1199998-"])

    def test_a_later_command_goes_on(self) -> None:
        self.hub.cut_after = [700_000, 0, 0, 0, 0, 0]
        self.refused("keeps what came")
        self.assertEqual((self.out / "model.safetensors.part").stat().st_size, 700_000)
        self.hub.cut_after, self.hub.asked[:] = [], []
        self.get()
        self.check_whole()
        self.assertEqual(self.ranges_asked(), ["bytes=699999-"])

    def test_all_had_come(self) -> None:
        self.out.mkdir()
        (self.out / "model.safetensors.part").write_bytes(WEIGHTS)
        (self.out / "model.safetensors.part.tag").write_text(hashlib.sha256(WEIGHTS).hexdigest())
        self.get()
        self.check_whole()
        self.assertEqual(self.ranges_asked(), [f"bytes={len(WEIGHTS) - 1}-"])

    def test_part_of_another_version_is_dropped(self) -> None:
        self.out.mkdir()
        (self.out / "model.safetensors.part").write_bytes(b"old" * 1000)
        (self.out / "model.safetensors.part.tag").write_text("old")
        self.get()
        self.check_whole()
        self.assertEqual(self.ranges_asked(), ["bytes=2999-", None])

    def test_part_that_is_too_long_is_dropped(self) -> None:
        self.out.mkdir()
        (self.out / "model.safetensors.part").write_bytes(WEIGHTS + b"more")
        (self.out / "model.safetensors.part.tag").write_text(hashlib.sha256(WEIGHTS).hexdigest())
        self.get()
        self.check_whole()

    def test_part_of_nobody_knows_what_is_dropped(self) -> None:
        self.out.mkdir()
        (self.out / "model.safetensors.part").write_bytes(b"old" * 1000)
        self.get()
        self.check_whole()

    def test_ranges_are_refused(self) -> None:
        self.hub.ranges, self.hub.cut_after = False, [700_000]
        self.get()
        self.check_whole()

    def test_a_busy_hub_is_asked_again(self) -> None:
        self.hub.fail = [503, 429]
        self.get()
        self.check_whole()

    def test_ctrl_c_leaves_the_part(self) -> None:
        with mock.patch.object(hub.Progress, "add", side_effect=[None] * 5 + [KeyboardInterrupt]):
            with contextlib.redirect_stdout(io.StringIO()) as said, self.assertRaises(KeyboardInterrupt):
                hub.get("some/tiny", self.out)
        self.assertIn("goes on from there", said.getvalue())
        self.assertGreater((self.out / "model.safetensors.part").stat().st_size, 0)
        self.get()
        self.check_whole()
        self.assertTrue((self.ranges_asked()[-1] or "").startswith("bytes="))


class Wrong(HubCase):
    def test_no_weights(self) -> None:
        del self.hub.files[hub.WEIGHTS]
        self.refused("has no model.safetensors of some/tiny")

    def test_no_such_model(self) -> None:
        self.refused("its id is wrong, or it is not public", "some/other")

    def test_ids(self) -> None:
        for name in ("", "/", "a/b/c", "../x", "a/..", ".git", "a b", "https://x/y", "a/b?c", "ä"):
            self.refused("no model id", name)

    def test_no_network(self) -> None:
        with mock.patch.dict(os.environ, {"HELIXSCOPE_HUB": "http://127.0.0.1:9"}):
            self.refused("cannot be reached")
        self.assertFalse(self.out.exists())

    def test_no_address(self) -> None:
        with mock.patch.dict(os.environ, {"HELIXSCOPE_HUB": "huggingface.co"}):
            self.refused("HELIXSCOPE_HUB")

    def test_wrong_hash(self) -> None:
        self.hub.linked = {"X-Linked-Etag": f'"{"0" * 64}"', "X-Linked-Size": str(len(WEIGHTS))}
        self.hub.files = {hub.WEIGHTS: WEIGHTS}
        self.refused("arrived damaged")
        self.assertFalse(self.out.exists())

    def test_shorter_than_the_hub_says(self) -> None:
        self.hub.linked = {"X-Linked-Size": str(len(WEIGHTS) + 10)}
        self.hub.files = {hub.WEIGHTS: WEIGHTS}
        self.refused(f"of {len(WEIGHTS) + 10:,} bytes")

    def test_longer_than_the_hub_says(self) -> None:
        self.hub.linked = {"X-Linked-Size": "1000"}
        self.hub.files = {hub.WEIGHTS: WEIGHTS}
        self.refused("came longer")

    def test_another_architecture_is_told_before_the_weights(self) -> None:
        self.hub.files["config.json"] = b'{"model_type": "llama"}'
        self.refused("'llama'")
        self.assertEqual(self.ranges_asked(), [])

    def test_a_redirect_to_another_scheme(self) -> None:
        self.hub.to = "ftp://127.0.0.1"
        self.refused("not https")

    def test_the_hub_says_no(self) -> None:
        self.hub.fail = [418]
        self.refused("418")

    def test_a_full_disk(self) -> None:
        with mock.patch.object(hub.Progress, "add", side_effect=OSError(errno.ENOSPC, "No space left on device")):
            self.refused("the disk is full")
        usage = mock.Mock(free=1_000_000)
        with mock.patch.object(hub.shutil, "disk_usage", return_value=usage):
            self.refused("make room")


if __name__ == "__main__":
    unittest.main()
