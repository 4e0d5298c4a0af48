"""Places at which the surface is asked for: 21 by 21 between -1 and 1. Immutable: it is not among the mutable files."""

import numpy as np


def places() -> np.ndarray:
    """Returns 441 rows of (x, y), x changing slowest."""
    axis = np.linspace(-1, 1, 21)
    return np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
