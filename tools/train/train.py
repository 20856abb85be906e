#!/usr/bin/env python3
"""Trains minihelix: one command from a folder of texts to a model folder; run again, it resumes where it stopped."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from pathlib import Path
from typing import Dict, List

# Set before torch is loaded, so that waiting threads yield their core.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import torch  # noqa: E402

import corpus  # noqa: E402
import memory  # noqa: E402
import precision  # noqa: E402
from files import write_text  # noqa: E402
from journal import say  # noqa: E402
from trainer import CHECKPOINT, Trainer, read_checkpoint  # noqa: E402

CONFIG = Path(__file__).with_name("minihelix.json")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="folder of the run: tokens, checkpoint, snapshots; outside of git")
    parser.add_argument("--texts", type=Path, required=True, help="folder of .txt and .txt.xz files")
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--model", type=Path, help="write the model folder here when the training is done")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--stop-after", type=int, default=0, metavar="STEPS", help="stop at this step, to go on later")
    return parser.parse_args()


def prepared(texts: Path, folder: Path, config: Dict[str, dict]) -> corpus.Corpus:
    if not (folder / "facts.json").exists():
        corpus.prepare(texts, folder, config["model"]["n_vocab"], config["data"], config["seed"])
    return corpus.load(folder)


def started(run: Path, config: Dict[str, dict], data: corpus.Corpus) -> Trainer:
    """The trainer of this run: a new one, or one restored from its checkpoint."""
    if (run / CHECKPOINT).exists():
        trainer = Trainer(config, data, run, precision.Precision(*read_checkpoint(run)["precision"]))
        trainer.load()
        say(f"continues at step {trainer.step}")
    else:
        trainer = Trainer(config, data, run, precision.choose(config["batch"]["precision"]))
    write_text(run / "config.json", json.dumps(config, indent=2) + "\n")
    return trainer


def main() -> int:
    options = arguments()
    memory.keep_freed()
    torch.set_num_threads(options.threads)
    config = json.loads(options.config.read_text(encoding="utf-8"))
    options.run.mkdir(parents=True, exist_ok=True)
    trainer = started(options.run, config, prepared(options.texts, options.run / "data", config))
    size = config["batch"]["tokens"]
    say(f"{trainer.total_steps} steps of {size} tokens, {options.threads} threads, {trainer.precision}")
    asked: List[int] = []  # signals to stop: the trainer finishes the step and writes a checkpoint
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda number, _: asked.append(number))
    done = trainer.run(lambda: bool(asked), options.stop_after)
    say("done" if done else f"stopped at step {trainer.step}; the same command goes on from there")
    if done and options.model:
        import export

        export.export(options.run, options.model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
