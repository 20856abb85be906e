"""What an attention pattern gives the token itself, the one before it, the first one, and what followed the same token earlier."""

import numpy as np


def even_pattern(n):
    """Every query's attention spread evenly over the keys it sees."""
    return np.tril(np.ones((n, n))) / np.arange(1, n + 1)[:, None]


def mean(values):
    return np.mean(values) if len(values) else np.nan


def followers_of(tokens):
    """For each query the keys behind earlier copies of its token, itself and the one before it left out."""
    return [[k + 1 for k in range(q - 2) if tokens[k] == tokens[q]] for q in range(len(tokens))]


def means_of(pattern, tokens):
    """Means over queries 1 and on; of induction over the queries with an earlier copy of their token."""
    later, followers = range(1, len(tokens)), followers_of(tokens)
    return {
        "previous": mean([pattern[q, q - 1] for q in later]),
        "self": mean([pattern[q, q] for q in later]),
        "first": mean([pattern[q, 0] for q in later]),
        "induction": mean([pattern[q, followers[q]].sum() for q in later if followers[q]]),
    }
