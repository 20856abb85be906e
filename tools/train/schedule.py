"""What changes during a training, as functions of the number of tokens seen.

All times are in tokens, not in shares of the whole. So if the end is moved while it is still ahead, the run is
bit-identical to one that was configured with that end from the start.
"""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Tuple

Config = Dict[str, dict]

# The entries that may be changed during a run: they say when something begins or ends.
MOVABLE = (
    ("batch", "total_tokens"),
    ("optimiser", "fall_from"),
    ("optimiser", "again"),
    ("sequences", "short_until"),
    ("sequences", "early_until"),
)


class Moment(NamedTuple):
    """What holds for one step."""

    rate: float  # learning rate
    decay: float  # weight decay of the matrices
    length: int  # tokens of a sequence
    copies: Tuple[float, float]  # shares of the sequences: part of a text repeated, random tokens repeated


def moment(config: Config, seen: int) -> Moment:
    """For the step after `seen` tokens."""
    plan = config["sequences"]
    short, early = seen < plan["short_until"], seen < plan["early_until"]
    copies = plan["copies_early" if early else "copies_late"]
    decay = config["optimiser"]["weight_decay"]
    for later in rounds(config):
        if seen >= later["from"]:
            copies, decay = later.get("copies", copies), later.get("weight_decay", decay)
    length = plan["short"] if short else config["model"]["n_ctx"]
    return Moment(rate(config, seen), decay, length, (copies["text"], copies["random"]))


def rounds(config: Config) -> List[dict]:
    """The rounds after the first fall of the rate: each has its own rate, and may have its own copies and decay."""
    return config["optimiser"].get("again", [])


def rate(config: Config, seen: int) -> float:
    """A linear warm-up, a plateau and a linear fall; each later round has all three again, starting at the last rate."""
    plan, step = config["optimiser"], config["batch"]["tokens"]
    ends = [later["from"] for later in rounds(config)] + [config["batch"]["total_tokens"]]
    at = sum(seen >= later["from"] for later in rounds(config))
    if at > 0:
        now, before = rounds(config)[at - 1], ([plan] + rounds(config))[at - 1]
        return phases(now, seen, before["last_rate"], now["from"], now["from"] + now["warm_up"], ends[at])
    if seen < plan["warm_up"]:
        return plan["rate"] * (seen + step) / (plan["warm_up"] + step)
    return phases(plan, seen, 0.0, 0, plan["warm_up"], ends[0])


def phases(plan: dict, seen: int, first: float, start: int, warm: int, end: int) -> float:
    """From `first` at `start` linearly to the plan's rate at `warm`, constant until `fall_from`, then to `last_rate` at `end`."""
    top = plan["rate"]
    if seen < warm:
        return first + (top - first) * (seen - start) / max(1, warm - start)
    fallen = min(1.0, max(0, seen - plan["fall_from"]) / max(1, end - plan["fall_from"]))
    return top + (plan["last_rate"] - top) * fallen


def same_past(old: Config, new: Config, steps: int) -> bool:
    """Whether a run of `steps` steps so far would have been the same under both."""
    if steps > total_steps(new) or fixed(old) != fixed(new):
        return False
    tokens = old["batch"]["tokens"]
    return all(moment(old, step * tokens) == moment(new, step * tokens) for step in range(steps))


def fixed(config: Config) -> Config:
    """The configuration without the entries that may be changed."""
    copy = {name: dict(part) if isinstance(part, dict) else part for name, part in config.items()}
    for part, name in MOVABLE:
        copy[part].pop(name, None)
    return copy


def total_steps(config: Config) -> int:
    return config["batch"]["total_tokens"] // config["batch"]["tokens"]
