"""Tests of the losses of GRPO and PPO by hand, and of their gradients by finite differences in double precision."""

import math

import pytest
import torch

from perpetua_trainer.input.algorithms import Clip
from perpetua_trainer.losses.grpo import grpo_loss
from perpetua_trainer.losses.ppo import ppo_loss, value_loss
from perpetua_trainer.losses.ratio import k3, truncated_weights

CLIP = Clip(low=0.2, high=0.28, dual=None)


def row(*values: float) -> torch.Tensor:
    return torch.tensor([values], dtype=torch.float64)


@pytest.mark.parametrize(
    ("ratio", "advantage", "dual", "loss", "clipped"),
    [
        (1.1, 2.0, None, -2.2, False),  # inside the bounds
        (1.5, 2.0, None, -2.56, True),  # clip-higher: 1.28 · 2
        (0.5, 2.0, None, -1.0, False),  # a good action below the bounds keeps its gradient
        (0.5, -2.0, None, 1.6, True),  # 0.8 · 2
        (1.5, -2.0, None, 3.0, False),
        (9.0, -2.0, None, 18.0, False),
        (9.0, -2.0, 3.0, 6.0, True),  # dual clip: 3 · 2
        (9.0, 2.0, 3.0, -2.56, True),  # dual clip does not change good actions
    ],
)
def test_a_token_has_the_clipped_loss(ratio, advantage, dual, loss, clipped):
    losses, was_clipped = grpo_loss(
        row(math.log(ratio)), row(0.0), torch.tensor([advantage]).double(), row(1.0), Clip(0.2, 0.28, dual)
    )
    assert losses.item() == pytest.approx(loss)
    assert was_clipped.item() is clipped


def test_grpo_weighs_each_token_and_shares_one_advantage_in_a_rollout():
    losses, _ = grpo_loss(row(-1.0, -2.0), row(-1.0, -2.0), torch.tensor([3.0]).double(), row(0.5, 2.0), CLIP)
    assert losses.tolist() == [[-1.5, -6.0]]


def test_ppo_has_an_advantage_for_each_token():
    losses, _ = ppo_loss(row(-1.0, -2.0), row(-1.0, -2.0), row(3.0, -1.0), row(1.0, 1.0), CLIP)
    assert losses.tolist() == [[-3.0, 1.0]]


def test_an_extreme_ratio_stays_finite_and_has_no_gradient():
    logprobs = row(-1.0, -1.0).requires_grad_()
    losses, _ = ppo_loss(logprobs, row(-900.0, -1.0), row(-2.0, -2.0), row(1.0, 1.0), Clip(0.2, 0.28, 3.0))
    losses.sum().backward()
    assert losses.tolist() == [[6.0, 2.0]]
    assert logprobs.grad.tolist() == [[0.0, 2.0]]


def test_importance_weights_are_truncated_above_and_carry_no_gradient():
    trainer = row(-1.0, -1.0).requires_grad_()
    weights = truncated_weights(trainer, row(-1.5, -3.0), cap=2.0)
    assert weights[0].tolist() == pytest.approx([math.exp(0.5), 2.0])
    assert not weights.requires_grad
    assert truncated_weights(trainer, row(-1.5, -3.0), cap=None).tolist() == [[1.0, 1.0]]


def test_k3_is_0_only_if_both_log_probabilities_agree():
    assert k3(row(-1.0, -1.0), row(-1.0, -2.0))[0].tolist() == pytest.approx([0.0, math.exp(-1)])


def test_k3_is_the_kl_divergence_in_the_mean():
    policy = torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64).log()
    reference = torch.tensor([0.2, 0.2, 0.6], dtype=torch.float64).log()
    divergence = (policy.exp() * (policy - reference)).sum()
    assert (policy.exp() * k3(policy, reference)).sum().item() == pytest.approx(divergence.item())


@pytest.mark.parametrize(
    ("value", "clip", "loss"),
    [
        (1.0, None, 2.0),  # ½ (1 − 3)²
        (1.0, 0.2, 3.92),  # the value may move only from 0 to .2: ½ (.2 − 3)²
        (0.1, 0.2, 4.205),
    ],
)
def test_the_value_head_has_the_worse_of_two_errors(value, clip, loss):
    assert value_loss(row(value), row(0.0), row(3.0), clip).item() == pytest.approx(loss)


def test_gradients_are_those_of_finite_differences():
    torch.manual_seed(0)
    logprobs = (-torch.rand(3, 4, dtype=torch.float64) - 0.5).requires_grad_()
    old = logprobs.detach() + 0.4 * torch.randn(3, 4, dtype=torch.float64)
    advantages, weights = torch.randn(3, dtype=torch.float64), torch.rand(3, 4, dtype=torch.float64)
    clip = Clip(0.2, 0.28, 1.5)
    assert torch.autograd.gradcheck(lambda values: grpo_loss(values, old, advantages, weights, clip)[0], logprobs)
    per_token = torch.randn(3, 4, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda values: ppo_loss(values, old, per_token, weights, clip)[0], logprobs)
    assert torch.autograd.gradcheck(lambda values: k3(values, old), logprobs)
    assert torch.autograd.gradcheck(lambda values: value_loss(values, old, per_token, 0.2), logprobs)
