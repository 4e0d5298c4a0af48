"""What an update holds while it runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from ..advantages import group_advantages
from ..batch import Batch
from ..forward import Block
from ..metrics import Sums
from ..model import Policy
from .value import Episode


@dataclass
class Work:
    """A block with what an update keeps of it over the epochs; all but block [G, C], log-probabilities in nats.

    old: the ratio's denominator. weights: importance weights. reference: the base's log-probabilities, with a KL term.
    episode: advantages, returns and values before the update, for PPO.
    """

    block: Block
    old: Tensor | None = None
    weights: Tensor | None = None
    reference: Tensor | None = None
    episode: Episode | None = None


@dataclass
class Update:
    """The state of an update. tokens: learnt tokens of the whole batch; taught: those with a teacher."""

    policy: Policy
    batch: Batch
    advantages: Tensor | None
    tokens: float
    taught: float
    sums: Sums = field(default_factory=Sums)
    seconds: dict[str, float] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def advantages_of(batch: Batch) -> Tensor | None:
    """GRPO's advantages [B], also of the mixture's share; None where neither takes part."""
    settings = batch.algorithm.grpo or (batch.algorithm.sdpo and batch.algorithm.sdpo.grpo)
    if not settings:
        return None
    rewards, groups = rewards_of(batch)
    return group_advantages(rewards, groups, settings.scale_rewards, settings.std_floor).float()


def rewards_of(batch: Batch) -> tuple[Tensor, Tensor]:
    """Rewards [B] and the number of each rollout's group [B]."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.group for one in batch.rollouts))}
    rewards = torch.tensor([one.reward for one in batch.rollouts], dtype=torch.float64)
    return rewards, torch.tensor([numbers[one.group] for one in batch.rollouts])


def learnt_tokens(batch: Batch) -> float:
    return float(sum(sum(one.loss_mask) for one in batch.rollouts))


def taught_tokens(batch: Batch) -> float:
    return float(sum(sum(one.loss_mask) for one in batch.rollouts if one.teacher_prompt_ids is not None))
