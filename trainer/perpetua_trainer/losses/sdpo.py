"""Self-distilled policy optimisation: the policy learns its own probabilities with feedback in the prompt.

L = Σ_t KL(π_θ(·|x, y_<t) ‖ stopgrad π_teacher(·|x, f, y_<t)), with y the student's own rollout, f the feedback.
Source: Hübotter et al., arXiv:2601.20802, eq. 1, and its code (lasgroup/SDPO, compute_self_distillation_loss).
"""

import torch
from torch import Tensor


def sampled_token_loss(logprobs: Tensor, teacher: Tensor) -> Tensor:
    """Score-function form, from the sampled tokens alone: (logp − logp_teacher).detach() · logp, all [B, T] in nats.

    In expectation over y, the gradient is that of the reverse KL. The value is not the reverse KL, and can be negative.
    """
    return (logprobs - teacher).detach() * logprobs


def full_logits_loss(logits: Tensor, teacher: Tensor) -> Tensor:
    """KL(student ‖ teacher) over the whole vocabulary, [B, T] in nats, from logits [B, T, V]."""
    student = torch.log_softmax(logits, dim=-1)
    return reverse_kl(student, torch.log_softmax(teacher.detach(), dim=-1))


def top_k_loss(logits: Tensor, teacher: Tensor, k: int) -> Tensor:
    """KL(student ‖ teacher), [B, T] in nats, over the student's k likeliest tokens and one bucket for all others.

    logits, teacher: [B, T, V]. The result is a lower bound of the full KL, and equal to it if k ≥ V.
    """
    student = torch.log_softmax(logits, dim=-1)
    if k >= student.shape[-1]:
        return full_logits_loss(logits, teacher)
    kept, index = student.topk(k, dim=-1)
    of_teacher = torch.log_softmax(teacher.detach(), dim=-1).gather(-1, index)
    return reverse_kl(with_tail(kept), with_tail(of_teacher))


def reverse_kl(student: Tensor, teacher: Tensor) -> Tensor:
    """Σ p_student (logp_student − logp_teacher) over the last axis, in nats, from log-probabilities [B, T, V]."""
    return (student.exp() * (student - teacher)).sum(-1)


def with_tail(logprobs: Tensor) -> Tensor:
    """Log-probabilities [.., k] with that of all other tokens, log(1 − Σ p), as [.., k + 1]."""
    # The clamp keeps the logarithm of the tail finite if the k tokens have all the mass.
    total = torch.logsumexp(logprobs, dim=-1, keepdim=True).clamp(max=-1e-7)
    return torch.cat([logprobs, torch.log(-torch.expm1(total))], dim=-1)
