"""Packages of another Debian suite, downloaded and unpacked into the cache: no root, nothing installed, signatures checked."""

import shutil
from pathlib import Path
from typing import Iterable, Optional

from places import CACHE
from report import Failure, output, run

KEYRINGS = ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
# An apt that reads and writes only this folder; the machine's proxy configuration still applies.
CONFIGURATION = """\
Dir::State "{0}"; Dir::State::Lists "{0}/lists"; Dir::State::status "{0}/status"; Dir::Cache "{0}/cache";
Dir::Etc::sourcelist "{0}/sources.list"; Dir::Etc::sourceparts "-";
Dir::Etc::preferences "{0}/none"; Dir::Etc::preferencesparts "{0}/preferences";
APT::Architecture "{1}"; APT::Architectures {{ "{1}"; }};
APT::Install-Recommends "false"; Acquire::Languages "none"; APT::Sandbox::User ""; Debug::NoLocking "true";
"""


def architecture() -> str:
    return output(["dpkg", "--print-architecture"]).strip()


def mirror() -> Optional[str]:
    """The Debian mirror that this machine uses, or None when it is not a Debian."""
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return None
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
        line = f"[signed-by={keyring}] {uri} {self.name} main\n"
        (self.folder / "sources.list").write_text(f"deb {line}deb-src {line}")
        run(f"Reading the Debian suite {self.name}", ["apt-get", "update", "-qq"], "debian", env=self.environment)

    def closure(self, *packages: str) -> list[str]:
        """The packages and all they depend on, as if nothing were installed."""
        command = ["apt-get", "install", "-y", "--print-uris", *packages]
        lines = output(command, env=self.environment).splitlines()
        return [line.split()[1].split("_")[0] for line in lines if line.startswith("'")]

    def unpack(self, packages: Iterable[str], root: Path) -> None:
        """Downloads binary packages and unpacks them below `root`."""
        downloads = root.parent / f"{root.name}.downloads"
        fresh(downloads)
        root.mkdir(parents=True, exist_ok=True)
        # Tried three times: a mirror under load occasionally drops one of many downloads.
        command = ["apt-get", "-o", "Acquire::Retries=3", "-q", "download", *packages]
        run(f"Downloading from {self.name}", command, "debian", cwd=downloads, env=self.environment)
        for archive in sorted(downloads.glob("*.deb")):
            run(f"Unpacking {archive.name}", ["dpkg-deb", "-x", archive, root], "debian-unpack")
        shutil.rmtree(downloads)

    def unpack_source(self, package: str, folder: Path) -> None:
        """Downloads a source package's upstream archive and unpacks it into `folder`, without its top folder."""
        downloads = folder.parent / f"{folder.name}.downloads"
        fresh(downloads)
        fresh(folder)
        command = ["apt-get", "-o", "Acquire::Retries=3", "-q", "source", "--tar-only", "--download-only", package]
        run(f"Downloading {package}", command, "debian", cwd=downloads, env=self.environment)
        archives = list(downloads.glob(f"{package}_*.orig.tar.*"))
        archives = [archive for archive in archives if archive.suffix != ".asc"]
        if len(archives) != 1:
            raise Failure(f"The source package {package} of {self.name} has no single upstream archive.")
        command = ["tar", "xf", archives[0], "--strip-components=1", "-C", folder]
        run(f"Unpacking {package}", command, "debian-unpack")
        shutil.rmtree(downloads)


def fresh(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
