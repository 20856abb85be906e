"""Atomic writes: a file is written under another name, then renamed."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Iterator


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it appears under its name once it is completely on disk, and not at all after an exception."""
    rough = path.with_name(path.name + ".part")
    with rough.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    rough.replace(path)


def write_text(path: Path, text: str) -> None:
    with whole_file(path) as file:
        file.write(text.encode("utf-8"))
