"""Share of a block in the loss, for each algorithm and for the mixture of SDPO and GRPO."""

import torch
from torch import Tensor

from ..forward import Scores
from ..losses.grpo import grpo_loss
from ..losses.ppo import ppo_loss, value_loss
from ..losses.ratio import k3, probability_ratio, truncated_weights
from .state import Update, Work
from .teacher import Teaching, teach


def block_loss(run: Update, work: Work, scores: Scores) -> Tensor:
    """Share of a block in the loss, a scalar: sums over the block's tokens, divided by the tokens of the whole batch.

    Adds the metrics of the block to run.sums.
    """
    algorithm, mask = run.batch.algorithm, work.block.learnt
    policy = policy_loss(run, work, scores)
    run.sums.add("policyLoss", policy, torch.ones(()))
    run.sums.add("ratio", probability_ratio(scores.logprobs, work.old), mask)
    run.sums.add("isWeight", work.weights, mask)
    run.sums.add("entropy", scores.entropy, work.block.deciding)
    loss = policy
    if work.reference is not None:
        divergence = k3(scores.logprobs, work.reference)
        run.sums.add("klSlope", torch.expm1(work.reference - scores.logprobs).abs(), mask)
        run.sums.add("kl", divergence, mask)
        loss = loss + algorithm.kl_coefficient * (divergence * mask).sum() / run.tokens
    if algorithm.entropy_coefficient > 0 and run.deciding > 0:
        bonus = (scores.entropy * work.block.deciding).sum() / run.deciding
        loss = loss - algorithm.entropy_coefficient * bonus
    if algorithm.ppo is not None:
        head, episode = run.policy.value_head, work.episode
        before, returns = head.normalise(episode.values), head.normalise(episode.returns)
        of_values = value_loss(head(scores.hidden), before, returns, algorithm.ppo.value_clip)
        run.sums.add("valueLoss", of_values, mask)
        loss = loss + algorithm.ppo.value_coefficient * (of_values * mask).sum() / run.tokens
    return loss


def policy_loss(run: Update, work: Work, scores: Scores) -> Tensor:
    """Share of a block in the policy gradient and the distillation, a scalar. Adds their metrics to run.sums."""
    algorithm, mask = run.batch.algorithm, work.block.learnt
    if algorithm.ppo is not None:
        losses, clipped = ppo_loss(scores.logprobs, work.old, work.episode.advantages, work.weights, algorithm.ppo.clip)
        run.sums.add("clip", clipped, mask)
        run.sums.add("policySlope", (work.episode.advantages * work.weights).abs(), mask)
        return (losses * mask).sum() / run.tokens
    total = torch.zeros((), dtype=scores.logprobs.dtype, device=mask.device)
    if run.advantages is not None:
        settings = algorithm.grpo or algorithm.sdpo.grpo
        advantages = run.advantages[work.block.rows].to(mask.device)
        losses, clipped = grpo_loss(scores.logprobs, work.old, advantages, work.weights, settings.clip)
        run.sums.add("clip", clipped, mask)
        share = 1.0 if algorithm.sdpo is None else 1.0 - algorithm.sdpo.weight
        run.sums.add("policySlope", share * (advantages[:, None] * work.weights).abs(), mask)
        total = total + share * (losses * mask).sum() / run.tokens
    if algorithm.sdpo is not None and run.taught > 0:
        teaching = Teaching(run.batch.rollouts, work.block, work.old, work.weights)
        taught = teach(run.policy, algorithm.sdpo, teaching, scores)
        run.sums.add("distillation", taught.losses, taught.mask)
        run.sums.add("gap", taught.gap.abs(), taught.mask)
        run.gaps.update(taught.by_row())
        # The gap to the teacher has the role of an advantage in a distillation.
        slope = (taught.gap * taught.weights).abs() * algorithm.sdpo.weight * run.tokens / run.taught
        run.sums.add("policySlope", slope, taught.mask)
        total = total + algorithm.sdpo.weight * (taught.losses * taught.mask).sum() / run.taught
    return total


def fix_old(run: Update, work: Work, scores: Scores, epoch: int) -> None:
    """Sets the ratio's denominator and the importance weights of a block, in the first epoch only.

    Adds the differences between the log-probabilities of sampler and trainer to the metrics.
    """
    if epoch > 0:
        return
    mine, sampler, mask = scores.logprobs.detach(), work.block.sampler, work.block.learnt
    algorithm = run.batch.algorithm
    work.old = mine if algorithm.old_logprobs == "trainer" else sampler
    work.weights = truncated_weights(work.old, sampler, algorithm.is_cap)
    difference = (mine - sampler).abs()
    run.sums.add("samplerDiff", difference, mask)
    run.sums.highest("samplerDiffMax", difference, mask)
