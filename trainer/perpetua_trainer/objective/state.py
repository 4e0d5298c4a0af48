"""State of an update while it runs."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

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
    """A block, and the values that stay the same over the epochs, all [G, C]; log-probabilities are in nats.

    old: log-probabilities in the ratio's denominator. weights: importance weights. reference: log-probabilities of the
    base, only with a KL term. episode: advantages, returns and values before the update, only for PPO.
    """

    block: Block
    old: Tensor | None = None
    weights: Tensor | None = None
    reference: Tensor | None = None
    episode: Episode | None = None


@dataclass
class Update:
    """State of an update.

    advantages [B]: those of GRPO; None without it. tokens: number of learnt tokens of the whole batch. taught: number
    of those with a teacher. gaps: sum of the gaps to the teacher of a rollout, in nats, by its row. seconds: wall
    seconds by the name of the part.
    """

    policy: Policy
    batch: Batch
    advantages: Tensor | None
    tokens: float
    taught: float
    sums: Sums = field(default_factory=Sums)
    seconds: dict[str, float] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)

    @cached_property
    def deciding(self) -> float:
        """Number of tokens of the whole batch whose entropy counts."""
        return float(sum(sum(one.deciding) for one in self.batch.rollouts))

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the wall seconds of the block to a part."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def advantages_of(batch: Batch) -> Tensor | None:
    """Advantages [B] of GRPO, alone or in a mixture; None without GRPO."""
    settings = batch.algorithm.grpo or (batch.algorithm.sdpo and batch.algorithm.sdpo.grpo)
    if not settings:
        return None
    rewards, groups = rewards_of(batch)
    return group_advantages(rewards, groups, settings.scale_rewards, settings.std_floor).float()


def rewards_of(batch: Batch) -> tuple[Tensor, Tensor]:
    """Rewards [B], and the number of each rollout's group [B], from 0 in the order of the batch."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.group for one in batch.rollouts))}
    rewards = torch.tensor([one.reward for one in batch.rollouts], dtype=torch.float64)
    return rewards, torch.tensor([numbers[one.group] for one in batch.rollouts])


def learnt_tokens(batch: Batch) -> float:
    """Number of tokens to learn from."""
    return float(sum(sum(one.loss_mask) for one in batch.rollouts))


def taught_tokens(batch: Batch) -> float:
    """Number of tokens to learn from in rollouts with a teacher."""
    return float(sum(sum(one.loss_mask) for one in batch.rollouts if one.teacher_prompt_ids is not None))
