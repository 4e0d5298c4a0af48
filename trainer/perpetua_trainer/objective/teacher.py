"""Self-teacher of SDPO: the same model, with feedback in its prompt, scores the student's tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..batch import Rollout
from ..forward import Block, Scores, completion_logits, of_tokens
from ..input.algorithms import Sdpo
from ..losses.ratio import probability_ratio
from ..losses.sdpo import full_logits_loss, sampled_token_loss, top_k_loss
from ..model import Policy


@dataclass
class Teaching:
    """Inputs of a block's distillation. rollouts: those of the whole batch. old, weights [G, C]: as in Work."""

    rollouts: list[Rollout]
    block: Block
    old: Tensor
    weights: Tensor


@dataclass
class Taught:
    """Result of a block's distillation, all tensors [G, C].

    losses: weighted loss, in nats. gap: logp_teacher − logp_student of the sampled token, in nats. weights: factors of
    the losses. mask: 1 for learnt tokens with a teacher, else 0. rows [G]: indices of the rollouts in the batch.
    """

    rows: list[int]
    losses: Tensor
    gap: Tensor
    weights: Tensor
    mask: Tensor

    def by_row(self) -> dict[int, float]:
        """Sum of the gaps of each rollout with a teacher, in nats, by its row."""
        sums = (self.gap * self.mask).sum(1).tolist()
        learnt = self.mask.sum(1).tolist()
        return {row: total for row, total, count in zip(self.rows, sums, learnt, strict=True) if count > 0}


def teach(policy: Policy, settings: Sdpo, teaching: Teaching, scores: Scores) -> Taught:
    """Distillation loss of each token of a block, times the importance weight and min(r, ratio_cap)."""
    block = teaching.block
    with policy.as_teacher() if settings.teacher == "ema" else policy.as_base():
        logits, has = teacher_logits(policy, teaching, scores.logits)
        of_teacher, _ = of_tokens(logits, block.completions)
    if settings.distillation == "sampled-token":
        losses = sampled_token_loss(scores.logprobs, of_teacher)
    elif settings.distillation == "top-k":
        losses = top_k_loss(scores.logits, logits, settings.top_k)
    else:
        losses = full_logits_loss(scores.logits, logits)
    weights = teaching.weights
    if settings.ratio_cap is not None:
        weights = weights * probability_ratio(scores.logprobs.detach(), teaching.old).clamp(max=settings.ratio_cap)
    gap = of_teacher - scores.logprobs.detach()
    return Taught(block.rows, losses * weights, gap, weights, block.learnt * has[:, None])


def teacher_logits(policy: Policy, teaching: Teaching, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Logits [G, C, V] after each rollout's teacher prompt, and 1 for each rollout with a teacher, else 0 [G].

    scores: logits of the student, which give shape, number type and device.
    """
    block = teaching.block
    logits = torch.zeros(scores.shape, dtype=scores.dtype, device=scores.device)
    has = torch.zeros(len(block.rows), device=scores.device)
    by_prompt: dict[tuple[int, ...], list[int]] = {}
    for place, row in enumerate(block.rows):
        if teaching.rollouts[row].teacher_prompt_ids is not None:
            by_prompt.setdefault(tuple(teaching.rollouts[row].teacher_prompt_ids), []).append(place)
    for ids, places in by_prompt.items():
        prompt = torch.tensor(ids, device=logits.device)
        chosen, attended = block.completions[places], block.attended[places]
        logits[places] = completion_logits(policy.model, prompt, torch.ones_like(prompt), chosen, attended)
        has[places] = 1.0
    return logits, has
