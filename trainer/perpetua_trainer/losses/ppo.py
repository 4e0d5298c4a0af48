"""Proximal policy optimisation with a value head."""

import torch
from torch import Tensor

from ..input.algorithms import Clip
from .ratio import clipped_policy_loss


def ppo_loss(logprobs: Tensor, old: Tensor, advantages: Tensor, weights: Tensor, clip: Clip) -> tuple[Tensor, Tensor]:
    """Policy loss of each token, and True for each clipped token; all tensors [B, T], log-probabilities in nats.

    The loss is that of GRPO with an advantage for each token (see gae). Source: PPO, arXiv:1707.06347, eq. 7.
    """
    loss, clipped = clipped_policy_loss(logprobs, old, advantages, clip)
    return loss * weights, clipped


def value_loss(values: Tensor, old: Tensor, returns: Tensor, clip: float | None) -> Tensor:
    """Loss of the value head for each token; all tensors [B, T], in standard deviations of the rewards.

    L_t = ½ max((V − R)², (V_old + clamp(V − V_old, −clip, clip) − R)²); if clip is None, ½ (V − R)².
    Source: PPO, arXiv:1707.06347, eq. 9, with the clipping of OpenAI's baselines.
    """
    squared = (values - returns) ** 2
    if clip is not None:
        bounded = old + (values - old).clamp(-clip, clip)
        squared = torch.maximum(squared, (bounded - returns) ** 2)
    return squared / 2
