"""Hostile inputs, seeded: to the parsers under the sanitizers, to the native program, and to the page in headless Chromium. A run
stops at the first failure and prints the command that repeats it."""

import hashlib
import json
import random
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator, NamedTuple, Optional

import browser
import build
import npm
import packages
import website
from places import ROOT
from report import Failure, environment, say

PARTS = ("parsers", "program", "page")
LINKS = ROOT / "tests" / "golden" / "links_v1.txt"
MODEL = ROOT / "assets" / "models" / "minihelix"
CASE_SECONDS = 120  # after which the program counts as hung
MUTATED = ("model.safetensors", "vocab.json", "merges.txt", "config.json")
EDITS = ("group_positions:10", "permute_positions:3", "shift_positions:5", "zero_positions", "zero_tokens", "no_mask",
         "replace_positions:sinusoidal", "rank_positions:3", "mask_previous:0-3:5", "set_score:1.1:3:0:-inf",
         "move_attention:1.1:4:1:0", "scale_head:1.1:2", "scale_attn:1:2", "ablate_head:0.1", "zero_mlp:2", "freeze_patterns",
         "patch:blocks.0.hook_resid_pre:1", "swap_scores:1.1:3:0:1")
TEXTS = ("The cat sat on the mat", "", " ", "=1+1", "<|endoftext|>", "\n\n\t", "né 猫 😀 \u202e", "a" * 3000, "<b onload=x>&amp;", "-- --json", "\x01\x7f")
PIECES = ("-1", "0", "1e309", "nan", "inf", "99999999999999999999", "4294967296", "%00", "%", "&", "=", "..", "/", ":", ",,", "\u200b", "é", "-0", "1e-320", "")


class Wrong(Exception):
    """What went wrong in a case."""


class Case(NamedTuple):
    seed: int
    number: int

    def dice(self) -> random.Random:
        return random.Random(f"{self.seed}:{self.number}")


def mutated(data: bytes, dice: random.Random) -> bytes:
    """A few changed, lost, doubled or cut bytes, mostly near the beginning, where the structure is."""
    changed = bytearray(data)
    for _ in range(dice.randint(1, 4)):
        if not changed:
            break
        at = dice.randrange(min(len(changed), dice.choice((8, 64, 4096, len(changed)))))
        kind = dice.randrange(6)
        if kind == 0:
            changed[at] = dice.randrange(256)
        elif kind == 1:
            del changed[at : at + dice.choice((1, 7, 1000))]
        elif kind == 2:
            changed[at:at] = dice.choice((b"\x00", b'"', b"{", b"[" * 5000, b"9" * 30, b"-", b"\xff\xfe", b"null"))
        elif kind == 3:
            del changed[dice.randrange(len(changed)) :]
        elif kind == 4:
            changed[at:at] = changed[at : at + dice.choice((3, 100))]
        else:
            changed[at] ^= 1 << dice.randrange(8)
    return bytes(changed)


def mutated_text(text: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(text) + 1)
        text = text[:at] + dice.choice(PIECES) + text[at + dice.choice((0, 0, 1, 5)) :]
    return text.replace("\0", "")


class Program:
    """Random command lines against the native program, each in a folder of its own."""

    def __init__(self) -> None:
        self.path = build.native()
        self.studies = json.loads(subprocess.run([self.path, "studies", "--json"], capture_output=True, text=True, check=True).stdout)
        hooks = json.loads(subprocess.run([self.path, "hooks", "--json"], capture_output=True, text=True, check=True).stdout)
        self.hooks = [str(hook["name"]) for hook in hooks]
        self.links = [line.split("\t")[0] for line in LINKS.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]

    def folder(self, place: Path, dice: random.Random) -> Path:
        """A model folder; three times in four one of its files is mutated, missing or another file's."""
        folder = place / "model"
        folder.mkdir()
        for name in MUTATED:
            (folder / name).symlink_to(MODEL / name)
        if dice.random() < 0.25:
            return folder
        name = dice.choice(MUTATED)
        (folder / name).unlink()
        if (kind := dice.randrange(8)) == 0:
            return folder
        data = (MODEL / (dice.choice(MUTATED) if kind == 1 else name)).read_bytes()
        (folder / name).write_bytes(data if kind == 1 else mutated(data, dice))
        return folder

    def value(self, parameter: dict[str, object], dice: random.Random) -> str:
        choices = parameter.get("choices") or parameter.get("values")
        if choices and dice.random() < 0.7:
            return str(dice.choice(choices))  # type: ignore[arg-type]
        if dice.random() < 0.3:
            return dice.choice(PIECES)
        return str(dice.choice((-2, -1, 0, 1, 2, 3, 5, 20, 511, 512, 1023, 1e6, 0.5)))

    def subject(self, dice: random.Random) -> list[str]:
        words = dice.choice((["--prompt", dice.choice(TEXTS)], ["--tokens", ",".join(str(dice.choice((0, 1, 50256, -1, 2**31, 7))) for _ in range(dice.randint(0, 9)))]))
        for _ in range(dice.choice((0, 0, 1, 2, 3))):
            edit = dice.choice(EDITS)
            words += ["--edit", mutated_text(edit, dice) if dice.random() < 0.4 else edit]
        return words + dice.choice(([], ["--bos"], ["--keep-last"], ["--precision", "q8"], ["--threads", dice.choice(("1", "2", "0", "-1"))]))

    def command(self, place: Path, dice: random.Random) -> list[str]:
        verb = dice.choice(("run", "run", "run", "run", "link", "link", "info", "tokenize", "generate", "logits", "capture", "claims", "pack"))
        model = ["--model", str(self.folder(place, dice))]
        if verb == "link":
            link = dice.choice(self.links)
            return ["link", mutated_text(link, dice) if dice.random() < 0.8 else link]
        if verb == "run":
            study = dice.choice(self.studies)
            words = ["run", study["id"], *model, *self.subject(dice)]
            for parameter in dice.sample(study["params"], min(len(study["params"]), dice.randint(0, 3))):
                words += ["--set", f"{parameter['key']}={self.value(parameter, dice)}"]
            if dice.random() < 0.2:
                words += ["--against", dice.choice(("edit=zero_positions", "edit=", "prompt=x", "model=control:walk:3", "&&", "study=x"))]
                words += ["--compare", dice.choice(("difference", "beside", "x"))]
            for output, name in (("npz", "o.npz"), ("svg", "o.svg"), ("csv", "csv")):
                if dice.random() < 0.2:
                    words += [f"--{output}", str(place / name)]
            return words + dice.choice(([], ["--json"]))
        if verb == "tokenize":
            return ["tokenize", *model, *dice.choice((["--text", dice.choice(TEXTS)], ["--decode", "1,2,99999999"])), "--json"]
        if verb == "generate":
            return ["generate", *model, *self.subject(dice), "-n", dice.choice(("1", "3", "0", "-1", "99999")),
                    *dice.choice((["--greedy"], ["--temperature", dice.choice(PIECES)], ["--top-k", "3"], ["--top-p", "0.1"]))]
        if verb == "logits":
            return ["logits", *model, *self.subject(dice), "--npy", str(place / "o.npy"), "--json"]
        if verb == "capture":
            hook = dice.choice(self.hooks).replace("L", dice.choice(("0", "1", "9", "-1", "")))
            return ["capture", *model, *self.subject(dice), "--hook", hook, "--npz", str(place / "o.npz")]
        if verb == "pack":
            return ["pack", *model, "--out", str(place / "pack"), "--precision", dice.choice(("f32", "f16", "q8", "x")),
                    *dice.choice(([], ["--shard-bytes", dice.choice(("1", "5000", "0", "-3"))])), "--json"]
        return [verb, *model, "--json"] if verb == "info" else [verb, *model, "--id", dice.choice(("H1", "P1", "S3", "none"))]

    def __call__(self, case: Case) -> None:
        dice = case.dice()
        with tempfile.TemporaryDirectory(prefix="helixscope-fuzz-") as name:
            place = Path(name)
            words = self.command(place, dice)
            for at in range(1, len(words)):
                if dice.random() < 0.02:
                    words[at] = mutated_text(words[at], dice)
            try:
                done = subprocess.run([str(self.path), *words], cwd=place, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=CASE_SECONDS)
            except subprocess.TimeoutExpired:
                raise Wrong(f"did not end within {CASE_SECONDS} s: {words}") from None
            except (ValueError, OSError):
                return  # no command line of this system
            told = done.stderr.decode("utf-8", "replace")
            if done.returncode not in (0, 1, 2):
                raise Wrong(f"ended with {done.returncode}: {words}\n{told[-2000:]}")
            if done.returncode and (not told.strip() or len(told) > 3000):
                raise Wrong(f"failed without a sentence: {words}\n{told[:500]!r}")
            if done.returncode == 0 and "--json" in words and words[0] != "bench":
                for line in (done.stdout.decode("utf-8"),):
                    json.loads(line, parse_constant=lambda word: (_ for _ in ()).throw(Wrong(f"{word} in JSON: {words}")))
            if list(place.glob("*.part")):
                raise Wrong(f"left half a file: {words}")


def digest_of_model() -> str:
    return hashlib.sha256(b"".join((MODEL / name).read_bytes() for name in MUTATED)).hexdigest()


def cases(seed: int, first: int, end: float, only_one: bool) -> Iterator[Case]:
    number = first
    while only_one or time.monotonic() < end:
        yield Case(seed, number)
        if only_one:
            return
        number += 1


def fuzz_program(seed: int, minutes: float, case: Optional[int]) -> None:
    act, before, count = Program(), digest_of_model(), 0
    for one in cases(seed, case or 0, time.monotonic() + minutes * 60, case is not None):
        try:
            act(one)
            if count % 100 == 0 and digest_of_model() != before:
                raise Wrong("a file of the model has changed")
        except Wrong as wrong:
            raise repeat("program", one, str(wrong)) from None
        count += 1
    say(f"program: {count} command lines")


def fuzz_parsers(minutes: float) -> None:
    """The C++ tests that mutate headers, packs, tokenizers, results, messages and links, each for its share of the time."""
    program = build.preset("asan", "helixscope_tests") / "tests" / "helixscope_tests"
    listed = subprocess.run([str(program), "[fuzz]", "--list-tests", "--verbosity", "quiet"], capture_output=True, text=True, check=False).stdout
    count = len([line for line in listed.splitlines() if line.strip()])
    if not count:
        raise Failure("There is no C++ test with the tag [fuzz].")
    env = environment({"HELIXSCOPE_FUZZ_SECONDS": str(round(minutes * 60 / count, 1))})
    done = subprocess.run([str(program), "[fuzz]", "--rng-seed", "1"], env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure("A parser failed; the test's own seed is in the output.", done.stdout[-6000:] + done.stderr[-6000:])
    say(f"parsers: {count} tests, {minutes * 60 / count:.0f} s each")


def fuzz_page(seed: int, minutes: float, case: Optional[int]) -> None:
    command = [str(npm.node()), str(ROOT / "tests" / "browser" / "fuzz.mjs"), "--seed", str(seed), "--minutes", str(minutes)]
    if case is not None:
        command += ["--case", str(case)]
    done = subprocess.run(command, cwd=ROOT, env=environment(browser.settings()), check=False)
    if done.returncode:
        raise Failure("The page failed; the lines above say how to repeat it.")


def repeat(part: str, case: Case, why: str) -> Failure:
    return Failure(f"{part} failed at case {case.number}; again: ./dev fuzz --part {part} --seed {case.seed} --case {case.number}", why)


def fuzz(minutes: float, seed: Optional[int], part: Optional[str], case: Optional[int]) -> int:
    if case is not None and part not in ("program", "page"):
        raise Failure("--case repeats one case of --part program or --part page.")
    seed = random.SystemRandom().randrange(2**31) if seed is None else seed
    parts = PARTS if part is None else (part,)
    share = minutes / len(parts)
    say(f"seed {seed}, {minutes:g} minutes: {', '.join(parts)}")
    if "page" in parts:
        packages.need(*packages.WEB, "chromium")
        website.assemble(build.web())
    acts: dict[str, Callable[[], None]] = {
        "parsers": lambda: fuzz_parsers(share),
        "program": lambda: fuzz_program(seed, share, case),
        "page": lambda: fuzz_page(seed, share, case),
    }
    for name in parts:
        acts[name]()
    return 0
