"""Downloads a GPT-2-architecture checkpoint from a hub: resumes after an interruption, and checks the hub's size and hash."""

import contextlib
import errno
import hashlib
import http.client
import json
import os
import re
import shutil
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import IO, Mapping, NamedTuple, NoReturn, Optional
from urllib.parse import urlsplit

from places import DOWNLOADS
from report import Failure, say

HUB = "https://huggingface.co"
WEIGHTS = "model.safetensors"
FILES = ("config.json", "vocab.json", "merges.txt", WEIGHTS)  # the small ones first: they show whether the model is supported
BLOCK = 1 << 18
SILENCE = 30  # seconds without a byte, after which a connection counts as dead
TRIES = 3  # failed attempts in a row without a byte


class Cut(Exception):
    """The connection ended early; the bytes that arrived are kept."""


class Beyond(Cut):
    """What was asked for begins after the file's end."""


class Missing(Exception):
    """The hub does not have this file."""


class Facts(NamedTuple):
    """The hub's facts about a file: its size, the name of this version, and its SHA-256 where known."""

    size: Optional[int]
    tag: str
    sha256: Optional[str]


def hub() -> str:
    base = os.environ.get("HELIXSCOPE_HUB") or HUB
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).hostname:
        raise Failure(f"HELIXSCOPE_HUB is {base!r}; it looks like {HUB}.")
    return base.rstrip("/")


def check_id(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_-][\w.-]*(/[A-Za-z0-9_-][\w.-]*)?", name, re.ASCII) or ".." in name:
        raise Failure(f"{name!r} is no model id; one looks like gpt2 or openai-community/gpt2.")


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and keeps the hub's headers about the file from before the redirect to the host of the bytes."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> Optional[urllib.request.Request]:
        scheme = urlsplit(newurl).scheme
        if scheme != "https" and scheme != urlsplit(req.full_url).scheme:
            raise Failure(f"The hub redirects to {newurl}, which is not https; nothing was downloaded from there.")
        for name in ("x-linked-etag", "x-linked-size"):
            if name in headers:
                self.said[name] = headers[name]
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def facts(headers: Mapping[str, str], status: int) -> Facts:
    """From a response's headers and those of the redirect before it."""
    tag = (headers.get("x-linked-etag") or headers.get("etag") or "").removeprefix("W/").strip('"')
    size: Optional[str] = headers.get("x-linked-size")
    if size is None and status == 206:
        size = headers.get("content-range", "").rpartition("/")[2]
    elif size is None and not headers.get("content-encoding"):
        size = headers.get("content-length")
    known = size is not None and size.isdigit()
    return Facts(int(size) if known and size else None, tag, tag if re.fullmatch("[0-9a-f]{64}", tag) else None)


def ask(url: str, headers: Mapping[str, str], hub_name: str) -> tuple[http.client.HTTPResponse, dict[str, str]]:
    """The hub's answer, and its headers with those from before the redirect, in small letters."""
    # With compression, sizes and ranges would not be those of the file.
    headers = {"User-Agent": "helixscope", "Accept-Encoding": "identity", **headers}
    redirects = Redirects()
    opener = urllib.request.build_opener(redirects)
    try:
        answer = opener.open(urllib.request.Request(url, headers=headers), timeout=SILENCE)
    except urllib.error.HTTPError as error:
        with error:
            refused(error, url, hub_name)
    except urllib.error.URLError as error:
        raise Cut(f"{hub_name} cannot be reached ({reason(error.reason)}); check the network") from error
    except (OSError, http.client.HTTPException) as error:
        raise Cut(reason(error)) from error
    return answer, {**{name.lower(): value for name, value in answer.headers.items()}, **redirects.said}


def refused(error: urllib.error.HTTPError, url: str, hub_name: str) -> NoReturn:
    if error.code == 416:
        raise Beyond("what had come was longer than the file") from error
    if error.code == 404 and error.headers.get("X-Error-Code") != "RepoNotFound":
        raise Missing from error
    if error.code in (401, 403, 404):
        raise Failure(f"{hub_name} does not show this model: its id is wrong, or it is not public.") from error
    if error.code == 429 or error.code >= 500:
        raise Cut(f"{hub_name} answered {error.code} {error.reason}") from error
    raise Failure(f"{hub_name} answered {error.code} {error.reason} to {url}.") from error


class Progress:
    """One line that changes on a terminal; a line for every tenth elsewhere."""

    def __init__(self, name: str, size: Optional[int], have: int) -> None:
        self.name, self.size, self.have = name, size, have
        self.start, self.first, self.said = time.monotonic(), have, 0.0
        self.tenths = have * 10 // size if size else 0

    def add(self, count: int) -> None:
        self.have += count
        now = time.monotonic()
        if sys.stdout.isatty():
            if now - self.said >= 0.2:
                self.said = now
                print(f"\r{self.line(now)}\033[K", end="", flush=True)
        elif self.size and self.have * 10 // self.size > self.tenths and self.have < self.size:
            self.tenths = self.have * 10 // self.size
            print(self.line(now), flush=True)

    def line(self, now: float) -> str:
        total = f" of {self.size / 1e6:.1f}" if self.size else ""
        speed = (self.have - self.first) / max(now - self.start, 0.001)
        return f"  {self.name}: {self.have / 1e6:.1f}{total} MB, {speed / 1e6:.1f} MB/s"

    def end(self) -> None:
        if sys.stdout.isatty():
            print(f"\r{self.line(time.monotonic())}\033[K", flush=True)


class Download:
    """One file, from the hub into a folder. FILE.part holds the bytes so far; FILE.part.tag names their version."""

    def __init__(self, url: str, target: Path, hub_name: str) -> None:
        self.url, self.target, self.hub_name = url, target, hub_name
        self.part = target.with_name(target.name + ".part")
        self.tag = target.with_name(target.name + ".part.tag")

    def run(self) -> None:
        fruitless = 0
        while True:
            before = self.have()
            try:
                known = self.attempt()
                break
            except Cut as cut:
                fruitless = 0 if self.have() > before else fruitless + 1
                if fruitless == TRIES:
                    kept = f" {self.part} keeps what came; the same command goes on from there." if self.have() else ""
                    raise Failure(f"{self.target.name} could not be downloaded from {self.hub_name}: {cut}.{kept}") from cut
                time.sleep(min(0.1 * 4**fruitless, 5))
        self.settle(known)

    def have(self) -> int:
        return self.part.stat().st_size if self.part.is_file() else 0

    def forget(self) -> None:
        self.part.unlink(missing_ok=True)
        self.tag.unlink(missing_ok=True)

    def attempt(self) -> Facts:
        """Loads the missing bytes; returns when the file is complete."""
        # Requests the last byte again, so that the range is never empty, even when the file is complete.
        have = max(self.have() - 1, 0) if self.tag.is_file() else 0
        answer, known = self.ask(have)
        with answer:
            if have and (answer.status != 206 or known.tag != self.tag.read_text()):
                # The server ignores ranges, or has another version: start from the beginning.
                if answer.status == 206:
                    self.forget()
                    raise Cut("the file changed on the hub")
                have = 0
            if have and not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                self.forget()
                raise Cut("the hub sent other bytes than were asked for")
            if self.is_there(known):
                return known
            self.check_room(known, have)
            self.tag.write_text(known.tag)
            self.receive(answer, known, have)
        if known.size is not None and self.have() < known.size:
            raise Cut(f"the connection ended after {self.have():,} of {known.size:,} bytes")
        if known.size is not None and self.have() > known.size:
            self.forget()
            raise Failure(f"{self.target.name} came longer than {self.hub_name} says; it was thrown away, so try again.")
        return known

    def ask(self, have: int) -> tuple[http.client.HTTPResponse, Facts]:
        try:
            answer, said = ask(self.url, {"Range": f"bytes={have}-"} if have else {}, self.hub_name)
        except Beyond:
            self.forget()
            raise
        return answer, facts(said, answer.status)

    def is_there(self, known: Facts) -> bool:
        """Whether an earlier command loaded this very file; a different file is never replaced."""
        if not self.target.is_file():
            return False
        same_size = known.size in (None, self.target.stat().st_size)
        if same_size and (known.sha256 is None or sha256_of(self.target) == known.sha256):
            return True
        raise Failure(f"{self.target} is another file than the one on {self.hub_name}; remove it, or choose with --out.")

    def check_room(self, known: Facts, have: int) -> None:
        free = shutil.disk_usage(self.target.parent).free
        if known.size is not None and known.size - have > free:
            raise Failure(
                f"{self.target.name} needs {(known.size - have) / 1e6:.0f} MB more and the disk of {self.target.parent} "
                f"has {free / 1e6:.0f} MB; make room or choose another place with --out."
            )

    def receive(self, answer: http.client.HTTPResponse, known: Facts, have: int) -> None:
        progress = Progress(self.target.name, known.size, have)
        with self.part.open("r+b" if have else "wb") as file:
            file.seek(have)
            while True:
                try:
                    block = answer.read(BLOCK)
                except (OSError, http.client.HTTPException) as error:
                    raise Cut(f"the connection broke ({reason(error)})") from error
                if not block:
                    break
                file.write(block)
                progress.add(len(block))
        progress.end()

    def settle(self, known: Facts) -> None:
        """Renames the part to the file, once its size and hash match the hub's."""
        if not self.part.is_file():
            return
        if known.sha256 is not None:
            found = sha256_of(self.part)
            if found != known.sha256:
                self.forget()
                raise Failure(
                    f"{self.target.name} arrived damaged: its SHA-256 is {found[:12]}… and {self.hub_name} says "
                    f"{known.sha256[:12]}…; it was thrown away, so try again."
                )
        self.part.replace(self.target)
        self.tag.unlink(missing_ok=True)


def reason(error: object) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came for {SILENCE} seconds"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__


def sha256_of(path: Path) -> str:
    total = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


def check_config(path: Path, name: str) -> None:
    """Checks the architecture before half a gigabyte is downloaded."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise Failure(f"The config.json of {name} is not valid JSON.") from error
    kind = config.get("model_type", "gpt2") if isinstance(config, dict) else None
    if kind != "gpt2":
        raise Failure(f"{name} is a model of type {kind!r}; helixscope runs those of the GPT-2 architecture.")


def get(name: str, out: Optional[Path] = None) -> Path:
    """Downloads a model; returns its folder."""
    check_id(name)
    base = hub()
    where = urlsplit(base).netloc
    folder = out or DOWNLOADS / name.rpartition("/")[2]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in FILES:
            download = Download(f"{base}/{name}/resolve/main/{file}", folder / file, where)
            try:
                download.run()
            except Missing as error:
                if file == WEIGHTS:
                    raise Failure(f"{where} has no {WEIGHTS} of {name}; choose a model in safetensors form.") from error
                say(f"{name} has no {file} on {where}")
                continue
            if file == "config.json":
                check_config(folder / file, name)
            say(f"{folder / file}: {(folder / file).stat().st_size / 1e6:.1f} MB")
    except KeyboardInterrupt:
        print()
        say(f"stopped; what has come stays in {folder}, and the same command goes on from there")
        raise
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        why = "the disk is full; make room and give the same command again" if full else reason(error)
        raise Failure(f"{folder} cannot be written: {why}.") from error
    finally:
        with contextlib.suppress(OSError):
            folder.rmdir()  # if it is empty
    return folder
