"""Metrics of a step, from the sums over its tokens."""

import torch
from torch import Tensor

from .. import parallel
from ..advantages import dead_share
from ..metrics import explained_variance, finite, rank_correlation, spread
from .state import Update, Work, rewards_of


def metrics_of(run: Update, works: list[Work], norms: list[float]) -> dict[str, float]:
    """Metrics by name; those that are undefined are left out. norms: norm of the gradient in each epoch.

    Log-probabilities, KL and entropy are in nats; rewards and values in units of reward.
    """
    algorithm, sums, epochs = run.batch.algorithm, run.sums.sums, run.batch.algorithm.epochs
    rewards, groups = rewards_of(run.batch)

    def mean(name: str, count: float = run.tokens) -> float | None:
        return None if name not in sums or count == 0 else sums[name] / count

    def over_epochs(name: str, count: float = run.tokens) -> float | None:
        return mean(name, count * epochs)

    found = {
        "loss": over_epochs("loss", 1),
        "policyLoss": over_epochs("policyLoss", 1),
        "kl": over_epochs("kl"),
        "entropy": over_epochs("entropy", run.deciding),
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
        found["klShare"] = kl_share(algorithm.kl_coefficient * mean("klSlope"), mean("policySlope"))
    if algorithm.ppo is not None:
        values, returns = learnt_values(works)
        found["valueLoss"] = over_epochs("valueLoss")
        found["explainedVariance"] = explained_variance(values, returns)
    if algorithm.sdpo is not None:
        found |= teacher_metrics(run, over_epochs("gap", run.taught), over_epochs("distillation", run.taught))
    return finite(found)


def kl_share(kl: float, policy: float) -> float | None:
    """Share of the KL term in the gradient by the log-probabilities; None if both terms are 0.

    kl, policy: mean absolute derivatives of both terms by the log-probabilities of the sampled tokens, through which
    both terms reach the weights. The derivative of c · k3 is c · (1 − exp(logp_reference − logp)), that of the policy
    loss A · w at a ratio of 1. The losses themselves do not compare the terms: on-policy, the policy loss is about 0,
    since the advantages of a group cancel.
    """
    return kl / (kl + policy) if kl + policy > 0 else None


def learnt_values(works: list[Work]) -> tuple[Tensor, Tensor]:
    """Values before the update and returns, both [N], of the N learnt tokens of all processes, in units of reward."""
    mine = [
        (work.episode.values[work.block.learnt > 0].cpu(), work.episode.returns[work.block.learnt > 0].cpu())
        for work in works
    ]
    pairs = [pair for part in parallel.gather(mine) for pair in part]
    return torch.cat([values for values, _ in pairs]), torch.cat([returns for _, returns in pairs])


def teacher_metrics(run: Update, gap: float | None, distillation: float | None) -> dict[str, float | None]:
    """Metrics of a distillation. gap, distillation: means over the tokens with a teacher, in nats."""
    gaps = {row: total for part in parallel.gather(run.gaps) for row, total in part.items()}
    rows = sorted(gaps)
    rewards = [run.batch.rollouts[row].reward for row in rows]
    return {
        "teacherGap": gap,
        "distillationLoss": distillation,
        "teacherAgreement": rank_correlation([gaps[row] for row in rows], rewards),
        "teacherShare": sum(one.teacher_prompt_ids is not None for one in run.batch.rollouts) / len(run.batch.rollouts),
    }
