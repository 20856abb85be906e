"""position_emergence: the recorded checkpoints of wpe in the axes of the last one, and what the trainer measured at each."""

import numpy as np
from measures import rank_of
from weights import Weights

TOLERANCE = {"others": 1e-6}
MEASURED = {"tokens_read": "tokens", "loss": "held_out", "training_loss": "loss", "previous": "previous", "induction": "induction"}


def cosines_of(rows):
    """The mean cosine of neighbouring rows, and that of all pairs of different rows; NaN where a row is 0."""
    lengths, n = np.linalg.norm(rows, axis=1, keepdims=True), len(rows)
    if not lengths.all():
        return np.nan, np.nan
    unit = rows / lengths
    return (unit[1:] * unit[:-1]).sum(1).mean(), ((unit.sum(0) ** 2).sum() - n) / (n * (n - 1))


def turned(record):
    """Each checkpoint's rows about their own mean, along the last checkpoint's first three axes; and their shares of the variance."""
    points = record["scores"] @ (record["axes"] @ record["axes"][-1, :3].T)
    with np.errstate(invalid="ignore"):
        return points, (points**2).sum(1) / (record["singular_values"] ** 2).sum(1)[:, None]


def numbers(weights, params, tokens, edits):
    record = Weights(weights.folder / "emergence.safetensors")
    points, explained = turned(record)
    values = record["singular_values"]
    varies = values[:, 0] > 0
    with np.errstate(invalid="ignore"):
        first3 = (values[:, :3] ** 2).sum(1) / (values**2).sum(1)
    # Neighbours' cosines were measured on the whole rows, of which the record has the first components: only the last
    # checkpoint's rows, which are the model's (of a control: of the model behind it), can be measured again.
    adjacent = np.where(varies | (record["adjacent_cosine"] != 0), record["adjacent_cosine"], np.nan)
    adjacent[-1] = cosines_of(weights.stored("wpe.weight"))[0]
    shuffled = np.full(len(values), np.nan)
    if "mean" in record:
        shuffled = np.array([cosines_of(mean + scores @ axes)[1] for mean, scores, axes in zip(record["mean"], record["scores"], record["axes"])])
    by_step = {name: record[array].copy() for name, array in MEASURED.items()}
    by_step["training_loss"][record["tokens"] == 0] = np.nan
    by_step |= {"explained_first3": first3, "adjacent_cosine": adjacent, "shuffled_cosine": shuffled}
    ranks = np.array([rank_of(one) if any_ else np.nan for one, any_ in zip(values, varies)])
    at = min(params["step"], len(values) - 1)
    return {
        "points": points,
        "explained": explained,
        "rank_by_step": ranks,
        "table_rank": ranks[at],
        "moments": len(values),
        "rank": record["scores"].shape[2],
        **{name: array[at] for name, array in by_step.items()},
        **{("tokens" if name == "tokens_read" else name) + "_by_step": array for name, array in by_step.items()},
    }
