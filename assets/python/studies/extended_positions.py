"""extended_positions: what is left of positions before a layer when one token is repeated, beside the table of positions."""

import numpy as np
from gpt2 import Reference
from measures import curve_of, positive
from random_numbers import in_order, normals, walk

TOLERANCE = {
    "others": 1e-4,
    **dict.fromkeys(("angle_1", "angle_2", "angle_3", "angles", "angles_by_layer"), 5e-4),
    **dict.fromkeys(("walk_angles", "turns", "along", "walk_turns", "walk_along", "points", "shared"), 1e-3),
    "random_angles": 1e-8,
}
HOOKS = {"resid_pre": "hook_resid_pre", "ln1": "ln1.hook_normalized", "ln1_normalized": "ln1.hook_normalized"}
WALKS, SEEDS = 5, 20
KEPT_BYTES = 96_000_000  # of the layers that helixscope keeps together; in a larger model it knows no others


def centred(rows):
    return rows - rows.mean(0)


def subspace(rows, centre):
    """Three left and three right singular vectors, as rows, and the shares of the squares; None without three directions."""
    u, values, vt = np.linalg.svd(centred(rows) if centre else rows, full_matrices=False)
    if len(values) < 3 or values[2] ** 2 <= 1e-13 * values[0] ** 2:
        return None
    return {"left": u[:, :3].T, "right": positive(vt[:3]), "shares": values**2 / (values**2).sum()}


def angles_between(a, b, side):
    """In degrees, the smallest first."""
    if a is None or b is None:
        return np.full(3, np.nan)
    return np.degrees(np.arccos(np.clip(np.linalg.svd(a[side] @ b[side].T)[1], 0, 1)))


def effective(rows):
    """As many dimensions as would hold the rows evenly."""
    squares = (rows**2).mean(0)
    return squares.sum() ** 2 / (squares**2).sum()


def tokens_of(weights, params):
    """The chosen token, then random ones whose text is cut into that token alone."""
    chosen = params["token"] if params["token"] >= 0 else weights.first_token(params["word"])
    out = [chosen]
    if params["prompts"] == 1:
        return out
    tokenizer, texts = weights.tokenizer, weights.tokenizer.texts()
    for token in in_order(min(len(texts), len(weights["wte.weight"])), np.random.default_rng(1)):
        if len(out) == params["prompts"]:
            break
        if token not in (weights.bos, chosen) and texts.get(token) and tokenizer.encode(texts[token]) == [token]:
            out.append(token)
    return out


def agreement_of(prompts, total, lengths):
    """The mean cosine of two prompts, rows from 1 on less their mean."""
    pairs = lengths * (prompts - 1)
    return ((centred(total[1:]) ** 2).sum() - lengths) / pairs if pairs > 0 else np.nan


class Means:
    """<|endoftext|> and a token through the whole context: by layer and hook, the mean over tokens less that over positions."""

    def __init__(self, weights, tokens, layers):
        self.weights, self.layers, hooks = weights, layers, set(HOOKS.values())
        names = {f"blocks.{layer}.{hook}" for layer in layers for hook in hooks}
        model, context = Reference(weights, weights.heads), len(weights["wpe.weight"])
        model.wanted = names
        total, lengths = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
        for token in tokens:
            seen = model.run([weights.bos] + [token] * (context - 1))[0]
            for name in names:
                total[name] = total[name] + seen[name]
                lengths[name] += (centred(seen[name][1:]) ** 2).sum()
        self.rows = {name: centred(total[name]) / len(tokens) for name in names}
        self.agreement = {name: agreement_of(len(tokens), total[name], lengths[name]) for name in names}

    def at(self, layer, hook, first):
        """A layer's extended positions; ln_1's shift is the same in every row, so that it vanishes with the mean."""
        gain = self.weights[f"h.{layer}.ln_1.weight"] if hook == "ln1" else 1
        return (self.rows[f"blocks.{layer}.{HOOKS[hook]}"] * gain)[first:]


def layers_around(weights, layer):
    """Those that helixscope keeps together with this one."""
    most = max(KEPT_BYTES // (8 * weights["wpe.weight"].size), 1)
    first = layer // most * most
    return range(first, min(first + most, weights.layers))


def by_layer(weights, means, table, params):
    angles, explained, agreement = np.full((weights.layers, 3), np.nan), np.full(weights.layers, np.nan), np.full(weights.layers, np.nan)
    for layer in means.layers:
        own = subspace(means.at(layer, params["hook"], params["first"]), params["centre"])
        angles[layer] = angles_between(own, table, params["side"])
        explained[layer] = own["shares"][:3].sum() if own else np.nan
        agreement[layer] = means.agreement[f"blocks.{layer}.{HOOKS[params['hook']]}"]
    return {"angles_by_layer": angles, "explained_by_layer": explained, "agreement_by_layer": agreement}


def spaces(curves, fits):
    """Both curves along the components of each fit; of two equal components every rotation is as valid."""
    points = np.ma.array([[rows @ fit["right"].T for rows in curves] for fit in fits])
    for space, fit in enumerate(fits):
        apart = -np.diff(fit["shares"][:4], prepend=np.inf)
        points[space, :, :, np.minimum(apart[:3], apart[1:]) < 1e-4] = np.ma.masked
    return points


def sizes(table, rows, threshold):
    """In how many dimensions an entry is beyond the threshold; hidden where rounding decides."""
    largest = np.abs(np.array([table, rows])).max(1)
    unclear = (np.abs(largest - threshold) < 1e-5 * largest.max(1, keepdims=True)).any(1)
    positions, extended = (np.ma.array(count, mask=hidden) for count, hidden in zip((largest > threshold).sum(1), unclear))
    fewer = np.nan if extended == 0 else np.ma.array(positions.data / extended.data, mask=unclear.any())
    return {"largest": largest, "dimensions_over_positions": positions, "dimensions_over": extended, "times_fewer": fewer, "effective_positions": effective(table), "effective": effective(rows)}


def chance(rows, table, side, centre):
    """Random subspaces of three dimensions; and random walks with the rows' steps, measured as they are."""
    size = len(rows) if side == "left" else rows.shape[1]
    draw = (normals(np.random.default_rng(seed), 3 * size).reshape(3, size) for seed in range(1, SEEDS + 1))
    bases = [{"any": np.linalg.qr(random.T)[0].T} for random in draw] if size >= 3 else []
    walks = [centred(walk(rows, np.random.default_rng(seed))) for seed in range(1, WALKS + 1)]
    explained, turns, along = np.array([curve_of(steps, centre) for steps in walks]).T
    return {
        "random_angles": np.array([angles_between(basis, {"any": np.eye(3, size)}, "any") for basis in bases]).reshape(-1, 3),
        "walk_angles": np.array([angles_between(subspace(steps, centre), table, side) for steps in walks]),
        "walk_explained_first3": explained,
        "walk_turns": turns,
        "walk_along": np.abs(along),
        "walk_effective": np.array([effective(steps) for steps in walks]),
    }


def numbers(weights, params, tokens, edits):
    hook, side, centre = params["hook"], params["side"], params["centre"]
    layer, first = min(params["layer"], weights.layers - 1), min(params["first"], len(weights["wpe.weight"]) - 1)
    repeated = tokens_of(weights, params)
    means = Means(weights, repeated, layers_around(weights, layer))
    table, rows = weights["wpe.weight"][first:], means.at(layer, hook, first)
    of_table = {c: subspace(table, c) for c in (True, False)}
    hooks = ("resid_pre", hook if hook != "resid_pre" else "ln1")
    variants = [(s, c, h) for s in ("right", "left") for c in (True, False) for h in hooks]
    angles = np.array([angles_between(subspace(means.at(layer, h, first), c), of_table[c], s) for s, c, h in variants])
    chosen = dict(zip(("angle_1", "angle_2", "angle_3"), angles[variants.index((side, bool(centre), hook))]))

    fitted = [centred(x) if centre else x for x in (table, rows)]
    curves = [x / np.sqrt((x**2).sum(1).mean()) for x in fitted]
    fits = [of_table[bool(centre)], subspace(rows, centre), subspace(np.concatenate(curves), False)]
    assert all(fits), "This script needs three directions beside rounding in both matrices: there are fewer from this position on."
    first3, turns, along = curve_of(rows, centre)
    return {
        "token": np.array(repeated),
        "layer": layer,
        "matrix": rows,
        "angles": angles,
        **chosen,
        **by_layer(weights, means, of_table[bool(centre)], params),
        "agreement": means.agreement[f"blocks.{layer}.{HOOKS[hook]}"],
        "points": spaces(curves, fits),
        "explained": np.array([fit["shares"][:3] for fit in fits]),
        "shared": ((curves[1] @ fits[0]["right"].T) ** 2).sum() / len(rows),
        "explained_first3": first3,
        "turns": turns,
        "along": along,
        **sizes(fitted[0], rows, params["threshold"]),
        **chance(rows, of_table[bool(centre)], side, centre),
    }
