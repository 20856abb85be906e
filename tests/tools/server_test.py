"""The development server over real sockets: ranges, caching, headers, and what it must never serve."""

import http.client
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Dict, Tuple

TOOLS = Path(__file__).resolve().parents[2] / "tools" / "dev"
sys.path.insert(0, str(TOOLS))

import models  # noqa: E402
import server  # noqa: E402

POLICY = "default-src 'self'; connect-src 'self' https://hub.example"
PAGE_ALONE = "require-trusted-types-for 'script'; trusted-types helixscope"  # not for workers, so not for headers
PAGE = f'<!doctype html><meta http-equiv="Content-Security-Policy"\n content="{POLICY}; {PAGE_ALONE}"><title>t</title>'
WEIGHTS = bytes(range(256)) * 40
Answer = Tuple[int, Dict[str, str], bytes]


class ServerCase(unittest.TestCase):
    """A server on a free port, with a site, a mounted model, and files beside both that must not be served."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = Path(place.name)
        self.site = self.top / "site"
        model = self.top / "some model"
        for folder in (self.site / "deep", model, self.top / "site-2"):
            folder.mkdir(parents=True)
        (self.site / "index.html").write_text(PAGE)
        (self.site / "deep" / "a b.js").write_text("export const x = 1;\n")
        (self.site / "empty.css").write_bytes(b"")
        (self.site / "deep" / "main.0123456789.js").write_text("")
        (self.site / "engine.wasm").write_bytes(b"\0asm\1\0\0\0")
        (self.top / "secret.txt").write_text("secret")
        (self.top / "site-2" / "secret.txt").write_text("secret")
        (model / "model.safetensors").write_bytes(WEIGHTS)
        (model / "vocab.json").write_text("{}")
        for name in (".env", "notes.txt", "other.safetensors", "deep/merges.txt", ".git/config"):
            (model / name).parent.mkdir(exist_ok=True)
            (model / name).write_text("secret")
        (self.site / ".env").write_text("secret")
        os.environ["XDG_CACHE_HOME"] = str(self.top / "cache")
        models.CACHE = self.top / "cache" / "helixscope"
        pages = server.Pages(self.site, models.find([model]))
        self.server = server.open_server(pages, 0)
        self.port = self.server.server_address[1]
        thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def ask(self, target: str, method: str = "GET", **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self.addCleanup(connection.close)
        # putrequest sends the target unchanged; a client library would normalise the paths that these tests check.
        connection.putrequest(method, target, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


class Files(ServerCase):
    def test_a_compressed_copy_is_sent_to_those_who_accept_it(self) -> None:
        script = self.site / "deep" / "main.0123456789.js"
        script.write_text("export const long = 1;\n" * 50)
        packed = gzip.compress(script.read_bytes())
        script.with_name(f"{script.name}.gz").write_bytes(packed)
        target = "/deep/main.0123456789.js"
        status, headers, body = self.ask(target, Accept_Encoding="br, gzip")
        self.assertEqual((status, body, headers["Content-Encoding"], headers["Vary"]), (200, packed, "gzip", "Accept-Encoding"))
        self.assertEqual(headers["Content-Type"], "text/javascript; charset=utf-8")
        self.assertEqual(self.ask(target, If_None_Match=headers["ETag"], Accept_Encoding="gzip")[0], 304)
        for accepted in ("", "br", "gzip;q=0", "identity"):
            status, plain, body = self.ask(target, Accept_Encoding=accepted)
            self.assertEqual((status, body), (200, script.read_bytes()), accepted)
            self.assertNotIn("Content-Encoding", plain)
            self.assertNotEqual(plain["ETag"], headers["ETag"])
        self.assertEqual(self.ask(target, Accept_Encoding="gzip", Range="bytes=0-5")[::2], (206, b"export"))

    def test_a_file_with_a_hash_in_its_name_is_kept_for_ever_and_no_other(self) -> None:
        self.assertEqual(self.ask("/deep/main.0123456789.js")[1]["Cache-Control"], "public, max-age=31536000, immutable")
        for target in ("/", "/deep/a%20b.js", "/models/index.json", "/models/some-model/model.safetensors"):
            self.assertEqual(self.ask(target)[1]["Cache-Control"], "no-cache", target)

    def test_the_list_of_models_is_sent_again_only_when_it_has_changed(self) -> None:
        status, headers, body = self.ask("/models/index.json")
        self.assertEqual((status, json.loads(body)[0]["name"]), (200, "some-model"))
        self.assertEqual(self.ask("/models/index.json", If_None_Match=headers["ETag"])[::2], (304, b""))
        self.assertEqual(self.ask("/models/index.json", If_None_Match='"another"')[::2], (200, body))

    def test_a_class_may_connect_at_once(self) -> None:
        busy = server.open_server(server.Pages(self.site, []), 0)  # it accepts nothing yet
        self.addCleanup(busy.server_close)
        for _ in range(180):
            connection = socket.create_connection(("127.0.0.1", busy.server_address[1]), timeout=0.5)
            self.addCleanup(connection.close)

    def test_types(self) -> None:
        for target, kind in {
            "/": "text/html; charset=utf-8",
            "/index.html?v=1": "text/html; charset=utf-8",
            "/deep/a%20b.js": "text/javascript; charset=utf-8",
            "/engine.wasm": "application/wasm",
            "/models/some-model/model.safetensors": "application/octet-stream",
        }.items():
            status, headers, body = self.ask(target)
            self.assertEqual((status, headers["Content-Type"]), (200, kind), target)
            self.assertEqual(int(headers["Content-Length"]), len(body))

    def test_headers_of_every_answer(self) -> None:
        for target in ("/", "/engine.wasm", "/models/index.json", "/missing"):
            headers = self.ask(target)[1]
            self.assertEqual(headers["Content-Security-Policy"], POLICY, target)
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertEqual(headers["Cross-Origin-Embedder-Policy"], "require-corp")
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Cache-Control"], "no-cache")

    def test_head_has_no_body(self) -> None:
        status, headers, body = self.ask("/engine.wasm", "HEAD")
        self.assertEqual((status, headers["Content-Length"], body), (200, "8", b""))
        self.assertEqual(self.ask("/missing", "HEAD")[2], b"")

    def test_empty_file(self) -> None:
        self.assertEqual(self.ask("/empty.css")[0::2], (200, b""))

    def test_one_connection_many_requests(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        self.addCleanup(connection.close)
        connection.connect()
        first = connection.sock
        for target in ("/", "/missing", "/engine.wasm"):
            connection.request("GET", target)
            connection.getresponse().read()
            self.assertIs(connection.sock, first)

    def test_other_methods_are_refused(self) -> None:
        self.assertEqual(self.ask("/", "POST")[0], 501)

    def test_index_of_models(self) -> None:
        entry = json.loads(self.ask("/models/index.json")[2])[0]
        self.assertEqual(entry["name"], "some-model")
        self.assertEqual(self.ask(f"/{entry['path']}{entry['files'][0]}")[2], WEIGHTS)


class RangesAndCaching(ServerCase):
    target = "/models/some-model/model.safetensors"

    def test_part(self) -> None:
        status, headers, body = self.ask(self.target, Range="bytes=8-1031")
        self.assertEqual((status, body), (206, WEIGHTS[8:1032]))
        self.assertEqual(headers["Content-Range"], f"bytes 8-1031/{len(WEIGHTS)}")
        self.assertEqual(headers["Content-Length"], "1024")

    def test_suffix_and_open_end(self) -> None:
        self.assertEqual(self.ask(self.target, Range="bytes=-5")[2], WEIGHTS[-5:])
        self.assertEqual(self.ask(self.target, Range=f"bytes={len(WEIGHTS) - 1}-")[2], WEIGHTS[-1:])

    def test_unsatisfiable(self) -> None:
        status, headers, body = self.ask(self.target, Range=f"bytes={len(WEIGHTS)}-")
        self.assertEqual((status, headers["Content-Range"], body), (416, f"bytes */{len(WEIGHTS)}", b""))

    def test_several_ranges_give_the_whole(self) -> None:
        self.assertEqual(self.ask(self.target, Range="bytes=0-1,4-5")[0::2], (200, WEIGHTS))

    def test_head_of_a_part(self) -> None:
        status, headers, body = self.ask(self.target, "HEAD", Range="bytes=0-9")
        self.assertEqual((status, headers["Content-Length"], body), (206, "10", b""))

    def test_if_range(self) -> None:
        etag = self.ask(self.target, "HEAD")[1]["ETag"]
        self.assertEqual(self.ask(self.target, Range="bytes=0-1", If_Range=etag)[0], 206)
        self.assertEqual(self.ask(self.target, Range="bytes=0-1", If_Range='"other"')[0::2], (200, WEIGHTS))
        late = f"bytes={len(WEIGHTS)}-"
        self.assertEqual(self.ask(self.target, Range=late, If_Range='"other"')[0], 200)

    def test_etag_follows_the_content(self) -> None:
        etag = self.ask("/engine.wasm")[1]["ETag"]
        self.assertRegex(etag, r'^"[^"]+"$')
        status, headers, body = self.ask("/engine.wasm", If_None_Match=etag)
        self.assertEqual((status, headers["ETag"], body), (304, etag, b""))
        (self.site / "engine.wasm").write_bytes(b"\0asm\1\0\0\1")
        os.utime(self.site / "engine.wasm", ns=(1, 1))
        self.assertEqual(self.ask("/engine.wasm", If_None_Match=etag)[0], 200)


    def test_a_range_of_any_length_is_answered(self) -> None:
        long = "9" * 4300
        self.assertEqual(self.ask(self.target, Range=f"bytes={long}-")[0], 416)
        self.assertEqual(self.ask(self.target, Range=f"bytes=0-{long}")[0::2], (206, WEIGHTS))


class Outside(ServerCase):
    def test_of_a_models_folder_only_the_model(self) -> None:
        self.assertEqual(self.ask("/models/some-model/vocab.json")[0::2], (200, b"{}"))
        for name in (".env", "notes.txt", "other.safetensors", "deep/merges.txt", ".git/config", "%2eenv"):
            status, _, body = self.ask(f"/models/some-model/{name}")
            self.assertEqual((status, body), (404, b"not found\n"), name)
        self.assertEqual(self.ask("/.env")[0], 404)

    def test_only_by_this_machines_names(self) -> None:
        for host in ("127.0.0.1", f"127.0.0.1:{self.port}", f"localhost:{self.port}", "LOCALHOST", f"[::1]:{self.port}"):
            self.assertEqual(self.ask("/", Host=host)[0], 200, host)
        for host in ("evil.example", f"evil.example:{self.port}", "127.0.0.1.evil.example", "localhost@evil.example", ""):
            for target in ("/", "/models/index.json", "/models/some-model/model.safetensors"):
                status, _, body = self.ask(target, Host=host)
                self.assertEqual(status, 421, host)
                self.assertIn(b"127.0.0.1", body)

    def test_no_way_out(self) -> None:
        (self.site / "out.txt").symlink_to(self.top / "secret.txt")
        (self.site / "outdir").symlink_to(self.top)
        (self.site / "sibling").symlink_to(self.top / "site-2")
        ways = (
            "/../secret.txt", "/%2e%2e/secret.txt", "/deep/../../secret.txt", "/deep/..%2f..%2fsecret.txt",
            "/..%5csecret.txt", "/%252e%252e/secret.txt", "//secret.txt", "/deep//../secret.txt", "/./index.html",
            "/out.txt", "/outdir/secret.txt", "/sibling/secret.txt", "/../site-2/secret.txt", "/%00", "/%ff",
            "/models/some-model/../../secret.txt", "/models/some-model/%2e%2e/secret.txt", "/models/../secret.txt",
            f"{self.top}/secret.txt", f"/{self.top}/secret.txt", "secret.txt", "http://x/../secret.txt", "*",
            "/deep", "/deep/", "/models", "/models/", "/models/some-model/", "/models/some-model",
        )  # fmt: skip
        for target in ways:
            status, _, body = self.ask(target, Host="127.0.0.1")
            self.assertEqual(status, 404, target)
            self.assertNotIn(b"secret", body, target)

    def test_a_link_inside_is_fine(self) -> None:
        (self.site / "again.html").symlink_to(self.site / "index.html")
        self.assertEqual(self.ask("/again.html")[0], 200)

    def test_listens_on_this_machine_only(self) -> None:
        self.assertEqual(self.server.server_address[0], "127.0.0.1")


class Ports(unittest.TestCase):
    def test_moves_on_from_a_taken_port(self) -> None:
        pages = server.Pages(Path(tempfile.gettempdir()), [])
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            default, server.DEFAULT_PORT = server.DEFAULT_PORT, taken.getsockname()[1]
            try:
                with server.open_server(pages, None) as moved:
                    self.assertNotEqual(moved.server_address[1], taken.getsockname()[1])
                with self.assertRaises(server.Failure):
                    server.open_server(pages, taken.getsockname()[1])
            finally:
                server.DEFAULT_PORT = default


class Program(unittest.TestCase):
    def test_says_its_address_first_and_ends_with_its_caller(self) -> None:
        with tempfile.TemporaryDirectory() as site:
            command = [sys.executable, str(TOOLS / "server.py"), "--site", site, "--port", "0", "--until-stdin-closes"]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout and process.stdin
                self.assertRegex(process.stdout.readline(), r"^http://127\.0\.0\.1:\d+/\n$")
                process.stdin.close()
                self.assertEqual(process.wait(timeout=10), 0)


if __name__ == "__main__":
    unittest.main()
