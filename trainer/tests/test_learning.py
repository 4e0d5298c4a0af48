"""Tests that the tiny model learns: fifteen updates against as many with a learning rate of 0."""

import json
from hashlib import sha256

import pytest
import torch

from helpers.sampling import sample
from helpers.tiny import GRPO, PPO, SDPO, VOCABULARY, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.step import finish, load

PROMPT = [5, 17, 40, 3]
UPDATES, SAMPLES, LENGTH = 15, 32, 4


def reward_of(tokens: list[int]) -> float:
    """Reward from -1 to 1, which grows with the share of tokens in the vocabulary's lower half."""
    return 2 * sum(token < VOCABULARY // 2 for token in tokens) / len(tokens) - 1


def learn(base: dict, runtime, out, algorithm: dict, *, lr: float, seed: int, updates: int = UPDATES) -> list[dict]:
    """Runs updates, each with a batch sampled from the current policy; returns the metrics of each."""
    template = make_batch(base, algorithm, seed=seed)
    template["optimizer"]["lr"] = lr
    template["limits"]["microBatch"] = SAMPLES
    generator = torch.Generator().manual_seed(seed)
    state, parent, metrics = None, None, []
    for update in range(updates):
        # The template serves as a batch here, to load the base.
        state = state or load(read_batch(json.dumps(template)), runtime)
        version = "base" if parent is None else parent["sha256"]
        rollouts = [
            template["rollouts"][0]
            | {"id": f"r/{number}", "promptIds": PROMPT, "lossMask": [1] * LENGTH, "policyVersion": version}
            | {"reward": reward_of(sampled["completionIds"]), "teacherPromptIds": [*PROMPT, 9, 9, 30]}
            | sampled
            for number, sampled in enumerate(sample(state[0], PROMPT, SAMPLES, LENGTH, generator))
        ]
        key = sha256(f"{lr} {seed} {update}".encode()).hexdigest()
        batch = read_batch(json.dumps(template | {"stepKey": key, "parent": parent, "rollouts": rollouts}))
        result, _ = finish(batch, out, state, 0.0)
        parent = {"path": str(out / key), "sha256": result["checkpoint"]}
        metrics.append(result["metrics"])
    return metrics


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("algorithm", [GRPO, PPO], ids=["grpo", "ppo"])
def test_fifteen_updates_beat_a_learning_rate_of_0_by_a_half(base, runtime, tmp_path, algorithm, seed):
    learnt = [one["rewardMean"] for one in learn(base, runtime, tmp_path, algorithm, lr=0.05, seed=seed)]
    still = [one["rewardMean"] for one in learn(base, runtime, tmp_path, algorithm, lr=0.0, seed=seed)]
    assert sum(learnt[-5:]) / 5 > sum(still[-5:]) / 5 + 0.5


def test_a_student_approaches_a_frozen_teacher(base, runtime, tmp_path):
    metrics = learn(base, runtime, tmp_path, SDPO, lr=0.02, seed=1)
    assert metrics[-1]["distillationLoss"] < metrics[0]["distillationLoss"] / 2


def test_sampler_and_trainer_have_the_same_log_probabilities(base, runtime, tmp_path):
    metrics = learn(base, runtime, tmp_path, GRPO, lr=0.05, seed=4, updates=4)
    assert all(one["samplerDiffMax"] < 1e-4 for one in metrics)
