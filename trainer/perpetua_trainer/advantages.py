"""Advantages from rewards. Pure functions of tensors."""

import torch
from torch import Tensor


def group_advantages(rewards: Tensor, groups: Tensor, scale: str, std_floor: float) -> Tensor:
    """Advantages [B] of rewards [B] within groups, given as group numbers [B] from 0.

    A_i = (r_i − mean of its group) / (s + std_floor), with s the standard deviation (n − 1) of the group for scale
    "group", of the whole batch for "batch"; for "none" A_i = r_i − mean of its group.
    Source: DeepSeekMath, arXiv:2402.03300, eq. 1 and §4.1; without s: Dr. GRPO, arXiv:2503.20783.
    """
    count = int(groups.max()) + 1
    sizes = torch.zeros(count, dtype=rewards.dtype).index_add(0, groups, torch.ones_like(rewards))
    means = torch.zeros(count, dtype=rewards.dtype).index_add(0, groups, rewards) / sizes
    centred = rewards - means[groups]
    if scale == "none":
        return centred
    if scale == "batch":
        return centred / (rewards.std() + std_floor) if len(rewards) > 1 else centred
    squares = torch.zeros(count, dtype=rewards.dtype).index_add(0, groups, centred**2)
    return centred / ((squares / (sizes - 1).clamp(min=1)).sqrt()[groups] + std_floor)


def dead_share(rewards: Tensor, groups: Tensor) -> float:
    """Share of the groups whose rewards are all equal, so that their advantages are 0. rewards, groups: [B]."""
    numbers = groups.unique().tolist()
    flat = [group for group in numbers if rewards[groups == group].min() == rewards[groups == group].max()]
    return len(flat) / len(numbers)


def gae(rewards: Tensor, values: Tensor, gamma: float, lam: float) -> tuple[Tensor, Tensor]:
    """Advantages and returns [T] of one episode from rewards [T] and values [T], in units of reward.

    The value after the end is 0. gamma: discount. lam: λ, the weight of later differences.
    δ_t = r_t + γ V_{t+1} − V_t;  A_t = δ_t + γ λ A_{t+1};  return_t = A_t + V_t.
    Source: Schulman et al., arXiv:1506.02438, eq. 16.
    """
    advantages = torch.zeros_like(values)
    carried = torch.zeros((), dtype=values.dtype)
    following = torch.zeros((), dtype=values.dtype)
    for step in range(len(values) - 1, -1, -1):
        delta = rewards[step] + gamma * following - values[step]
        carried = delta + gamma * lam * carried
        advantages[step] = carried
        following = values[step]
    return advantages, advantages + values


def whiten(values: Tensor) -> Tensor:
    """Values [N] shifted and scaled to mean 0 and standard deviation (n − 1) 1. A single value becomes 0."""
    centred = values - values.mean()
    return centred if len(values) < 2 else centred / (values.var() + 1e-8).sqrt()
