"""Tests of the value head: its normalisation, its steps, and its part of a checkpoint."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from helpers.tiny import PPO, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.checkpoint import VALUE_HEAD
from perpetua_trainer.disk.digest import hash_folder, sha256_of_files
from perpetua_trainer.step import load, run_step
from perpetua_trainer.update import update
from perpetua_trainer.weights.value_head import ValueHead

RATE = 0.2


def values_of(hidden: torch.Tensor, rewards: torch.Tensor, steps: int) -> torch.Tensor:
    """Values [B] of hidden states [B, H] after steps of Adam towards the rewards [B]."""
    head = ValueHead(hidden.shape[1])
    optimizer = torch.optim.AdamW(head.parameters(), lr=RATE, weight_decay=0)
    head.observe(rewards)
    for _ in range(steps):
        optimizer.zero_grad()
        ((head(hidden) - head.normalise(rewards)) ** 2).mean().backward()
        optimizer.step()
    return head.values(hidden).detach()


@pytest.fixture
def states() -> tuple[torch.Tensor, torch.Tensor]:
    """Hidden states [16, 64], and rewards [16]."""
    generator = torch.Generator().manual_seed(2)
    return 3 * torch.randn(16, 64, generator=generator), torch.randn(16, generator=generator)


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_values_follow_rewards_of_any_scale(states, scale):
    hidden, rewards = states
    plain, scaled = values_of(hidden, rewards, 5), values_of(hidden, scale * rewards + 3 * scale, 5)
    assert torch.allclose(scaled, scale * plain + 3 * scale, rtol=1e-2, atol=1e-2 * scale)


def test_values_do_not_depend_on_the_size_of_the_hidden_states(states):
    hidden, rewards = states
    assert torch.allclose(values_of(40 * hidden, rewards, 5), values_of(hidden, rewards, 5), atol=1e-4)


def test_a_step_moves_a_value_by_at_most_its_rate_times_the_spread(states):
    hidden, rewards = states
    moved = values_of(hidden, rewards, 1) - rewards.mean()
    assert 0 < float(moved.abs().max()) <= RATE * float(rewards.std(correction=0)) * (1 + 1e-5)


def test_a_head_that_has_not_learnt_predicts_the_mean_of_equal_rewards(states):
    hidden, _ = states
    rewards = torch.full((16,), 0.3)
    assert torch.allclose(values_of(hidden, rewards, 3), rewards, atol=1e-6)


def test_the_values_never_become_much_worse_than_the_mean(base, runtime):
    value = make_batch(base, PPO | {"valueLr": RATE, "epochs": 1})
    for rollout in value["rollouts"]:
        rollout["reward"] /= 100
    batch = read_batch(json.dumps(value))
    policy, optimizers = load(batch, runtime)
    found = [update(policy, optimizers, batch)[0] for _ in range(12)]
    # Half a squared standard deviation is the loss of the mean.
    assert all(one["explainedVariance"] > -0.2 and one["valueLoss"] < 0.7 for one in found)
    assert found[-1]["explainedVariance"] > 0.1


def test_a_checkpoint_has_the_moments_of_the_rewards(base, runtime, tmp_path):
    value = make_batch(base, PPO, stepKey="1" * 64)
    run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    moments = load_file(tmp_path / ("1" * 64) / VALUE_HEAD)["moments"]
    rewards = torch.tensor([one["reward"] for one in value["rollouts"]], dtype=torch.float64)
    assert moments.tolist() == pytest.approx([1, float(rewards.mean()), float((rewards**2).mean())])


def test_a_value_head_of_another_version_is_not_loaded_nor_its_averages(base, runtime, tmp_path):
    made = run_step(read_batch(json.dumps(make_batch(base, PPO, stepKey="1" * 64))), tmp_path, runtime)
    folder = tmp_path / made["stepKey"]
    save_file({"weight": torch.ones(1, 32), "bias": torch.ones(1)}, folder / VALUE_HEAD)
    averages = torch.load(folder / "optimizer.pt", weights_only=True)
    torch.save({"policy": averages["policy"], "value": averages["valueHead"]}, folder / "optimizer.pt")
    made["files"] = {name: sha for name, sha in hash_folder(folder).items() if name != "result.json"}
    made["checkpoint"] = sha256_of_files(made["files"])
    (folder / "result.json").write_text(json.dumps(made))
    parent = {"path": str(folder), "sha256": made["checkpoint"]}
    child = make_batch(base, PPO, stepKey="2" * 64, parent=parent)
    for rollout in child["rollouts"]:
        rollout["policyVersion"] = made["checkpoint"]
    policy, optimizers = load(read_batch(json.dumps(child)), runtime)
    assert not any(tensor.any() for tensor in policy.value_head.state_dict().values())
    assert optimizers.value.state_dict()["state"] == {}
