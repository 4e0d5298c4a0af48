"""Sums over tokens for the step's metrics. An undefined metric is left out, so that each one is a finite number."""

import math

import torch
from torch import Tensor

from . import parallel


class Sums:
    """Sums and maxima over the tokens of this process, by name. `total` adds those of the other processes."""

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}
        self.maxima: dict[str, float] = {}

    def add(self, name: str, values: Tensor, mask: Tensor) -> None:
        """Adds Σ values · mask; both [G, C]."""
        self.sums[name] = self.sums.get(name, 0.0) + float((values.detach().double() * mask).sum())

    def highest(self, name: str, values: Tensor, mask: Tensor) -> None:
        """Raises the maximum of a name to max(values · mask); both [G, C]."""
        self.maxima[name] = max(self.maxima.get(name, 0.0), float((values.detach() * mask).max()))

    def total(self) -> None:
        """Replaces all sums and maxima by those over all processes."""
        parts = parallel.gather((self.sums, self.maxima))
        for target, index, join in ((self.sums, 0, math.fsum), (self.maxima, 1, max)):
            names = sorted({name for part in parts for name in part[index]})
            target.update({name: join([part[index].get(name, 0.0) for part in parts]) for name in names})


def rank_correlation(first: list[float], second: list[float]) -> float | None:
    """Spearman's correlation: Pearson's of the ranks, with mean ranks for ties. None if all values of one are equal."""
    if len(set(first)) < 2 or len(set(second)) < 2:
        return None
    ranks = torch.stack([mean_ranks(first), mean_ranks(second)])
    return float(torch.corrcoef(ranks)[0, 1])


def mean_ranks(values: list[float]) -> Tensor:
    """Ranks [N] of N values from 0, in float64; equal values share their mean rank."""
    column = torch.tensor(values, dtype=torch.float64)
    below = (column[None] < column[:, None]).sum(1)
    same = (column[None] == column[:, None]).sum(1)
    return below + (same - 1) / 2.0


def explained_variance(values: Tensor, returns: Tensor) -> float | None:
    """1 − Var(returns − values) / Var(returns) over tokens [N]; None if all returns are equal."""
    if len(returns) < 2 or float(returns.var()) == 0:
        return None
    return float(1 - (returns - values).var() / returns.var())


def spread(rewards: Tensor) -> float:
    """Standard deviation (n − 1) of rewards [B]; 0 for a single reward."""
    return float(rewards.std()) if len(rewards) > 1 else 0.0


def finite(metrics: dict[str, float | None]) -> dict[str, float]:
    """Metrics that are defined and finite."""
    return {name: float(value) for name, value in metrics.items() if value is not None and math.isfinite(value)}
