"""An update: for each epoch, forward and backward over the batch, block by block, then one optimiser step."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from . import parallel
from .batch import Batch
from .forward import blocks_of, score
from .input.refusal import Refusal
from .model import Policy, follow
from .objective.loss import block_loss, fix_old
from .objective.report import metrics_of
from .objective.state import Update, Work, advantages_of, learnt_tokens, rewards_of, taught_tokens
from .objective.value import episodes_of
from .optimizer import Optimizers


def update(policy: Policy, optimizers: Optimizers, batch: Batch) -> tuple[dict[str, float], dict[str, float]]:
    """Changes the policy's weights and the optimisers' state in place.

    Returns metrics and seconds, each by name. Raises Refusal if a gradient, a weight or an average of Adam is not
    finite. The policy and the optimisers are then unusable.
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
    check_finite(policy, optimizers)
    run.sums.total()
    return metrics_of(run, works, norms), run.seconds


def check_finite(policy: Policy, optimizers: Optimizers) -> None:
    """Raises Refusal if a tensor of the coming checkpoint is not finite: no later step could repair it."""
    for part, tensors in learnt_tensors(policy, optimizers):
        for name, tensor in tensors.items():
            if not bool(torch.isfinite(tensor).all()):
                expected = "finite weights and averages after the update"
                raise Refusal("non-finite", "optimizer", expected, f"{part} {name}")


def learnt_tensors(policy: Policy, optimizers: Optimizers) -> Iterator[tuple[str, dict[str, Tensor]]]:
    """Yields the parts of a checkpoint, each with its tensors by name."""
    yield "weights", policy.weights
    if policy.value_head is not None:
        yield "value head", policy.value_head.state_dict()
    if policy.teacher is not None:
        yield "teacher", policy.teacher
    for optimizer in filter(None, (optimizers.policy, optimizers.value)):
        for averages in optimizer.state.values():
            yield "optimizer", averages


def prepare(run: Update, works: list[Work]) -> None:
    """Computes the values that all epochs share: the base's log-probabilities, and PPO's episodes."""
    algorithm = run.batch.algorithm
    if algorithm.kl_coefficient > 0:
        with run.policy.as_base():
            for work in works:
                work.reference = score(run.policy.model, work.block).logprobs
    if algorithm.ppo is not None:
        rewards, _ = rewards_of(run.batch)
        run.policy.value_head.observe(rewards)
        episodes = episodes_of(run.policy, run.batch, [work.block for work in works])
        for work, episode in zip(works, episodes, strict=True):
            work.episode = episode


def one_epoch(run: Update, works: list[Work], optimizers: Optimizers, epoch: int) -> float:
    """Makes one optimiser step over the whole batch; returns the norm of the gradient before clipping.

    Raises Refusal if this norm is not finite.
    """
    optimizers.zero()
    for work in works:
        with run.timed("forward"):
            entropy_learns = run.batch.algorithm.entropy_coefficient > 0
            scores = score(run.policy.model, work.block, entropy_learns, run.batch.gradient_checkpointing)
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
