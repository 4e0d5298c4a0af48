"""Parts of several losses: the clipped policy gradient, importance weights, the k3 estimate of the KL divergence."""

import torch
from torch import Tensor

from ..input.algorithms import Clip


def clipped_policy_loss(logprobs: Tensor, old: Tensor, advantages: Tensor, clip: Clip) -> tuple[Tensor, Tensor]:
    """The loss of each token and whether it was clipped, both [B, T]; all arguments [B, T], log-probabilities in nats.

    r = exp(logp − logp_old);  L = −min(r A, clip(r, 1 − low, 1 + high) A), and at most dual · |A| where A < 0.
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
    """exp(logp − logp_old), each [B, T]. Past e^±20 it stays and has no gradient: what overflows spoils all others."""
    return torch.exp((logprobs - old).clamp(-20, 20))


def truncated_weights(trainer: Tensor, sampler: Tensor, cap: float | None) -> Tensor:
    """Weights [B, T] for what sampler and trainer disagree on: min(exp(logp_trainer − logp_sampler), cap).

    No gradient; ones where cap is None. Source: truncated importance sampling, Yao et al. 2025, "Your efficient RL
    framework secretly brings you off-policy RL training".
    """
    if cap is None:
        return torch.ones_like(sampler)
    return torch.exp(trainer.detach() - sampler).clamp(max=cap)


def k3(logprobs: Tensor, reference: Tensor) -> Tensor:
    """An estimate ≥ 0 of KL(policy ‖ reference) for each token [B, T], in nats.

    k3 = exp(d) − d − 1 with d = logp_reference − logp. Source: Schulman 2020, "Approximating KL divergence"; as a term
    of the loss: DeepSeekMath, arXiv:2402.03300, eq. 4.
    """
    difference = reference - logprobs
    return torch.exp(difference) - difference - 1
