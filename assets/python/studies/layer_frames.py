"""layer_frames: the principal subspaces of each layer's residual stream, and the angles between them."""

import numpy as np
from edits import Edited

TOLERANCE = {"others": 1e-3, "angles": 2e-3, "gap": 1e-2}


def residual_stream(model, hooks):
    names = [f"blocks.{layer}.hook_resid_pre" for layer in range(model.layers)] + [f"blocks.{model.layers - 1}.hook_resid_post"]
    return [hooks[name] for name in names]


def normalized(model, rows):
    """After the last LayerNorm."""
    rows = rows - rows.mean(-1, keepdims=True)
    return rows / np.sqrt((rows**2).mean(-1, keepdims=True) + model.epsilon) * model.w["ln_f.weight"] + model.w["ln_f.bias"]


def median_of_noise(ratio):
    """The median of the Marchenko-Pastur law."""
    low, high = (1 - np.sqrt(ratio)) ** 2, (1 + np.sqrt(ratio)) ** 2
    x = low + (high - low) * np.linspace(0, 1, 400_001)[1:-1]
    held = np.cumsum(np.sqrt((x - low) * (high - x)) / x)
    return x[np.searchsorted(held, held[-1] / 2)]


def edge(values, samples, features, criterion):
    """Variances above it are more than noise."""
    narrow = min(samples, features) / max(samples, features)
    nonzero = values[values > 1e-12 * values[0]]
    geometric = np.exp(np.log(nonzero).mean())
    return {
        "mean": values.sum() / features * (1 + np.sqrt(features / samples)) ** 2,
        "median": np.median(values) / median_of_noise(narrow) * (1 + np.sqrt(narrow)) ** 2,
        "geometric": geometric * (1 + np.sqrt(samples / features)) ** 2,
        "geometric_text": geometric * (1 + np.sqrt(features / samples)) ** 2,
    }[criterion]


def gaps(values):
    values = values[values > 1e-12 * values[0]]
    steps = -np.diff(values)
    return steps[:-1] / steps[1:]


def count(values, samples, features, criterion):
    """How many components a layer keeps."""
    if criterion == "gap":
        return gaps(values).argmax() + 1
    if criterion == "share":
        return np.searchsorted(np.cumsum(values) / values.sum(), 0.9) + 1
    return int((values > edge(values, samples, features, criterion)).sum())


def angles_between(a, b):
    """In degrees; from sines where these are more precise than cosines (Björck and Golub 1973)."""
    if len(a) > len(b):
        a, b = b, a
    cosines = np.clip(np.linalg.svd(a @ b.T, compute_uv=False), 0, 1)
    sines = np.clip(np.sort(np.linalg.svd(a - a @ b.T @ b, compute_uv=False)), 0, 1)
    return np.degrees(np.where(cosines**2 > 0.5, np.arcsin(sines), np.arccos(cosines)))


def compare_frames(frames, threshold):
    """The sums of principal angles of every two layers, and what follows from them."""
    n = len(frames)
    sums, overlap = np.zeros((n, n)), np.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            angles = angles_between(frames[i], frames[j])
            sums[i, j] = sums[j, i] = angles.sum()
            overlap[i, j] = overlap[j, i] = (np.cos(np.radians(angles)) > threshold).mean()
    pairs = np.triu_indices(n, 1)
    least = np.minimum.outer([len(f) for f in frames], [len(f) for f in frames])
    together = np.linalg.svd(np.concatenate(frames), compute_uv=False)
    p = together**2 / (together**2).sum()
    return {
        "angles": sums,
        "overlap": overlap,
        "mean_angle": sums[pairs].mean(),
        "most_angle": sums[pairs].max(),
        "least_angle": sums[pairs].min(),
        "consecutive_angle": np.diagonal(sums, 1).mean(),
        "dispersion": (sums / (90 * least))[pairs].mean(),
        "overlapping": overlap[pairs].mean(),
        "union_rank": (together > 1e-6).sum(),
        "union_effective": np.exp(-(p[p > 0] * np.log(p[p > 0])).sum()),
        "order": np.corrcoef(pairs[1] - pairs[0], (sums / least)[pairs])[0, 1],
    }


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    stream = residual_stream(model, model.run(tokens)[0])
    if params["ln_f"]:
        stream[-1] = normalized(model, stream[-1])
    stream = [rows[params["first"] :] - rows[params["first"] :].mean(0) for rows in stream]
    samples, features = len(stream[0]) - 1, stream[0].shape[1]
    values, directions = zip(*((s[:samples] ** 2, v) for _, s, v in (np.linalg.svd(rows, full_matrices=False) for rows in stream)))
    kept = [count(v, samples, features, params["criterion"]) for v in values]
    found = {"dimensions": np.array(kept), "mean_dimensions": np.mean(kept), "samples": samples + 1, "features": features}
    if min(kept) > 0 and params["distance"] == "sum":
        found.update(compare_frames([v[:k] for v, k in zip(directions, kept)], params["threshold"]))
    return found
