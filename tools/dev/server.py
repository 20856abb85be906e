"""The development server: a static site and model folders, with ranges, strong ETags and the page's security headers.

Runs alone too: python3 tools/dev/server.py --site build/site --port 0 --models DIR
"""

import argparse
import hashlib
import html
import re
import signal
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO, Mapping, Optional, Sequence
from urllib.parse import unquote

import models
import ranges
from places import SITE
from report import Failure, say

TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".wasm": "application/wasm",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".ico": "image/x-icon",
    ".ttf": "font/ttf",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".csv": "text/csv; charset=utf-8",
}
ENCODINGS = {"br": "br", "gz": "gzip"}  # of compressed copies, by their ending; the smaller first
FOR_EVER = "public, max-age=31536000, immutable"
HEADERS = {
    "Cache-Control": "no-cache",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
# The names of this machine. A foreign page whose host name resolves to this machine (DNS rebinding) sends its own name.
OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORT = 8080
BLOCK = 1 << 18


def safe_parts(target: str) -> Optional[list[str]]:
    """The path segments of a request target, decoded once; None for anything that is not a plain path downwards, and for
    what is hidden."""
    path = target.split("?", 1)[0].split("#", 1)[0]
    try:
        decoded = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return None
    if not decoded.startswith("/") or "\\" in decoded or any(ord(character) < 32 for character in decoded):
        return None
    parts = decoded[1:].split("/")
    if any(part.startswith(".") for part in parts) or "" in parts[:-1]:  # upwards, or hidden
        return None
    return parts


def file_below(root: Path, parts: Sequence[str]) -> Optional[Path]:
    """The file that the segments name below `root`; a symbolic link that leads out of it counts as missing."""
    real_root = root.resolve()
    try:
        path = real_root.joinpath(*parts).resolve()
        inside = real_root in path.parents and path.is_file()
    except (OSError, ValueError):
        return None
    return path if inside else None


class Pages:
    """What is served: the site, the models mounted beside it, and their index."""

    def __init__(self, site: Path, mounts: Sequence[models.Model]) -> None:
        self.site = site
        self.mounts: Mapping[str, models.Model] = {model.name: model for model in mounts}
        self.index = models.index_json([*mounts, *models.bundled(site)])
        self.policy = page_policy(site)

    def file(self, parts: Sequence[str]) -> Optional[Path]:
        if parts[0] == "models" and len(parts) > 2 and parts[1] in self.mounts:
            model = self.mounts[parts[1]]  # serves only the model's own files of its folder
            return file_below(model.folder, parts[2:]) if "/".join(parts[2:]) in model.files else None
        if parts[-1] == "":
            parts = [*parts[:-1], "index.html"]
        return file_below(self.site, parts)

    def is_packed(self, path: Path) -> bool:
        """Whether the build has put compressed copies beside a file of the site."""
        return self.site.resolve() in path.parents and any(path.with_name(f"{path.name}.{ending}").is_file() for ending in ENCODINGS)

    def is_lasting(self, path: Path) -> bool:
        """Whether a file's address never gets other contents: it has a hash in it (naming.py)."""
        root = self.site.resolve()
        return root in path.parents and re.search(r"[./][0-9a-f]{10}[./]", path.relative_to(root).as_posix()) is not None


def is_own_host(header: Optional[str]) -> bool:
    """Whether a Host header names this machine, with any port; browsers always send the header."""
    if header is None:
        return True
    return re.sub(r":[0-9]*$", "", header.strip()).lower() in OWN_HOSTS


def page_policy(site: Path) -> Optional[str]:
    """The security policy that index.html declares, so that header and page cannot differ; but Trusted Types bind the page alone. In a header
    they would bind the workers too, and Emscripten's script starts an engine's threads by their plain address."""
    try:
        text = (site / "index.html").read_text(encoding="utf-8")
    except OSError:
        return None
    for tag in re.findall(r"<meta\b[^>]*>", text, re.IGNORECASE):
        if re.search(r"http-equiv\s*=\s*[\"']?content-security-policy\b", tag, re.IGNORECASE):
            found = re.search(r"\bcontent\s*=\s*(\"([^\"]*)\"|'([^']*)')", tag, re.IGNORECASE)
            if found:
                parts = (" ".join(part.split()) for part in html.unescape(found[2] or found[3] or "").split(";"))
                return "; ".join(part for part in parts if part and "trusted-types" not in part)
    return None


class Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD."""

    protocol_version = "HTTP/1.1"
    server_version = "helixscope"
    sys_version = ""
    disable_nagle_algorithm = True
    timeout = 120  # an idle connection is closed, so that its thread ends
    pages: Pages

    def do_GET(self) -> None:
        self.answer(with_body=True)

    def do_HEAD(self) -> None:
        self.answer(with_body=False)

    def answer(self, with_body: bool) -> None:
        if self.headers.get("Content-Length", "0") != "0" or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # the unread body would be parsed as the next request
        parts = safe_parts(self.path)
        try:
            if not is_own_host(self.headers.get("Host")):
                refusal = f"This server answers as {', '.join(OWN_HOSTS)} only.\n"
                self.send_text(421, refusal.encode(), TYPES[".txt"], with_body)
                return
            if parts == ["models", "index.json"]:
                self.send_index(with_body)
                return
            path = self.pages.file(parts) if parts is not None else None
            if path is None:
                self.send_text(404, b"not found\n", TYPES[".txt"], with_body)
            else:
                with path.open("rb") as file:
                    self.send_file(path, file, with_body)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True  # the visitor went away in the middle

    def start(self, status: int, length: int, extra: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**HEADERS, **extra}.items():
            self.send_header(name, value)
        if self.pages.policy:
            self.send_header("Content-Security-Policy", self.pages.policy)
        if status != 304:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def send_text(self, status: int, data: bytes, kind: str, with_body: bool, more: Mapping[str, str] = {}) -> None:
        self.start(status, len(data), {"Content-Type": kind, **more})
        if with_body:
            self.wfile.write(data)

    def send_index(self, with_body: bool) -> None:
        tag = {"ETag": f'"{hashlib.sha256(self.pages.index).hexdigest()[:16]}"'}
        if ranges.is_known(self.headers.get("If-None-Match"), tag["ETag"]):
            self.start(304, 0, tag)
        else:
            self.send_text(200, self.pages.index, "application/json", with_body, tag)

    def send_file(self, path: Path, file: BinaryIO, with_body: bool) -> None:
        stat = path.stat()
        size = stat.st_size
        etag = f'"{size:x}-{stat.st_mtime_ns:x}"'
        kind = TYPES.get(path.suffix.lower(), "application/octet-stream")
        extra = {"Content-Type": kind, "ETag": etag, "Accept-Ranges": "bytes"}
        if self.pages.is_lasting(path):
            extra["Cache-Control"] = FOR_EVER
        packed = self.packed(path)
        if packed:
            etag = f'{etag[:-1]}-{packed}"'
            extra.update({"ETag": etag, "Content-Encoding": ENCODINGS[packed], "Accept-Ranges": "none"})
            size = path.with_name(f"{path.name}.{packed}").stat().st_size
        if self.pages.is_packed(path):
            extra["Vary"] = "Accept-Encoding"
        if ranges.is_known(self.headers.get("If-None-Match"), etag):
            self.start(304, 0, {"ETag": etag})
            return
        part = ranges.requested_range(self.headers.get("Range"), size)
        if packed or part == ranges.WHOLE or not ranges.range_still_applies(self.headers.get("If-Range"), etag):
            first, last, status = 0, size - 1, 200
        elif part == ranges.UNSATISFIABLE:
            self.start(416, 0, {"Content-Range": f"bytes */{size}"})
            return
        else:
            first, last = part
            status = 206
            extra["Content-Range"] = f"bytes {first}-{last}/{size}"
        self.start(status, last - first + 1, extra)
        if with_body and packed:
            with path.with_name(f"{path.name}.{packed}").open("rb") as small:
                self.send_bytes(small, first, last - first + 1)
        elif with_body:
            self.send_bytes(file, first, last - first + 1)

    def packed(self, path: Path) -> Optional[str]:
        """The ending of the compressed copy that this request accepts; a request for a range gets the file itself."""
        if self.headers.get("Range") or not self.pages.is_packed(path):
            return None
        accepted = {each.split(";")[0].strip().lower() for each in self.headers.get("Accept-Encoding", "").split(",") if not re.search(r";\s*q=0(\.0*)?\s*$", each)}
        return next((ending for ending, name in ENCODINGS.items() if name in accepted and path.with_name(f"{path.name}.{ending}").is_file()), None)

    def send_bytes(self, file: BinaryIO, first: int, count: int) -> None:
        file.seek(first)
        while count > 0:
            block = file.read(min(count, BLOCK))
            if not block:
                self.close_connection = True  # the file shrank: only closing the connection can signal that
                return
            self.wfile.write(block)
            count -= len(block)

    def log_message(self, *_: object) -> None:
        """Logs nothing: the page shows what goes wrong."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # a class opens the page at once, each browser over six connections; a refused one is tried again a second later
    # A page that is being closed drops its connections; that needs no stack trace.
    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def open_server(pages: Pages, port: Optional[int]) -> Server:
    """Listens on this machine only. Without a port: 8080 or the next free one."""
    handler = type("PagesHandler", (Handler,), {"pages": pages})
    candidates = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + 20), 0]
    for candidate in candidates:
        try:
            return Server(("127.0.0.1", candidate), handler)
        except OSError as error:
            if candidate == candidates[-1]:
                raise Failure(f"Port {candidate} cannot be opened ({error.strerror}).") from error
    raise AssertionError("there is always a candidate")


def run_until_stopped(server: Server) -> None:
    """Serves until Ctrl-C, a termination signal, or the server's own shutdown."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        server.serve_forever(poll_interval=0.1)
    except KeyboardInterrupt:
        pass
    server.server_close()


def serve(port: Optional[int], mounts: Sequence[models.Model]) -> int:
    """`./dev serve`: the built site, until Ctrl-C."""
    server = open_server(Pages(SITE, mounts), port)
    for model in mounts:
        say(f"model {model.name}: {model.bytes / 1e6:.0f} MB from {model.folder}")
    say(f"open http://127.0.0.1:{server.server_address[1]}/ (Ctrl-C ends)")
    run_until_stopped(server)
    print()
    return 0


def main() -> int:
    options = argparse.ArgumentParser(description="Serves a built site and model folders on this machine.")
    options.add_argument("--site", type=Path, default=SITE)
    options.add_argument("--port", type=int)
    options.add_argument("--models", action="append", default=[], type=Path, metavar="DIR")
    options.add_argument("--until-stdin-closes", action="store_true", help="end when the caller does")
    chosen = options.parse_args()
    server = open_server(Pages(chosen.site, models.find(chosen.models)), chosen.port)
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    if chosen.until_stdin_closes:

        def wait_for_caller() -> None:
            sys.stdin.buffer.read()
            server.shutdown()

        threading.Thread(target=wait_for_caller, daemon=True).start()
    run_until_stopped(server)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        sys.exit(f"helixscope: {failure}")
