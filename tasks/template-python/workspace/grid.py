"""Points at which the surface is scored: 21 by 21 between -1 and 1. Immutable: not among the mutable files."""

import numpy as np


def places() -> np.ndarray:
    """Returns 441 rows of (x, y), x changing slowest."""
    axis = np.linspace(-1, 1, 21)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
