"""layer_frames: the principal subspaces of each layer's residual stream, and the angles between them."""

import numpy as np
from edits import Edited
from random_numbers import normals

TOLERANCE = {"others": 1e-3, "share": 1e-6, "edge": 1e-5, "noise_share": 1e-9, "random_dispersion": 1e-6, "angles": 2e-3, "mds": 2e-3, "gap": 1e-2}
CRITERIA = ("mean", "median", "geometric", "geometric_text", "share", "gap")
LENGTHS, APART = (15, 50, 150, 500, 1000), 1.15  # the first so many tokens, where the whole text is clearly longer
SHOWN = 64  # components of a spectrum
SEEDS = range(1, 6)


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
    }.get(criterion, np.nan)


def gaps(values):
    """Each fall of the variances over the next fall; -1 where the next is rounding."""
    largest = values[0]
    steps = -np.diff(values[values > 1e-12 * largest])
    real = steps[1:] > 1e-12 * largest
    return np.where(real, steps[:-1] / np.where(real, steps[1:], 1), -1)


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


def map_of(distances):
    """Places in a plane by classical scaling, the first layer on the left and the last one above; and their stress."""
    centring = np.eye(len(distances)) - 1 / len(distances)
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    at = vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0))
    at *= np.where([at[0, 0] > 0, at[-1, 1] < 0], -1, 1)
    there = np.linalg.norm(at[:, None] - at[None], axis=-1)
    return at, np.sqrt(((there - distances) ** 2).sum() / (distances**2).sum())


def compare_frames(frames, p):
    """The sums of principal angles of every two layers, and what follows from them."""
    n = len(frames)
    sums, squares, overlap = np.zeros((n, n)), np.zeros((n, n)), np.eye(n)
    for i in range(n):
        for j in range(i + 1, n):
            angles = angles_between(frames[i], frames[j])
            sums[i, j] = sums[j, i] = angles.sum()
            squares[i, j] = squares[j, i] = (angles**2).sum()
            overlap[i, j] = overlap[j, i] = (np.cos(np.radians(angles)) > p["threshold"]).mean()
    pairs = np.triu_indices(n, 1)
    least = np.minimum.outer([len(f) for f in frames], [len(f) for f in frames])
    together = np.linalg.svd(np.concatenate(frames), compute_uv=False)
    share = together**2 / (together**2).sum()
    mds, stress = map_of({"sum": sums, "mean": sums / least, "geodesic": np.sqrt(squares)}[p["distance"]])
    return {
        "angles": sums,
        "overlap": overlap,
        "mean_angle": sums[pairs].mean(),
        "most_angle": sums[pairs].max(),
        "least_angle": sums[pairs].min(),
        "consecutive_angle": np.diagonal(sums, 1).mean(),
        "dispersion": (sums / (90 * least))[pairs].mean(),
        "overlapping": overlap[pairs].mean(),
        "union_rank": (together > p["tolerance"]).sum(),
        "union_effective": np.exp(-(share[share > 0] * np.log(share[share > 0])).sum()),
        "order": np.corrcoef(pairs[1] - pairs[0], (sums / least)[pairs])[0, 1],
        "mds": mds,
        "stress": stress,
    }


def random_frames(dimensions, features, seed):
    """The spans of normal vectors, as many as each layer has."""
    rng = np.random.default_rng(seed)
    return [np.linalg.qr(normals(rng, d * features).reshape(d, features).T)[0].T for d in dimensions]


def of_random_frames(dimensions, features, p):
    """Means over the seeds."""
    found = [compare_frames(random_frames(dimensions, features, seed), p) for seed in SEEDS]
    return {name: np.mean([one[name] for one in found]) for name in ("mean_angle", "dispersion", "overlapping", "union_effective", "stress")}


class Layers:
    """The principal components of each layer's rows about their mean."""

    def __init__(self, stream):
        stream = [rows - rows.mean(0) for rows in stream]
        self.samples, self.features = len(stream[0]) - 1, stream[0].shape[1]  # one degree of freedom is the mean's
        found = [np.linalg.svd(rows, full_matrices=False)[1:] for rows in stream]
        self.values, self.directions = [s[: self.samples] ** 2 for s, _ in found], [v for _, v in found]

    def dimensions(self, criterion):
        return [count(values, self.samples, self.features, criterion) for values in self.values]

    def compared(self, criterion, p):
        """None where a layer has no signal at all, and so no angles."""
        kept = self.dimensions(criterion)
        return compare_frames([v[:k] for v, k in zip(self.directions, kept)], p) if min(kept) > 0 else None

    def spectra(self, criterion):
        shares = np.array([values / values.sum() for values in self.values])
        edges = [edge(values, self.samples, self.features, criterion) / values.sum() for values in self.values]
        largest = [gaps(values) for values in self.values]
        found = {"share": shares[:, :SHOWN], "participation": 1 / (shares**2).sum(1), "edge": np.array(edges)}
        return {**found, "gap": np.array([gap.max() for gap in largest]), "gap_at": np.array([gap.argmax() + 1 for gap in largest])}


def of_criteria(layers, p):
    """Every criterion, on the layers and on Gaussian noise of their shape."""
    shape = (layers.samples, layers.features)
    noise = [np.linalg.svd(normals(np.random.default_rng(seed), np.prod(shape)).reshape(shape), compute_uv=False) ** 2 for seed in SEEDS]
    of_noise = [np.mean([count(values, *shape, criterion) for values in noise]) for criterion in CRITERIA]
    found = {"rule_dimensions": np.array([np.mean(layers.dimensions(criterion)) for criterion in CRITERIA]), "rule_noise": np.array(of_noise)}
    found.update(noise_share=noise[0][:SHOWN] / noise[0].sum(), noise_dimensions=of_noise[CRITERIA.index(p["criterion"])])
    compared = [layers.compared(criterion, p) for criterion in CRITERIA]
    hidden = [one is None for one in compared]
    for rule, name in {"angle": "mean_angle", "most": "most_angle", "least": "least_angle", "consecutive": "consecutive_angle", "dispersion": "dispersion", "union": "union_rank"}.items():
        found[f"rule_{rule}"] = np.ma.array([one[name] if one else 0 for one in compared], mask=hidden)
    return found


def of_lengths(stream, p):
    """The first so many tokens alone, and all of them."""
    all_of_them, rows = len(stream[0]), []
    for length in [*(length for length in LENGTHS if APART * length <= all_of_them), all_of_them]:
        layers = Layers([values[:length] for values in stream])
        found, kept = layers.compared(p["criterion"], p), layers.dimensions(p["criterion"])
        if found is None:
            rows.append((length, *[np.nan] * 5, np.mean(kept)))
            continue
        random = of_random_frames(kept, layers.features, p)
        rows.append((length, found["mean_angle"], random["mean_angle"], found["dispersion"], random["dispersion"], found["union_rank"], np.mean(kept)))
    names = ("length", "length_angle", "length_random_angle", "length_dispersion", "length_random", "length_union", "length_dimensions")
    return {name: np.ma.masked_invalid(column) for name, column in zip(names, zip(*rows))}


def numbers(weights, params, tokens, edits):
    model = Edited(weights, weights.heads, edits)
    stream = residual_stream(model, model.run(tokens)[0])
    if params["ln_f"]:
        stream[-1] = normalized(model, stream[-1])
    stream = [rows[params["first"] :] for rows in stream]
    layers = Layers(stream)
    kept = layers.dimensions(params["criterion"])
    found = {"dimensions": np.array(kept), "mean_dimensions": np.mean(kept), "samples": layers.samples + 1, "features": layers.features}
    found.update(layers.spectra(params["criterion"]), **of_criteria(layers, params), **of_lengths(stream, params))
    if min(kept) > 0:
        found.update(layers.compared(params["criterion"], params))
        random = of_random_frames(kept, layers.features, params)
        found.update({f"random_{name}": random[name] for name in ("dispersion", "overlapping", "union_effective", "stress")})
    return found
