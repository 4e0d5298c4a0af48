"""Parts that several losses share: clipped policy gradient, importance weights, k3 estimate of the KL divergence."""

import torch
from torch import Tensor

from ..input.algorithms import Clip


def clipped_policy_loss(logprobs: Tensor, old: Tensor, advantages: Tensor, clip: Clip) -> tuple[Tensor, Tensor]:
    """Loss of each token, and True for each clipped token; all tensors [B, T], log-probabilities in nats.

    r = exp(logp − logp_old);  L = −min(r A, clip(r, 1 − low, 1 + high) A), and at most dual · |A| if A < 0.
    Sources: PPO, arXiv:1707.06347, eq. 7; high ≠ low (clip-higher): DAPO, arXiv:2503.14476, eq. 10;
    dual clip: arXiv:1912.09729, eq. 5.
    """
    ratio = probability_ratio(logprobs, old)
    bounded = ratio.clamp(1 - clip.low, 1 + clip.high)
    loss = torch.maximum(-ratio * advantages, -bounded * advantages)
    clipped = ((ratio < 1 - clip.low) & (advantages < 0)) | ((ratio > 1 + clip.high) & (advantages > 0))
    if clip.dual is not None:
        most = -clip.dual * advantages
        clipped = clipped | ((advantages < 0) & (loss > most))
        loss = torch.where(advantages < 0, torch.minimum(loss, most), loss)
    return loss, clipped


def probability_ratio(logprobs: Tensor, old: Tensor) -> Tensor:
    """exp(logp − logp_old), all [B, T].

    Outside e^±20 the ratio is constant and has no gradient: one that overflows would spoil the whole batch.
    """
    return torch.exp((logprobs - old).clamp(-20, 20))


def truncated_weights(trainer: Tensor, sampler: Tensor, cap: float | None) -> Tensor:
    """Importance weights between sampler and trainer: min(exp(logp_trainer − logp_sampler), cap); all tensors [B, T].

    The weights have no gradient. If cap is None, all are 1. Source: truncated importance sampling, Yao et al. 2025,
    "Your efficient RL framework secretly brings you off-policy RL training".
    """
    if cap is None:
        return torch.ones_like(sampler)
    return torch.exp(trainer.detach() - sampler).clamp(max=cap)


def k3(logprobs: Tensor, reference: Tensor) -> Tensor:
    """Estimate of KL(policy ‖ reference) for each token, in nats, never negative; all tensors [B, T].

    k3 = exp(d) − d − 1 with d = logp_reference − logp. Source: Schulman 2020, "Approximating KL divergence"; as a term
    of the loss: DeepSeekMath, arXiv:2402.03300, eq. 4.
    """
    difference = reference - logprobs
    return torch.exp(difference) - difference - 1
