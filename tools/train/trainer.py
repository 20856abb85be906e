"""The training itself: steps, checkpoints, snapshots. A stopped run resumes from its checkpoint as if never stopped."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Callable, Dict, List

import torch

import optimiser
import schedule
import snapshots
from batches import SILENT, Batch, Sampler
from corpus import Corpus
from files import whole_file
from gpt2 import Gpt2, Shape
from precision import Precision
from journal import say

CHECKPOINT = "checkpoint.pt"


class Trainer:
    """A run's whole state is `model`, `optimiser`, `mean`, `step` and the measurements so far."""

    def __init__(self, config: Dict[str, dict], corpus: Corpus, folder: Path, precision: Precision) -> None:
        self.config, self.corpus, self.folder, self.precision = config, corpus, folder, precision
        shape = Shape(**config["model"])
        tokenizer = corpus.tokenizer
        self.model = Gpt2(shape, config["seed"]).to(precision.device)
        self.optimiser = optimiser.optimiser(self.model, config["optimiser"])
        self.mean = optimiser.RunningMean(self.model, config["optimiser"]["mean_decay"])
        (new_line,) = tokenizer.piece("\n")
        starts = config["sequences"]["starts"]
        self.sampler = Sampler(corpus.train, tokenizer.end_of_text, new_line, shape.n_ctx, starts)
        self.step = 0
        self.recent_loss = 0.0  # nats per token, over about the last 20 steps
        self.seconds = {"wall": 0.0, "cpu": 0.0}
        self.starts: List[int] = []  # the steps at which the run was started or continued

    @property
    def total_steps(self) -> int:
        return schedule.total_steps(self.config)

    @property
    def tokens_seen(self) -> int:
        return self.step * self.config["batch"]["tokens"]

    def now(self) -> schedule.Moment:
        return schedule.moment(self.config, self.tokens_seen)

    def learn(self) -> None:
        """One step."""
        now = self.now()
        batch = self.sampler.batch(self.config["seed"], self.step, now, self.config["batch"]["tokens"])
        optimiser.set_rate(self.optimiser, now.rate, now.decay)
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.gradients(batch)
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.config["optimiser"]["clip"])
        self.optimiser.step()
        self.mean.update(self.model)
        self.step += 1
        share = max(0.05, 1 / self.step)
        self.recent_loss += share * (loss - self.recent_loss)

    def gradients(self, batch: Batch) -> float:
        """Accumulates the gradients of the batch's mean loss, a few sequences at a time; returns that loss."""
        at_once = max(1, self.config["batch"]["at_once"] // batch.tokens.shape[1])
        count = int((batch.targets != SILENT).sum())
        total = 0.0
        for i in range(0, len(batch.tokens), at_once):
            part = (torch.from_numpy(array[i : i + at_once]).to(self.precision.device) for array in batch)
            with self.precision.products():
                loss = self.model.loss(*part) / count
            loss.backward()
            total += float(loss.detach())
        return total

    def run(self, stopped: Callable[[], bool] = lambda: False, last_step: int = 0) -> bool:
        """Trains until the end, `last_step` or `stopped()`, and writes a checkpoint. True when the training is complete."""
        plan = self.config["snapshots"]
        moments = snapshots.moments(plan["first_step"], plan["ratio"], self.total_steps)
        every = self.config["seconds"]
        last = min(last_step or self.total_steps, self.total_steps)
        self.starts.append(self.step)
        clocks = Clocks(self)
        if self.step < self.total_steps:
            snapshots.forget(self.folder / "snapshots", self.step)  # left by the end of a shorter run, whose last snapshot is of averaged weights
            if self.step in moments:
                self.snapshot()
        while self.step < last and not stopped():
            self.learn()
            if self.step in moments and self.step < self.total_steps:
                self.snapshot()
            if clocks.due("report", every["report"]):
                say(self.line(clocks.tokens_per_second()))
            if clocks.due("checkpoint", every["checkpoint"]):
                clocks.account()
                self.save()
        done = self.step == self.total_steps
        if done:
            self.snapshot()
        clocks.account()
        self.save()
        return done

    def line(self, speed: float) -> str:
        shape = f"cosine {snapshots.cosine_now(self.model):.4f}"
        return (
            f"step {self.step}/{self.total_steps}  {self.tokens_seen / 1e6:.2f} M tokens  "
            f"loss {self.recent_loss:.4f}  {shape}  rate {self.now().rate:.2e}  {speed:.0f} tokens/s"
        )

    def snapshot(self) -> None:
        """Takes a snapshot of the current weights; the last one is of their running mean, which is shipped."""
        if self.step == self.total_steps:
            with torch.no_grad():
                raw = {name: weight.clone() for name, weight in self.model.named_parameters()}
                self.take(self.mean.weights)
                row = snapshots.measure(self)
                self.take(raw)
        else:
            row = snapshots.measure(self)
        snapshots.write(self.folder / "snapshots", self.step, row)
        say(f"snapshot at step {self.step}: {snapshots.summary(row)}")

    def take(self, weights: Dict[str, torch.Tensor]) -> None:
        with torch.no_grad():
            for name, weight in self.model.named_parameters():
                weight.copy_(weights[name])

    def save(self) -> None:
        state = {
            "config": self.config,
            "precision": tuple(self.precision),
            "step": self.step,
            "recent_loss": self.recent_loss,
            "seconds": self.seconds,
            "starts": self.starts,
            "weights": {name: weight.detach() for name, weight in self.model.named_parameters()},
            "optimiser": self.optimiser.state_dict(),
            "mean": self.mean.weights,
            "mean_steps": self.mean.steps,
        }
        with whole_file(self.folder / CHECKPOINT) as file:
            torch.save(state, file)

    def load(self) -> None:
        """Restores the folder's checkpoint; raises ValueError when this configuration would not have led there."""
        state = read_checkpoint(self.folder)
        if not schedule.same_past(state["config"], self.config, state["step"]):
            raise ValueError(f"The checkpoint in {self.folder} was made with another configuration")
        self.precision = Precision(*state["precision"])
        self.step, self.recent_loss = state["step"], state["recent_loss"]
        self.seconds, self.starts = state["seconds"], state["starts"]
        self.take(state["weights"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.mean.weights = {name: weight.to(self.precision.device) for name, weight in state["mean"].items()}
        self.mean.steps = state["mean_steps"]


def read_checkpoint(folder: Path) -> Dict[str, object]:
    return torch.load(folder / CHECKPOINT, map_location="cpu")


class Clocks:
    """Decides when something is due again, and measures a run's time: on the wall clock, and on all cores."""

    def __init__(self, trainer: Trainer) -> None:
        self.trainer = trainer
        self.counted = self.now()
        self.last: Dict[str, float] = {}
        self.reported = (time.monotonic(), trainer.tokens_seen)

    @staticmethod
    def now() -> Dict[str, float]:
        return {"wall": time.monotonic(), "cpu": time.process_time()}

    def due(self, what: str, seconds: float) -> bool:
        now = time.monotonic()
        if now - self.last.setdefault(what, self.counted["wall"]) < seconds:
            return False
        self.last[what] = now
        return True

    def tokens_per_second(self) -> float:
        """Since the last time this was asked."""
        (start, before), self.reported = self.reported, (time.monotonic(), self.trainer.tokens_seen)
        return (self.trainer.tokens_seen - before) / max(1e-9, self.reported[0] - start)

    def account(self) -> None:
        now = self.now()
        for name, value in now.items():
            self.trainer.seconds[name] += value - self.counted[name]
        self.counted = now
