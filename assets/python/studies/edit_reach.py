"""edit_reach: how far an edit moves each state, and what putting a single state back restores."""

import numpy as np
from edits import Edited
from gpt2 import Reference
from measures import log_softmax

TOLERANCE = {"others": 2e-4, "moved": 1e-3, "restored_there": 5e-3, "chance": 5e-3}
MOST_RUNS, OF_EACH, LEAST_EFFECT = 2000, 5, 0.005


def restored(other, tokens, at, row, position):
    """The prediction of the edit's run with one state as it is without the edit."""

    def put_back(values):
        values[position] = row
        return values

    other.at(at, put_back)
    logits = Reference.run(other, tokens)[1]
    other.changes.pop()
    return np.exp(log_softmax(logits[-1]))


def handed_over(share, moved):
    """From which layer on the last token's state carries the effect, how much of it there, and the median of all moved states."""
    at = len(share) - 1
    while at > 0 and share[at - 1, -1] >= 0.5:
        at -= 1
    unclear = (np.abs(share[:-1, -1] - 0.5) < 1e-3).any()  # rounding decides
    hidden = np.ma.array([at, share[at, -1]], mask=unclear)
    return {"handover": hidden[0], "restored_there": hidden[1], "chance": np.sort(share[moved > 0])[(moved > 0).sum() // 2]}


def numbers(weights, params, tokens, edits):
    plain, other = Edited(weights, weights.heads, []), Edited(weights, weights.heads, edits)
    names = [f"blocks.{i}.hook_resid_pre" for i in range(plain.layers)] + [f"blocks.{plain.layers - 1}.hook_resid_post"]
    (clean, logits), (moved, moved_logits) = plain.run(tokens), other.run(tokens)
    p, q = (np.exp(log_softmax(rows[-1])) for rows in (logits, moved_logits))
    token = list(dict.fromkeys(int(token) for one in (p, q) for token in np.argsort(-one, kind="stable")[:OF_EACH]))
    answer = token[0]
    norm = np.linalg.norm
    far = np.array([norm(moved[at] - clean[at], axis=-1) / np.maximum(norm(clean[at], axis=-1), norm(moved[at], axis=-1)) for at in names])
    far[far < 1e-12] = 0  # rounding
    found = {"probability_as_is": p[answer], "probability": q[answer], "moved": far, "reached": (far > 0).mean()}
    found |= {"token": np.array(token), "as_is": p[token], "here": q[token]}
    if (far > 0).sum() > MOST_RUNS:
        return found
    back = np.full(far.shape, q[answer])
    back[-1, -1] = p[answer]  # after the last layer only the last token's state is read
    for layer, position in zip(*np.nonzero(far[:-1])):
        at = names[layer]
        back[layer, position] = restored(other, tokens, at, clean[at][position], position)[answer]
    effect = p[answer] - q[answer]
    shares = handed_over((back - q[answer]) / effect, far) if abs(effect) >= LEAST_EFFECT else dict.fromkeys(("handover", "restored_there", "chance"), np.nan)
    return found | {"restored": back} | shares
