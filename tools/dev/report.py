"""Prints progress in short lines with times, runs programs with their output in a log, and reports failures in one sentence."""

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator, Mapping, Optional, Sequence

from places import LOGS

TAIL_LINES = 40


class Failure(Exception):
    """One sentence for the user: what went wrong and what to do. `detail` is the end of a log, when there is one."""

    def __init__(self, sentence: str, detail: str = "") -> None:
        super().__init__(sentence)
        self.detail = detail


def say(text: str) -> None:
    print(f"helixscope: {text}", flush=True)


@contextmanager
def step(title: str) -> Iterator[None]:
    """Announces work that takes a while and, when it has succeeded, how long it took."""
    say(f"{title} …")
    start = time.monotonic()
    yield
    say(f"{title}: {time.monotonic() - start:.1f} s")


def tail(log: Path, lines: int = TAIL_LINES) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def environment(extra: Optional[Mapping[str, str]] = None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}


def run(
    what: str,
    command: Sequence[object],
    log_name: str,
    cwd: Optional[Path] = None,
    env: Optional[Mapping[str, str]] = None,
    show: bool = False,
) -> None:
    """Runs a program to its end; its output goes to a log (and, with `show`, to the terminal too)."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{log_name}.log"
    with log.open("w") as out:
        process = subprocess.Popen(
            [str(part) for part in command],
            cwd=cwd,
            env=environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        assert process.stdout is not None
        for line in process.stdout:
            out.write(line)
            if show:
                sys.stdout.write(line)
                sys.stdout.flush()
        status = process.wait()
    if status != 0:
        detail = "" if show else tail(log)
        raise Failure(f"{what} failed (exit status {status}); the whole log is {log}.", detail)


def output(command: Sequence[object], env: Optional[Mapping[str, str]] = None, timeout: float = 60) -> str:
    """A program's output, or "" when it is missing, fails or takes too long: for short queries."""
    try:
        answer = subprocess.run(
            [str(part) for part in command],
            env=environment(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""
