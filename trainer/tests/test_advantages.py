"""Tests of advantages against numbers computed by hand."""

import pytest
import torch

from perpetua_trainer.advantages import dead_share, gae, group_advantages, whiten

REWARDS = torch.tensor([1.0, 3.0, 2.0, 2.0, 5.0], dtype=torch.float64)
GROUPS = torch.tensor([0, 0, 1, 1, 2])


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        ("none", [-1.0, 1.0, 0.0, 0.0, 0.0]),
        # The deviation of (1, 3) is √2; a group of equal rewards and a group of one stay at 0.
        ("group", [-1 / (2**0.5 + 0.5), 1 / (2**0.5 + 0.5), 0.0, 0.0, 0.0]),
        # Mean 2.6, squares 2.56 + .16 + .36 + .36 + 5.76 = 9.2, deviation √(9.2 / 4).
        ("batch", [-1 / (2.3**0.5 + 0.5), 1 / (2.3**0.5 + 0.5), 0.0, 0.0, 0.0]),
    ],
)
def test_rewards_become_advantages_within_their_group(scale, expected):
    found = group_advantages(REWARDS, GROUPS, scale, std_floor=0.5)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_a_batch_of_one_rollout_has_no_advantage():
    one = torch.tensor([3.0], dtype=torch.float64)
    for scale in ("group", "batch", "none"):
        assert group_advantages(one, torch.tensor([0]), scale, 1e-4).tolist() == [0.0]


def test_groups_without_spread_are_counted_as_dead():
    assert dead_share(REWARDS, GROUPS) == pytest.approx(2 / 3)


def test_gae_discounts_later_rewards():
    rewards = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    values = torch.tensor([0.5, 0.2, 0.4], dtype=torch.float64)
    advantages, returns = gae(rewards, values, gamma=0.9, lam=0.5)
    # δ = .9·.2 − .5, .9·.4 − .2, 1 − .4 = −.32, .16, .6; A = −.32 + .45·(.16 + .45·.6), .16 + .45·.6, .6.
    assert advantages.tolist() == pytest.approx([-0.32 + 0.45 * 0.43, 0.43, 0.6])
    assert returns.tolist() == pytest.approx([0.18 + 0.45 * 0.43, 0.63, 1.0])


def test_whitened_values_have_mean_0_and_deviation_1():
    assert whiten(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)).tolist() == pytest.approx([-1, 0, 1], abs=1e-7)
    assert whiten(torch.tensor([7.0])).tolist() == [0.0]
