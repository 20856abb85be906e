"""position_dimension: single dimensions of the positions, and the sinusoid nearest to each."""

import numpy as np
from measures import sinusoidal

TOLERANCE = {"others": 1e-7, "r2": 1e-6, "cycles": 1e-3, "all_std": 1e-9}
SHOWN = 6


def r2_of(column, cycles):
    """R² of the sinusoid of so many cycles over the rows, with an offset."""
    t = np.arange(len(column)) / len(column)
    basis, _ = np.linalg.qr(np.c_[np.ones(len(t)), np.cos(2 * np.pi * cycles * t), np.sin(2 * np.pi * cycles * t)])
    return 1 - ((column - basis @ (basis.T @ column)) ** 2).sum() / ((column - column.mean()) ** 2).sum()


def best_of(column):
    """The best frequency from half a cycle on: a scan, then golden sections around its best."""
    grid = np.arange(0.5, len(column) / 2, 0.1)
    at = grid[np.argmax([r2_of(column, f) for f in grid])]
    low, high, golden = max(0.5, at - 0.1), at + 0.1, (np.sqrt(5) - 1) / 2
    while high - low > 1e-7:
        a, b = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, b) if r2_of(column, a) > r2_of(column, b) else (a, high)
    return (low + high) / 2


def numbers(weights, params, tokens, edits):
    p = params
    table = sinusoidal(1024, 768, p["base"]) if p["source"] == "sinusoidal" else weights["wpe.weight"]
    rows = table[p["first"] : p["last"] + 1]
    order = list(np.argsort(-rows.var(0), kind="stable"))
    chosen = [d for d in p["dimensions"] if d < rows.shape[1]]
    count = len(p["dimensions"]) or SHOWN
    chosen = (chosen + [d for d in order if d not in chosen])[: max(count, len(chosen))]
    found = {"values": rows.T[chosen], "chosen": np.array(chosen), "all_std": rows.std(0)}
    if len(rows) >= 20:
        cycles = np.array([best_of(rows[:, d]) for d in chosen])
        found["cycles"], found["r2"] = cycles, np.array([r2_of(rows[:, d], f) for d, f in zip(chosen, cycles)])
    return found
