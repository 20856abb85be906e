"""Measures of tables of rows: axes, turns, sinusoids."""

import numpy as np


def sinusoidal(count, size, base):
    """Rows of sines and cosines, as the first transformer had them."""
    position = np.arange(count)[:, None]
    pair = np.arange(size)[None, :] // 2
    angle = position / base ** (2 * pair / size)
    return np.where(np.arange(size)[None, :] % 2 == 0, np.sin(angle), np.cos(angle))


def averaged(rows, size):
    """Row 0 kept; rows 1..g, g+1..2g, … replaced by their mean, the last group as long as it is."""
    out = rows.copy()
    for first in range(1, len(rows), size):
        out[first : first + size] = rows[first : first + size].mean(axis=0)
    return out


def positive(directions):
    """Each direction with its largest entry positive."""
    largest = np.abs(directions).argmax(axis=1)
    return directions * np.sign(directions[np.arange(len(directions)), largest])[:, None]


def principal_axes(rows, centre=True):
    """Mean, directions (largest entry positive) and variances, by a singular value decomposition."""
    mean = rows.mean(axis=0) if centre else np.zeros(rows.shape[1])
    _, singular, directions = np.linalg.svd(rows - mean, full_matrices=False)
    return mean, positive(directions), singular**2 / len(rows)


def main_axes(rows, centre=True):
    """The same, by the eigenvalues of the products of columns: in a third of the time, with half as many digits for the smallest."""
    mean = rows.mean(axis=0) if centre else np.zeros(rows.shape[1])
    squared, directions = np.linalg.eigh((rows - mean).T @ (rows - mean))
    return mean, positive(directions.T[::-1]), np.maximum(squared[::-1], 0) / len(rows)


def steps_of(x, y):
    """The angle from each point of a plane to the next."""
    angle = np.angle(x + 1j * y)
    return (np.diff(angle) + np.pi) % (2 * np.pi) - np.pi


def turns_of(x, y):
    """Turns about the origin, and how many steps of more than 1 radian they leave out."""
    steps = steps_of(x, y)
    wide = np.abs(steps) > 1
    return abs(steps[~wide].sum()) / (2 * np.pi), wide.sum()


def with_row(points, column):
    """The correlation of one column of points with the number of the row."""
    return np.corrcoef(points[:, column], np.arange(len(points)))[0, 1]


def curve_of(rows, centre=True):
    """Share of the first three components, turns in the plane of the first two, and the third's correlation with the row."""
    mean, directions, variances = principal_axes(rows, centre)
    points = (rows - mean) @ directions[:3].T
    return variances[:3].sum() / variances.sum(), turns_of(points[:, 0], points[:, 1])[0], with_row(points, 2)


def stable_rank(rows):
    """Of rows about their mean: the sum of their squares over the largest squared singular value."""
    values = np.linalg.svd(rows - rows.mean(0), compute_uv=False) ** 2
    return values.sum() / values[0]


def alone(variances, k):
    """Whether a direction is determined: where two variances are equal, every rotation of the two is as valid."""
    others = np.delete(variances, k)
    gap = np.abs(others - variances[k]).min() if len(others) else variances[k]
    return gap > 1e-6 * variances[0] and variances[k] > 1e-9 * variances[0]


def log_softmax(logits):
    """Logarithms of the probabilities, of each row."""
    logits = np.asarray(logits, np.float64)
    logits = logits - logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def rank_of(values):
    """How many of these sorted values stand before the first fall to less than a hundredth."""
    for k in range(1, len(values) // 2 + 1):
        if values[k - 1] > 0 and values[k] < 0.01 * values[k - 1]:
            return k
    return len(values)
