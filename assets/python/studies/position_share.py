"""position_share: each layer's values over texts and positions as a common mean, a part of the position, one of the text, and the rest."""

import numpy as np
from books import BOOKS
from edits import Edited
from measures import curve_of, positive, stable_rank
from random_numbers import walk

TOLERANCE = {
    "others": 2e-4,
    **dict.fromkeys(("rank", "stable_rank", "neighbour_cosine", "context_cosine", "neighbours", "crossing"), 1e-3),
    **dict.fromkeys(("turns", "along", "walk_turns", "walk_along"), 2e-3),
    **dict.fromkeys(("rank_less", "rank_corrected", "points"), 5e-3),
}
ABOVE_CHANCE = 1.5


def squares(rows):
    return (rows**2).sum()


def norm(rows):
    """The largest singular value."""
    rows = rows.reshape(-1, rows.shape[-1])
    return np.sqrt(np.linalg.eigvalsh(rows.T @ rows)[-1])


def cosines(a, b):
    return (a @ b.T) / np.linalg.norm(a, axis=1)[:, None] / np.linalg.norm(b, axis=1)


def texts_of(weights, params, tokens):
    """Windows of the books or of the prompt, all of one length; and how far apart they begin."""
    ids = tokens if params["text"] == "prompt" else weights.tokenizer.encode(" ".join(BOOKS[book] for book in ("darwin", "austen", "melville")))
    bos = [weights.bos] if params["bos"] else []
    each = min(min(params["window"], len(weights["wpe.weight"])) - len(bos), len(ids) // 2)
    count = min(params["windows"], len(ids) - each + 1)
    step = (len(ids) - each) // (count - 1)
    return [bos + ids[i * step : i * step + each] for i in range(count)], step


def streams(weights, texts, edits, first):
    """Before each layer and at the end: [layer, text, position, d_model]."""
    names = [f"blocks.{layer}.hook_resid_pre" for layer in range(weights.layers)] + [f"blocks.{weights.layers - 1}.hook_resid_post"]
    model = Edited(weights, weights.heads, edits)
    passes = ([hooks[name][first:] for name in names] for hooks in (model.run(text)[0] for text in texts))
    return np.swapaxes(np.array(list(passes)), 0, 1)


def curve(rows):
    """Rows of mean 0 along their three components, over the root mean square of their lengths; and the components' shares."""
    _, values, directions = np.linalg.svd(rows, full_matrices=False)
    shares = values**2 / (values**2).sum()
    apart = -np.diff(shares[:4], prepend=np.inf)
    sure = np.minimum(apart[:3], apart[1:]) > 1e-4  # of two equal components every rotation is as valid
    points = rows @ positive(directions[:3]).T / np.sqrt(squares(rows) / len(rows))
    return np.ma.array(points, mask=np.broadcast_to(~sure, points.shape)), shares[:3], directions[0]


def layer_of(values):
    """The numbers of one layer: values [text, position, d_model]."""
    texts = len(values)
    whole = values - values.mean((0, 1))
    pos, ctx = whole.mean(0), whole.mean(1)
    rest = whole - pos - ctx[:, None]
    total, left = squares(whole), squares(rest) / (texts - 1)  # left: what averaging leaves of the rest
    of_position, of_context = squares(pos) * texts, squares(ctx) * len(pos)
    points, explained, first = curve(pos)
    longest = norm(pos) ** 2 * texts
    more = of_position > ABOVE_CHANCE * left
    return pos, {
        "share_position": of_position / total,
        "share_context": of_context / total,
        "share_rest": squares(rest) / total,
        "share_chance": left / total,
        "rank": of_position / longest,
        "rank_less": max((of_position - left) / (longest - squares(rest @ first) / (texts - 1)), 1) if more else np.nan,
        "norm_position": np.sqrt(longest) / norm(whole),
        "norm_context": norm(ctx) * np.sqrt(len(pos)) / norm(whole),
        "norm_rest": norm(rest) / norm(whole),
        "length": np.sqrt(total / texts / len(pos)),
        "length_position": np.sqrt(of_position / texts / len(pos)),
        "explained": explained,
        "neighbour_cosine": np.diag(cosines(pos[:-1], pos[1:])).mean(),
        "context_cosine": np.abs(cosines(pos, ctx)).mean(),
        "points": points,
    }


def of_walks(rows):
    """20 random walks with the rows' steps, measured as they are."""
    walks = [walk(rows, np.random.default_rng(seed)) for seed in range(1, 21)]
    explained, turns, along = np.array([curve_of(steps) for steps in walks]).T
    return {"walk_rank": np.array([stable_rank(steps) for steps in walks]), "walk_explained_first3": explained, "walk_turns": turns, "walk_along": np.abs(along)}


def of_table(rows):
    """All that is known of a model that cannot run a text."""
    points, shares, _ = curve(rows - rows.mean(0))
    first3, turns, along = curve_of(rows)
    found = {"points": points[None], "explained": shares[None], "rank": np.array([stable_rank(rows)]), "explained_first3": first3, "turns": turns, "along": along}
    return found | {"matrix": rows, "table_rank": stable_rank(rows)} | of_walks(rows)


def numbers(weights, params, tokens, edits):
    first, table = params["first"], weights["wpe.weight"]
    if not weights.layers:
        return of_table(table[first : params["window"]])
    texts, step = texts_of(weights, params, tokens)
    parts, layers = zip(*(layer_of(values) for values in streams(weights, texts, edits, first)))
    by_layer = {name: np.ma.stack([one[name] for one in layers]) for name in layers[0]}
    at = min(params["layer"], weights.layers)
    scalars = {"position": "share_position", "context": "share_context", "rest": "share_rest", "chance": "share_chance", "stable_rank": "rank", "rank_corrected": "rank_less"}
    scalars |= {"relative_norm": "norm_position", "context_norm": "norm_context", "rest_norm": "norm_rest", "neighbours": "neighbour_cosine", "crossing": "context_cosine"}
    share, rows = by_layer["share_position"], parts[at]
    first3, turns, along = curve_of(rows)
    return {
        **by_layer,
        **{name: by_layer[array][at] for name, array in scalars.items()},
        **of_walks(rows),
        "position_start": share[0],
        "position_most": share.max(),
        "most_layer": share.argmax(),
        "position_end": share[-1],
        "explained_first3": first3,
        "turns": turns,
        "along": along,
        "matrix": rows,
        "table_rank": stable_rank(table[first : len(texts[0])]),
        "crossing_chance": np.sqrt(2 / (np.pi * rows.shape[1])),
        "sum_error": max(abs(1 - sum(by_layer[f"share_{part}"][i] for part in ("position", "context", "rest"))) for i in range(len(parts))),
        "layer": at,
        "first": first,
        "windows": len(texts),
        "window": len(texts[0]),
        "step": step,
    }
