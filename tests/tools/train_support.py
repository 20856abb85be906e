"""Shared code of the trainer's tests: a tiny configuration, texts to train on, and a message when they cannot run."""

import contextlib
import copy
import importlib.util
import io
import random
import sys
import unittest
from pathlib import Path
from typing import Dict, List, Type

TRAINER = Path(__file__).resolve().parents[2] / "tools" / "train"
DEBIAN = {"numpy": "python3-numpy", "torch": "python3-torch", "regex": "python3-regex"}
sys.path.insert(0, str(TRAINER))

TINY: Dict[str, dict] = {
    "seed": 3,
    "model": {"n_vocab": 300, "n_ctx": 32, "d_model": 16, "n_layer": 2, "n_head": 2},
    "data": {"held_out_books": 1, "vocabulary_sample": 20_000},
    "sequences": {
        "short": 16,
        "short_until": 1024,
        "starts": {"after_end_of_text": 0.3, "row_zero": 0.1, "last_rows": 0.2},
        "copies_early": {"text": 0.2, "random": 0.2},
        "copies_late": {"text": 0.1, "random": 0.1},
        "early_until": 768,
    },
    "batch": {"total_tokens": 1536, "tokens": 128, "at_once": 64, "precision": "f32"},
    "optimiser": {
        "rate": 3e-3,
        "last_rate": 1e-4,
        "warm_up": 256,
        "fall_from": 1024,
        "betas": [0.9, 0.95],
        "weight_decay": 0.1,
        "wpe": {"factor": 2.0, "weight_decay": 0.0},
        "clip": 1.0,
        "mean_decay": 0.9,
    },
    "snapshots": {"first_step": 2, "ratio": 1.8, "held_out_sequences": 4, "score_sequences": 2},
    "seconds": {"report": 60, "checkpoint": 60},
}


def need(*modules: str) -> None:
    """Skips the test file when one of the modules is not installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        names = ", ".join(DEBIAN[name] for name in missing)
        raise unittest.SkipTest(f"{', '.join(missing)} cannot be imported by {sys.executable} (Debian: {names})")


def tiny(**changes: Dict[str, object]) -> Dict[str, dict]:
    """TINY with entries of its parts replaced: tiny(batch={"tokens": 64})."""
    config = copy.deepcopy(TINY)
    for part, entries in changes.items():
        config[part].update(entries)
    return config


def quietly(case: Type[unittest.TestCase]) -> None:
    """Hides the trainer's output during the class' tests."""
    silence = contextlib.redirect_stdout(io.StringIO())
    silence.__enter__()
    case.addClassCleanup(silence.__exit__, None, None, None)


def story(seed: int, sentences: int) -> str:
    """Sentences with some grammar, so that there is something to learn, and some characters beyond ASCII."""
    draw = random.Random(seed)
    nouns = ["house", "garden", "river", "café", "old lady", "captain", "naïve boy", "letter"]
    verbs = ["saw", "found", "didn’t like", "couldn't see", "remembered", "left in 1873"]
    lines: List[str] = []
    for i in range(sentences):
        text = f"The {draw.choice(nouns)} {draw.choice(verbs)} the {draw.choice(nouns)}."
        lines.append(text if i % 3 else text + "\n")
    return "\n".join(lines) + "\n"


def write_texts(folder: Path) -> Path:
    """Two files, three books: two under headings, one a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    first = f"=== A_Writer__One ===\n{story(1, 150)}=== A_Writer__Two ===\n{story(2, 150)}"
    (folder / "both.txt").write_text(first, encoding="utf-8")
    (folder / "alone.txt").write_text(story(3, 200), encoding="utf-8")
    return folder
