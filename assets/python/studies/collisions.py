"""collisions: which other sums of a token and a position are nearest to one sum."""

import numpy as np

TOLERANCE = {"others": 1e-6, "nearest_token": 0, "nearest_position": 0}


def numbers(weights, params, tokens, edits):
    words, positions = weights["wte.weight"], weights["wpe.weight"]
    token = weights.vocabulary[params["word"].replace(" ", "Ġ")] if params["word"] else min(params["token"], len(words) - 1)
    position, count = min(params["position"], len(positions) - 1), params["count"]
    e, p = words - words[token], positions - positions[position]
    squares = (e**2).sum(1)[:, None] + (p**2).sum(1)[None, :] + 2 * e @ p.T
    same_position, same_token = np.delete(squares[:, position], token).min(), np.delete(squares[token], position).min()
    typical = squares.sum() - squares[token].sum() - squares[:, position].sum() + squares[token, position]
    squares[token], squares[:, position] = np.inf, np.inf
    order = np.argsort(squares, axis=None)[: count + 1]
    t, i = np.unravel_index(order, squares.shape)
    distance = np.linalg.norm(e[t] + p[i], axis=1)
    tied = np.diff(distance, prepend=-np.inf, append=np.inf) < 1e-9
    tied = (tied[:-1] | tied[1:])[:count]
    t, i, distance = t[:count], i[:count], distance[:count]
    apart = np.linalg.norm(e[t], axis=1), np.linalg.norm(p[i], axis=1)
    return {
        "token": token,
        "position": position,
        "nearest_token": np.ma.array(t, mask=tied),
        "nearest_position": np.ma.array(i, mask=tied),
        "distance": distance,
        "token_distance": np.ma.array(apart[0], mask=tied),
        "position_distance": np.ma.array(apart[1], mask=tied),
        "nearest": distance[0],
        "orthogonal": np.hypot(apart[0][0], apart[1][0]),
        "same_position": np.sqrt(same_position),
        "same_token": np.sqrt(same_token),
        "typical": np.sqrt(typical / ((len(words) - 1) * (len(positions) - 1))),
    }
