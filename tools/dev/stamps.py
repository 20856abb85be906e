"""Avoids repeated work: a stamp beside an output records its inputs, and a lock keeps two runs apart."""

import fcntl
import hashlib
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from report import say


def digest(*parts: object) -> str:
    """A short hash of texts, and of the contents of files given as Path."""
    total = hashlib.sha256()
    for part in parts:
        data = part.read_bytes() if isinstance(part, Path) else str(part).encode()
        total.update(len(data).to_bytes(8, "little") + data)
    return total.hexdigest()[:16]


def is_current(stamp: Path, value: str) -> bool:
    try:
        return stamp.read_text() == value
    except OSError:
        return False


def write(stamp: Path, value: str) -> None:
    stamp.parent.mkdir(parents=True, exist_ok=True)
    stamp.write_text(value)


@contextmanager
def lock(path: Path, what: str) -> Iterator[None]:
    """Holds the lock file `path`; prints a message while another run has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            say(f"waiting for another run that {what}")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
