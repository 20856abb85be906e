"""Every test, cheap ones first, with a table of the steps at the end."""

import os
import sys
import time
from pathlib import Path
from typing import Callable, NamedTuple

import browser
import build
import formatting
import npm
import packages
import website
from places import ROOT
from report import Failure, run, say

TESTS = ROOT / "tests"
LONGEST_TEST = 180  # seconds of one browser test: one that hangs fails alone
FUZZ_SECONDS = {"full": "30", "quick": "2"}


class Outcome(NamedTuple):
    title: str
    seconds: float
    result: str  # "passed", "failed", "nothing to run"


class Nothing(Exception):
    """The step has no tests yet."""


def python_tests(folder: Path, interpreter: str = sys.executable, pattern: str = "*_test.py") -> None:
    if not list(folder.glob(pattern)):
        raise Nothing
    command = [interpreter, "-m", "unittest", "discover", "-s", folder, "-t", folder, "-p", pattern]
    run(f"{folder.relative_to(ROOT)}", command, folder.name, cwd=ROOT, env=browser.settings(), show=True)


def repository_checks() -> None:
    python_tests(TESTS)


def tool_tests() -> None:
    # The trainer's tests need numpy and torch, and skip themselves without.
    python_tests(TESTS / "tools", packages.python_with_numpy() or sys.executable)


def reference_tests() -> None:
    packages.need("numpy")
    python_tests(TESTS / "reference", packages.python_with_numpy() or sys.executable)


def cpp_tests(preset: str, fuzz: str) -> None:
    folder = build.preset(preset)
    if not (folder / "tests" / "CTestTestfile.cmake").exists() or not list(TESTS.glob("*/*_test.cpp")):
        raise Nothing
    command = ["ctest", "--preset", preset, "-j", build.jobs()]
    env = {**browser.settings(), "HELIXSCOPE_FUZZ_SECONDS": os.environ.get("HELIXSCOPE_FUZZ_SECONDS", fuzz)}
    run(f"ctest {preset}", command, f"{preset}-ctest", cwd=ROOT, env=env, show=True)


def node_tests(folder: Path, title: str) -> None:
    files = sorted(str(path.relative_to(ROOT)) for path in folder.glob("*_test.mjs"))
    if not files:
        raise Nothing
    # One file at a time: each drives a browser of its own, and timeouts assume a machine that is not overbooked.
    limits = [f"--test-timeout={LONGEST_TEST * 1000}", "--test-force-exit"]
    command = [npm.node(), "--test", "--test-concurrency=1", *limits, "--test-reporter=spec", *files]
    run(title, command, title.lower().replace(" ", "-"), cwd=ROOT, env=browser.settings(), show=True)


def tokenizer_tests() -> None:
    build.native()
    node_tests(TESTS / "reference", "Tokenizer tests")


def browser_tests() -> None:
    packages.need("chromium")
    node_tests(TESTS / "browser", "Browser tests")


def site() -> None:
    website.assemble(build.web())


def steps(quick: bool) -> list[tuple[str, Callable[[], object]]]:
    fuzz = FUZZ_SECONDS["quick" if quick else "full"]
    checks: list[tuple[str, Callable[[], object]]] = [
        ("format", formatting.check),
        ("repository checks", repository_checks),
        ("tool tests", tool_tests),
        ("asan tests", lambda: cpp_tests("asan", fuzz)),
    ]
    if quick:
        return checks
    return checks + [
        ("native tests", lambda: cpp_tests("native", FUZZ_SECONDS["quick"])),
        ("reference tests", reference_tests),
        ("tokenizer tests", tokenizer_tests),
        ("web-simd tests", lambda: cpp_tests("web-simd", FUZZ_SECONDS["quick"])),
        ("web-relaxed tests", lambda: cpp_tests("web-relaxed", FUZZ_SECONDS["quick"])),
        ("web-relaxed-mt tests", lambda: cpp_tests("web-relaxed-mt", FUZZ_SECONDS["quick"])),
        ("site", site),
        ("browser tests", browser_tests),
    ]


def run_step(title: str, work: Callable[[], object]) -> Outcome:
    say(f"== {title}")
    start = time.monotonic()
    result = "passed"
    try:
        work()
    except Nothing:
        result = "nothing to run"
        say(f"{title}: nothing to run")
    except Failure as failure:
        result = "failed"
        if failure.detail:
            print(failure.detail)
        say(f"{title}: {failure}")
    return Outcome(title, time.monotonic() - start, result)


def run_all(quick: bool) -> int:
    """Runs every step, also after a failure: one run tells all that is wrong. The exit status is 1 if any failed."""
    packages.need(*packages.NATIVE)
    npm.install()
    outcomes = [run_step(title, work) for title, work in steps(quick)]
    print()
    for outcome in outcomes:
        print(f"{outcome.title:20} {outcome.seconds:8.1f} s  {outcome.result}")
    print(f"{'all':20} {sum(outcome.seconds for outcome in outcomes):8.1f} s")
    failed = sum(outcome.result == "failed" for outcome in outcomes)
    passed = sum(outcome.result == "passed" for outcome in outcomes)
    print(f"\n{passed} passed, {failed} failed", flush=True)
    return 1 if failed else 0
