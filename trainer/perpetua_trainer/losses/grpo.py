"""Group relative policy optimisation."""

from torch import Tensor

from ..input.algorithms import Clip
from .ratio import clipped_policy_loss


def grpo_loss(logprobs: Tensor, old: Tensor, advantages: Tensor, weights: Tensor, clip: Clip) -> tuple[Tensor, Tensor]:
    """Policy loss of each token, and True for each clipped token, both [B, T].

    L_t = w_t · max(−r_t A, −clip(r_t, 1 − low, 1 + high) A), with r_t = exp(logp_t − logp_old,t) and one A per rollout.
    logprobs, old [B, T]: in nats. advantages [B]: see group_advantages. weights [B, T]: w, see truncated_weights.
    The caller sums over the learnt tokens and divides by their number in the whole batch, not by each rollout's length:
    the token mean of DAPO, arXiv:2503.14476, eq. 12. Source: DeepSeekMath, arXiv:2402.03300, eq. 3.
    """
    loss, clipped = clipped_policy_loss(logprobs, old, advantages[:, None].expand_as(logprobs), clip)
    return loss * weights, clipped
