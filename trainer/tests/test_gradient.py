"""Tests of the gradient of a whole update through the model, by finite differences in double precision."""

import json
from pathlib import Path

import pytest
import torch
from transformers.models.llama.modeling_llama import LlamaRMSNorm

from helpers.tiny import GRPO, MIXED, PPO, SDPO, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.forward import blocks_of, score
from perpetua_trainer.model import Policy
from perpetua_trainer.objective.loss import block_loss, fix_old
from perpetua_trainer.objective.state import Update, Work, advantages_of, learnt_tokens, taught_tokens
from perpetua_trainer.runtime import Runtime
from perpetua_trainer.update import prepare

TERMS = {"klCoefficient": 0.3, "entropyCoefficient": 0.1}
STALE = {"oldLogprobs": "sampler", "isCap": None}
CASES = {
    "grpo": GRPO | TERMS,
    "grpo clipped on both sides": GRPO | STALE | {"dualClip": 1.5},
    "ppo": PPO | TERMS,
    "sdpo with full logits": SDPO | {"ratioCap": None},
    "sdpo with top-k": SDPO | {"ratioCap": None, "distillation": "top-k", "topK": 5},
    "the mixture": SDPO | TERMS | {"ratioCap": None, "distillationWeight": 0.4, "grpo": MIXED},
}


@pytest.fixture(autouse=True)
def double_norms(monkeypatch):
    """Makes the model's norms compute in double precision. By default they use single precision with any weights."""

    def forward(self, hidden):
        return self.weight * hidden * torch.rsqrt(hidden.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)

    monkeypatch.setattr(LlamaRMSNorm, "forward", forward)


@pytest.mark.parametrize("algorithm", CASES.values(), ids=CASES.keys())
def test_the_gradient_is_that_of_finite_differences(base, algorithm):
    value = make_batch(base, algorithm)
    if algorithm["oldLogprobs"] == "sampler":
        # Log-probabilities far from the trainer's own make the loss clip tokens.
        generator = torch.Generator().manual_seed(3)
        for rollout in value["rollouts"]:
            shifts = torch.randn(len(rollout["logprobs"]), generator=generator).tolist()
            rollout["logprobs"] = [min(old + shift, 0) for old, shift in zip(rollout["logprobs"], shifts, strict=True)]
    batch = read_batch(json.dumps(value))
    policy = Policy(Path(base["path"]), batch.adapter, batch.seed, Runtime(dtype=torch.float64))
    spread_weights(policy)
    if batch.algorithm.ppo is not None:
        policy.add_value_head()
    run = Update(policy, batch, advantages_of(batch), learnt_tokens(batch), taught_tokens(batch))
    works = [Work(block) for block in blocks_of(batch.rollouts, list(range(8)), 3, "cpu")]
    prepare(run, works)
    loss_of(run, works, 0).backward()
    for weight in policy.weights.values():
        check_one(run, works, weight)


def spread_weights(policy: Policy) -> None:
    """Gives the adapter random weights. Half of the gradients of a new adapter are 0."""
    generator = torch.Generator().manual_seed(9)
    with torch.no_grad():
        for weight in policy.weights.values():
            weight.copy_(0.1 * torch.randn(weight.shape, generator=generator, dtype=weight.dtype))


def loss_of(run: Update, works: list[Work], epoch: int) -> torch.Tensor:
    total = torch.zeros((), dtype=torch.float64)
    for work in works:
        scores = score(run.policy.model, work.block, entropy_learns=True)
        fix_old(run, work, scores, epoch)
        total = total + block_loss(run, work, scores)
    return total


def check_one(run: Update, works: list[Work], weight: torch.nn.Parameter) -> None:
    """Compares the gradient of a weight with a finite difference along a random direction."""
    generator = torch.Generator().manual_seed(4)
    direction = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
    size = 1e-6
    with torch.no_grad():
        weight.add_(size * direction)
        above = loss_of(run, works, 1)
        weight.sub_(2 * size * direction)
        below = loss_of(run, works, 1)
        weight.add_(size * direction)
    numeric = float((above - below) / (2 * size))
    assert float((weight.grad * direction).sum()) == pytest.approx(numeric, rel=1e-5, abs=1e-8)
