"""One update: forward and backward over the batch, block by block, then one optimiser step; again for each epoch."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor

from . import parallel
from .advantages import dead_share, group_advantages
from .batch import Batch
from .forward import Block, Scores, blocks_of, score
from .losses.grpo import grpo_loss
from .losses.ppo import ppo_loss, value_loss
from .losses.ratio import k3, truncated_weights
from .metrics import Sums, explained_variance, finite, rank_correlation, spread
from .model import Policy, follow
from .optimizer import Optimizers
from .refusal import Refusal
from .teacher import Teaching, teach
from .value import Episode, episodes_of


@dataclass
class Work:
    """A block with what an update keeps of it over the epochs; all but block [G, C], log-probabilities in nats.

    old: the ratio's denominator. weights: importance weights. reference: the base's log-probabilities, with a KL term.
    episode: advantages, returns and values before the update, for PPO.
    """

    block: Block
    old: Tensor | None = None
    weights: Tensor | None = None
    reference: Tensor | None = None
    episode: Episode | None = None


@dataclass
class Update:
    """The state of an update. tokens: learnt tokens of the whole batch; taught: those with a teacher."""

    policy: Policy
    batch: Batch
    advantages: Tensor | None
    tokens: float
    taught: float
    sums: Sums = field(default_factory=Sums)
    seconds: dict[str, float] = field(default_factory=dict)
    gaps: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began


def update(policy: Policy, optimizers: Optimizers, batch: Batch) -> tuple[dict[str, float], dict[str, float]]:
    """Changes the policy's weights and the optimisers' state in place.

    Returns metrics and seconds by name. Raises Refusal where loss or gradient is not finite; the policy is then spoilt.
    """
    run = Update(policy, batch, advantages_of(batch), learnt_tokens(batch), taught_tokens(batch))
    rows = parallel.share(list(range(len(batch.rollouts))))
    works = [Work(block) for block in blocks_of(batch.rollouts, rows, batch.micro_batch, policy.runtime.device)]
    with run.timed("forward"):
        prepare(run, works)
    norms = [one_epoch(run, works, optimizers, epoch) for epoch in range(batch.algorithm.epochs)]
    policy.step += 1
    if policy.teacher is not None:
        follow(policy.teacher, policy.weights, batch.algorithm.sdpo.ema_rate)
    run.sums.total()
    return metrics_of(run, works, norms), run.seconds


def advantages_of(batch: Batch) -> Tensor | None:
    """GRPO's advantages [B], also of the mixture's share; None where neither takes part."""
    settings = batch.algorithm.grpo or (batch.algorithm.sdpo and batch.algorithm.sdpo.grpo)
    if not settings:
        return None
    rewards, groups = rewards_of(batch)
    return group_advantages(rewards, groups, settings.scale_rewards, settings.std_floor).float()


def rewards_of(batch: Batch) -> tuple[Tensor, Tensor]:
    """Rewards [B] and the number of each rollout's group [B]."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.group for one in batch.rollouts))}
    rewards = torch.tensor([one.reward for one in batch.rollouts], dtype=torch.float64)
    return rewards, torch.tensor([numbers[one.group] for one in batch.rollouts])


def learnt_tokens(batch: Batch) -> float:
    return float(sum(sum(one.loss_mask) for one in batch.rollouts))


def taught_tokens(batch: Batch) -> float:
    return float(sum(sum(one.loss_mask) for one in batch.rollouts if one.teacher_prompt_ids is not None))


def prepare(run: Update, works: list[Work]) -> None:
    """What is fixed before the first epoch: the base's log-probabilities, and PPO's episodes."""
    algorithm = run.batch.algorithm
    if algorithm.kl_coefficient > 0:
        with run.policy.as_base():
            for work in works:
                work.reference = score(run.policy.model, work.block).logprobs
    if algorithm.ppo is not None:
        episodes = episodes_of(run.policy, run.batch, [work.block for work in works])
        for work, episode in zip(works, episodes, strict=True):
            work.episode = episode


def one_epoch(run: Update, works: list[Work], optimizers: Optimizers, epoch: int) -> float:
    """One optimiser step over the whole batch; returns the gradient's norm before it was clipped."""
    optimizers.zero()
    for work in works:
        with run.timed("forward"):
            scores = score(run.policy.model, work.block)
            fix_old(run, work, scores, epoch)
            loss = block_loss(run, work, scores)
        with run.timed("backward"):
            loss.backward()
        run.sums.add("loss", loss, torch.ones(()))
    with run.timed("optimizer"):
        norm = optimizers.clip(run.batch.optimizer.max_grad_norm)
        if not math.isfinite(norm):
            raise Refusal("non-finite", "rollouts", "a finite gradient", f"a norm of {norm}")
        optimizers.step()
    return norm


def fix_old(run: Update, work: Work, scores: Scores, epoch: int) -> None:
    """In the first epoch: the ratio's denominator and the importance weights, and what sampler and trainer differ by."""
    if epoch > 0:
        return
    mine, sampler, mask = scores.logprobs.detach(), work.block.sampler, work.block.learnt
    algorithm = run.batch.algorithm
    work.old = mine if algorithm.old_logprobs == "trainer" else sampler
    work.weights = truncated_weights(work.old, sampler, algorithm.is_cap)
    difference = (mine - sampler).abs()
    run.sums.add("samplerDiff", difference, mask)
    run.sums.highest("samplerDiffMax", difference, mask)


def block_loss(run: Update, work: Work, scores: Scores) -> Tensor:
    """The block's share of the loss: sums over its tokens, divided by the tokens of the whole batch."""
    algorithm, mask = run.batch.algorithm, work.block.learnt
    policy = policy_loss(run, work, scores)
    run.sums.add("policyLoss", policy, torch.ones(()))
    run.sums.add("ratio", torch.exp(scores.logprobs - work.old), mask)
    run.sums.add("isWeight", work.weights, mask)
    run.sums.add("entropy", scores.entropy, mask)
    loss = policy
    if work.reference is not None:
        divergence = k3(scores.logprobs, work.reference)
        run.sums.add("kl", divergence, mask)
        loss = loss + algorithm.kl_coefficient * (divergence * mask).sum() / run.tokens
    if algorithm.entropy_coefficient > 0:
        loss = loss - algorithm.entropy_coefficient * (scores.entropy * mask).sum() / run.tokens
    if algorithm.ppo is not None:
        values = run.policy.value_head(scores.hidden.float())[..., 0]
        episode = work.episode
        of_values = value_loss(values, episode.values, episode.returns, algorithm.ppo.value_clip)
        run.sums.add("valueLoss", of_values, mask)
        loss = loss + algorithm.ppo.value_coefficient * (of_values * mask).sum() / run.tokens
    return loss


def policy_loss(run: Update, work: Work, scores: Scores) -> Tensor:
    algorithm, mask = run.batch.algorithm, work.block.learnt
    if algorithm.ppo is not None:
        losses, clipped = ppo_loss(
            scores.logprobs, work.old, work.episode.advantages, work.weights, algorithm.ppo.clip
        )
        run.sums.add("clip", clipped, mask)
        return (losses * mask).sum() / run.tokens
    total = torch.zeros((), dtype=scores.logprobs.dtype, device=mask.device)
    if run.advantages is not None:
        settings = algorithm.grpo or algorithm.sdpo.grpo
        advantages = run.advantages[work.block.rows].to(mask.device)
        losses, clipped = grpo_loss(scores.logprobs, work.old, advantages, work.weights, settings.clip)
        run.sums.add("clip", clipped, mask)
        share = 1.0 if algorithm.sdpo is None else 1.0 - algorithm.sdpo.weight
        total = total + share * (losses * mask).sum() / run.tokens
    if algorithm.sdpo is not None and run.taught > 0:
        teaching = Teaching(run.batch.rollouts, work.block, work.old, work.weights)
        taught = teach(run.policy, algorithm.sdpo, teaching, scores)
        run.sums.add("distillation", taught.losses, taught.mask)
        run.sums.add("gap", taught.gap.abs(), taught.mask)
        run.gaps.update(taught.by_row())
        total = total + algorithm.sdpo.weight * (taught.losses * taught.mask).sum() / run.taught
    return total


def metrics_of(run: Update, works: list[Work], norms: list[float]) -> dict[str, float]:
    algorithm, sums, epochs = run.batch.algorithm, run.sums.sums, run.batch.algorithm.epochs
    rewards, groups = rewards_of(run.batch)

    def mean(name: str, of: float = run.tokens) -> float | None:
        return None if name not in sums or of == 0 else sums[name] / of

    def over_epochs(name: str, of: float = run.tokens) -> float | None:
        return mean(name, of * epochs)

    found = {
        "loss": over_epochs("loss", 1),
        "policyLoss": over_epochs("policyLoss", 1),
        "kl": over_epochs("kl"),
        "entropy": over_epochs("entropy"),
        "ratioMean": over_epochs("ratio"),
        "clipShare": over_epochs("clip"),
        "gradNorm": sum(norms) / len(norms),
        "rewardMean": float(rewards.mean()),
        "rewardStd": spread(rewards),
        "deadGroups": dead_share(rewards, groups),
        "tokens": run.tokens,
        "samplerDiffMean": mean("samplerDiff"),
        "samplerDiffMax": run.sums.maxima["samplerDiffMax"],
        "isWeightMean": over_epochs("isWeight"),
        "epochs": epochs,
        "groups": int(groups.max()) + 1,
        "rollouts": len(rewards),
    }
    if found["kl"] is not None:
        term = algorithm.kl_coefficient * found["kl"]
        whole = term + abs(found["policyLoss"])
        found["klShare"] = term / whole if whole > 0 else None
    if algorithm.ppo is not None:
        values, returns = learnt_values(works)
        found["valueLoss"] = over_epochs("valueLoss")
        found["explainedVariance"] = explained_variance(values, returns)
    if algorithm.sdpo is not None:
        found |= teacher_metrics(run, over_epochs("gap", run.taught), over_epochs("distillation", run.taught))
    return finite(found)


def learnt_values(works: list[Work]) -> tuple[Tensor, Tensor]:
    """Values before the update and returns of all learnt tokens [N], of every process."""
    mine = [
        (work.episode.values[work.block.learnt > 0].cpu(), work.episode.returns[work.block.learnt > 0].cpu())
        for work in works
    ]
    pairs = [pair for part in parallel.gather(mine) for pair in part]
    return torch.cat([values for values, _ in pairs]), torch.cat([returns for _, returns in pairs])


def teacher_metrics(run: Update, gap: float | None, distillation: float | None) -> dict[str, float | None]:
    gaps = {row: one for part in parallel.gather(run.gaps) for row, one in part.items()}
    rows = sorted(gaps)
    rewards = [run.batch.rollouts[row].reward for row in rows]
    return {
        "teacherGap": gap,
        "distillationLoss": distillation,
        "teacherAgreement": rank_correlation([gaps[row] for row in rows], rewards),
        "teacherShare": sum(one.teacher_prompt_ids is not None for one in run.batch.rollouts) / len(run.batch.rollouts),
    }
