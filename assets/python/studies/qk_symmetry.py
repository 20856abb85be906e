"""qk_symmetry: how far W_Q W_Kᵀ of each head is from its transpose, and from leaving the tokens' products as they are."""

import numpy as np

TOLERANCE = {"others": 1e-6}


def distance(a, b):
    apart = np.linalg.norm(a - b)
    return apart / (np.linalg.norm(a) + np.linalg.norm(b) + apart)


def heads_of(weights, layer, heads, gain):
    """W_Q and W_K of every head of a layer."""
    rows = weights[f"h.{layer}.attn.c_attn.weight"]
    rows = rows * weights[f"h.{layer}.ln_1.weight"][:, None] if gain else rows
    q, k, _ = np.split(rows, 3, axis=1)
    return zip(np.split(q, heads, axis=1), np.split(k, heads, axis=1))


def numbers(weights, params, tokens, edits):
    p = params
    layers, heads = weights.layers, weights.heads
    products = [[q @ k.T for q, k in heads_of(weights, layer, heads, p["gain"])] for layer in range(layers)]
    transposed = np.array([[distance(m, m.T) for m in row] for row in products])
    chosen = products[p["layer"]][p["head"]]
    found = {
        "by_head": transposed,
        "distance_transpose": transposed[p["layer"], p["head"]],
        "cosine_transpose": (chosen * chosen.T).sum() / (chosen**2).sum(),
        "mean_transpose": transposed.mean(),
        "heads": transposed.size,
    }
    if not p["identity"]:
        return found
    words = weights["wte.weight"]
    words = words - words.mean(0) if p["centre"] else words
    values, axes = np.linalg.eigh(words.T @ words)
    half = axes * np.sqrt(np.maximum(values, 0)) @ axes.T  # X M Xᵀ and half M half have the same norms and products
    plain = half @ half

    def scaled(scores):
        """With the norm of the tokens' own products: at it the distance is least."""
        return scores * (np.linalg.norm(plain) / np.linalg.norm(scores))

    identity = np.array([[distance(plain, scaled(half @ m @ half)) for m in row] for row in products])
    size = words.shape[1] // heads
    return {
        **found,
        "by_head_identity": identity,
        "distance_identity": identity[p["layer"], p["head"]],
        "mean_identity": identity.mean(),
        "bound_identity": distance(plain, scaled((axes[:, -size:] * values[-size:]) @ axes[:, -size:].T)),
    }
