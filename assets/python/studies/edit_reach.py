"""edit_reach: how far an edit moves each state, and what putting a single state back restores."""

import numpy as np
from edits import Edited
from measures import log_softmax

TOLERANCE = {"others": 2e-3}


def numbers(weights, params, tokens, edits):
    tokens = np.array(tokens)
    plain, other = Edited(weights, weights.heads, []), Edited(weights, weights.heads, edits)
    names = [f"blocks.{i}.hook_resid_pre" for i in range(plain.layers)] + [f"blocks.{plain.layers - 1}.hook_resid_post"]
    (clean, logits), (moved, moved_logits) = plain.run(tokens), other.run(tokens)
    p, q = (np.exp(log_softmax(rows[-1])) for rows in (logits, moved_logits))
    answer = int(p.argmax())
    norm = np.linalg.norm
    far = np.array([norm(moved[at] - clean[at], axis=-1) / np.maximum(norm(clean[at], axis=-1), norm(moved[at], axis=-1)) for at in names])
    return {"probability_as_is": p[answer], "probability": q[answer], "moved": far}
