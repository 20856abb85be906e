"""Packages of another Debian suite, downloaded and unpacked into the cache: no root, nothing installed, signatures checked."""

import functools
import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import Iterable, Mapping, NamedTuple, Optional, Sequence

from places import CACHE
from report import Failure, output, run, say

# What was downloaded when the recorded numbers were made: a suite changes, and must not change bits unseen. One line a file: its
# name, its SHA-256. Written by: python3 tools/dev/debian.py
LOCK = Path(__file__).with_name("debian.lock")
OVERRIDE = "HELIXSCOPE_ANY_VERSION"

EXPIRED = re.compile(r"Release file for .* is expired")
KEYRINGS = ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
# An apt that reads and writes only this folder; the machine's proxy configuration still applies.
CONFIGURATION = """\
Dir::State "{0}"; Dir::State::Lists "{0}/lists"; Dir::State::status "{0}/status"; Dir::Cache "{0}/cache";
Dir::Etc::sourcelist "{0}/sources.list"; Dir::Etc::sourceparts "-";
Dir::Etc::preferences "{0}/none"; Dir::Etc::preferencesparts "{0}/preferences";
APT::Architecture "{1}"; APT::Architectures {{ "{1}"; }};
APT::Install-Recommends "false"; Acquire::Languages "none"; APT::Sandbox::User ""; Debug::NoLocking "true";
"""


class Download(NamedTuple):
    """One file of a suite, as apt would download it."""

    package: str
    file: str
    size: int


def downloads_in(answer: str) -> list[Download]:
    """The files that `apt-get --print-uris` names: 'address' name size hash."""
    lines = (line.split() for line in answer.splitlines() if line.startswith("'"))
    return [Download(name.split("_")[0], name, int(size)) for _, name, size, *_ in lines]


@functools.lru_cache(maxsize=None)
def recorded() -> Mapping[str, str]:
    """The recorded SHA-256 of each file."""
    lines = (line.split() for line in LOCK.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    return {name: digest for name, digest in lines}


def any_version() -> bool:
    """Whether other versions than the recorded ones may be used: the visitor's own risk."""
    return os.environ.get(OVERRIDE, "") not in ("", "0")


def kind(name: str) -> str:
    """What a file is made for: an architecture, "all" of them, or "source"."""
    return "source" if ".orig.tar." in name else name.rsplit("_", 1)[-1].removesuffix(".deb")


def recorded_like(name: str) -> list[str]:
    """The recorded files of the same package for the same machine; none: the package decides nothing, or it is another machine's."""
    own = [known for known in recorded() if known.split("_")[0] == name.split("_")[0]]
    if kind(name) == "source":
        return [known for known in own if kind(known) == "source"]
    return [known for known in own if kind(known) == kind(name) or (kind(known) != "source" and "all" in (kind(known), kind(name)))]


def check(files: Iterable[Path], suite: str) -> None:
    """Compares downloaded files with the recorded ones. Where none are recorded, apt's signatures alone count."""
    for path in sorted(files):
        same = recorded_like(path.name)
        if not same:
            continue
        wanted = recorded().get(path.name)
        if wanted is None:
            problem = f"{path.name.split('_')[0]} of Debian {suite} is {path.name} now; helixscope is tested with {same[0]}"
        elif hashlib.sha256(path.read_bytes()).hexdigest() != wanted:
            problem = f"{path.name} of Debian {suite} is not the file whose hash tools/dev/debian.lock records"
        else:
            continue
        if not any_version():
            raise Failure(f"{problem}. {OVERRIDE}=1 uses what is there (numbers may then differ in their last digits), and "
                          "HELIXSCOPE_DEBIAN=URL names a mirror that still has it.")
        say(f"{problem}; it is used, because {OVERRIDE} is set")


def architecture() -> str:
    return output(["dpkg", "--print-architecture"]).strip()


def mirror() -> Optional[str]:
    """The Debian mirror that this machine uses, or the one that $HELIXSCOPE_DEBIAN names; None when it is not a Debian."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
    if os.environ.get("HELIXSCOPE_DEBIAN"):
        return os.environ["HELIXSCOPE_DEBIAN"]
    question = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Origin: Debian"]
    answer = output(question)
    if not answer:
        # The origin is in the package lists, which a fresh machine does not have: fetch them into the cache.
        lists = CACHE / "apt" / "host-lists"
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        ours = ["-o", f"Dir::State::Lists={lists}", "-o", "Debug::NoLocking=true", "-o", "APT::Sandbox::User="]
        output(["apt-get", *ours, "update", "-qq"], timeout=300)
        answer = output([question[0], *ours, *question[1:]])
    return next((uri for uri in answer.split() if "security" not in uri), None)


class Suite:
    """One Debian suite, with a private apt state in the cache."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = CACHE / "apt" / name

    @property
    def environment(self) -> dict[str, str]:
        return {"APT_CONFIG": str(self.folder / "apt.conf")}

    def update(self) -> None:
        """Fetches the suite's package lists; raises Failure where there is no Debian mirror or no such suite."""
        uri = mirror()
        keyring = next((p for p in (Path("/usr/share/keyrings") / k for k in KEYRINGS) if p.exists()), None)
        if uri is None or keyring is None:
            raise Failure("This machine has no Debian package mirror.")
        for name in ("lists/partial", "cache/archives/partial", "preferences"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        (self.folder / "status").write_text("")
        (self.folder / "apt.conf").write_text(CONFIGURATION.format(self.folder, architecture()))
        try:
            # An archive of the past is meant to be old.
            self.read(uri, keyring, old=bool(os.environ.get("HELIXSCOPE_DEBIAN")))
        except Failure as failure:
            if not EXPIRED.search(failure.detail):
                raise
            say(f"{uri} has not renewed its lists of Debian {self.name} in time; they are read all the same: signatures and the recorded hashes still count")
            self.read(uri, keyring, old=True)

    def read(self, uri: str, keyring: Path, old: bool) -> None:
        """Fetches the package lists from one mirror. `old`: also those whose time has passed."""
        options = f"signed-by={keyring}" + (" check-valid-until=no" if old else "")
        line = f"[{options}] {uri} {self.name} main\n"
        (self.folder / "sources.list").write_text(f"deb {line}deb-src {line}")
        run(f"Reading the Debian suite {self.name}", ["apt-get", "update", "-qq"], f"debian-{self.name}", env={**self.environment, "LC_ALL": "C"})

    def closure(self, *packages: str) -> list[Download]:
        """The packages and all they depend on, as if nothing were installed."""
        return downloads_in(output(["apt-get", "install", "-y", "--print-uris", *packages], env=self.environment))

    def on_disk(self, packages: Sequence[str]) -> int:
        """Bytes that the packages take when they are unpacked."""
        answer = output(["apt-cache", "show", "--no-all-versions", *packages], env=self.environment)
        return 1024 * sum(int(size) for size in re.findall(r"^Installed-Size: (\d+)", answer, re.MULTILINE))

    def unpack(self, packages: Iterable[str], root: Path) -> None:
        """Downloads binary packages and unpacks them below `root`."""
        downloads = root.parent / f"{root.name}.downloads"
        fresh(downloads)
        root.mkdir(parents=True, exist_ok=True)
        # Tried three times: a mirror under load occasionally drops one of many downloads.
        command = ["apt-get", "-o", "Acquire::Retries=3", "-q", "download", *packages]
        run(f"Downloading from {self.name}", command, f"debian-{self.name}", cwd=downloads, env=self.environment)
        check(downloads.glob("*.deb"), self.name)
        for archive in sorted(downloads.glob("*.deb")):
            run(f"Unpacking {archive.name}", ["dpkg-deb", "-x", archive, root], "debian-unpack")
        shutil.rmtree(downloads)

    def unpack_source(self, package: str, folder: Path) -> None:
        """Downloads a source package's upstream archive and unpacks it into `folder`, without its top folder."""
        downloads = folder.parent / f"{folder.name}.downloads"
        fresh(downloads)
        fresh(folder)
        command = ["apt-get", "-o", "Acquire::Retries=3", "-q", "source", "--tar-only", "--download-only", package]
        run(f"Downloading {package}", command, f"debian-{self.name}", cwd=downloads, env=self.environment)
        archives = list(downloads.glob(f"{package}_*.orig.tar.*"))
        archives = [archive for archive in archives if archive.suffix != ".asc"]
        if len(archives) != 1:
            raise Failure(f"The source package {package} of {self.name} has no single upstream archive.")
        check(archives, self.name)
        command = ["tar", "xf", archives[0], "--strip-components=1", "-C", folder]
        run(f"Unpacking {package}", command, "debian-unpack")
        shutil.rmtree(downloads)


def fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def main() -> None:
    """Records what the suite has now: the libraries, and the packages that decide what the compiler makes."""
    import deps
    import emscripten_debian

    suite = Suite(deps.SUITE)
    suite.update()
    deciding = [d.package for d in suite.closure("emscripten") if emscripten_debian.decides(d.package)]
    folder = CACHE / "lock"
    fresh(folder)
    run("Downloading", ["apt-get", "-q", "download", *deps.PACKAGES, *deciding], "debian", cwd=folder, env=suite.environment)
    for source in deps.SOURCES:
        command = ["apt-get", "-q", "source", "--tar-only", "--download-only", source]
        run("Downloading", command, "debian", cwd=folder, env=suite.environment)
    files = [path for path in folder.iterdir() if path.suffix == ".deb" or re.search(r"\.orig\.tar\.\w+$", path.name)]
    kept = [f"{name} {digest}" for name, digest in recorded().items() if kind(name) not in (architecture(), "all", "source")]
    lines = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files if path.suffix != ".asc"]
    head = "\n".join(line for line in LOCK.read_text(encoding="utf-8").splitlines() if line.startswith("#"))
    LOCK.write_text(head + "\n" + "\n".join(sorted([*kept, *lines])) + "\n", encoding="utf-8")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
