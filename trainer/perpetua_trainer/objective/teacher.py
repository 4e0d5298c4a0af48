"""SDPO's self-teacher: the same model, with feedback in its context, re-scores the student's own tokens."""

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
    """What a block's distillation needs; old, weights [G, C] as for the policy gradient."""

    rollouts: list[Rollout]
    block: Block
    old: Tensor
    weights: Tensor


@dataclass
class Taught:
    """losses, gap (logp_teacher − logp_student of the sampled tokens), weights, mask [G, C]; mask 0: no teacher."""

    rows: list[int]
    losses: Tensor
    gap: Tensor
    weights: Tensor
    mask: Tensor

    def by_row(self) -> dict[int, float]:
        """Σ gap of each rollout that has a teacher."""
        sums = (self.gap * self.mask).sum(1).tolist()
        learnt = self.mask.sum(1).tolist()
        return {row: total for row, total, count in zip(self.rows, sums, learnt, strict=True) if count > 0}


def teach(policy: Policy, settings: Sdpo, teaching: Teaching, scores: Scores) -> Taught:
    """The distillation loss of each token of a block, weighed by w = min(r, ratio_cap) and the importance weights."""
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
    """Logits [G, C, V], of the kind of `scores`, after each rollout's teacher prompt, and whether it has one [G]."""
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
