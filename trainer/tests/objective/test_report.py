"""Tests of the report of an update."""

import json
from pathlib import Path

import pytest
import torch

from helpers.tiny import GRPO, SDPO, load_model, make_batch, plain_logprobs
from perpetua_trainer.batch import read_batch
from perpetua_trainer.objective.report import kl_share
from perpetua_trainer.objective.state import advantages_of
from perpetua_trainer.step import load, run_step

BONUS = {"entropyCoefficient": 0.5}
KL = {"klCoefficient": 0.3, "isCap": None}


def second_step(base: dict, out: Path, runtime, algorithm: dict):
    """Batch that starts from a checkpoint away from the base, so that the KL term is above 0."""
    first = run_step(read_batch(json.dumps(make_batch(base, stepKey="1" * 64))), out, runtime)
    parent = {"path": str(out / ("1" * 64)), "sha256": first["checkpoint"]}
    value = make_batch(base, algorithm, stepKey="2" * 64, parent=parent)
    for rollout in value["rollouts"]:
        rollout["policyVersion"] = first["checkpoint"]
    return read_batch(json.dumps(value))


def kl_slopes(base: dict, batch, runtime) -> float:
    """Mean of |1 − exp(logp_base − logp)| over the tokens, from passes without cache or padding."""
    policy, _ = load(batch, runtime)
    gaps = [
        plain_logprobs(load_model(base["path"]), one.prompt_ids, one.completion_ids)
        - plain_logprobs(policy.model, one.prompt_ids, one.completion_ids)
        for one in batch.rollouts
    ]
    return float((1 - torch.cat(gaps).exp()).abs().mean())


def test_the_kl_share_compares_the_derivatives_of_the_terms_and_not_their_losses(base, runtime, tmp_path):
    batch = second_step(base, tmp_path, runtime, GRPO | KL)
    found = run_step(batch, tmp_path, runtime)["metrics"]
    lengths = [len(one.completion_ids) for one in batch.rollouts]
    weighted = [abs(float(value)) * length for value, length in zip(advantages_of(batch), lengths, strict=True)]
    policy = sum(weighted) / sum(lengths)
    kl = 0.3 * kl_slopes(base, batch, runtime)
    assert found["klShare"] == pytest.approx(kl / (kl + policy), rel=1e-3)
    # On-policy, the loss is far below its derivatives, since the advantages of a group cancel.
    assert abs(found["policyLoss"]) < 0.3 * policy


def test_the_kl_share_of_a_distillation_compares_with_the_gap_to_the_teacher(base, runtime, tmp_path):
    batch = second_step(base, tmp_path, runtime, SDPO | KL)
    found = run_step(batch, tmp_path, runtime)["metrics"]
    kl = 0.3 * kl_slopes(base, batch, runtime)
    assert found["klShare"] == pytest.approx(kl / (kl + found["teacherGap"]), rel=1e-3)


def test_a_policy_that_is_the_base_has_a_kl_share_of_0(base, runtime, tmp_path):
    batch = read_batch(json.dumps(make_batch(base, GRPO | KL)))
    assert run_step(batch, tmp_path, runtime)["metrics"]["klShare"] == pytest.approx(0, abs=1e-5)


def test_the_kl_share_is_undefined_if_both_terms_are_0():
    assert kl_share(0.0, 0.0) is None
    assert kl_share(0.5, 0.0) == 1


def test_entropy_and_its_bonus_count_the_tokens_of_the_entropy_mask_only(base, runtime, tmp_path):
    value = make_batch(base, GRPO | BONUS)
    for rollout in value["rollouts"]:
        rollout["entropyMask"] = [1, *[0] * (len(rollout["completionIds"]) - 1)]
    found = run_step(read_batch(json.dumps(value)), tmp_path / "first", runtime)["metrics"]
    model = load_model(base["path"])
    with torch.no_grad():
        logits = [model(input_ids=torch.tensor([one["promptIds"]])).logits[0, -1] for one in value["rollouts"]]
    expected = torch.distributions.Categorical(logits=torch.stack(logits)).entropy().mean()
    assert found["entropy"] == pytest.approx(float(expected), abs=1e-4)
    assert found["loss"] == pytest.approx(found["policyLoss"] - 0.5 * float(expected), abs=1e-4)
    assert found["tokens"] == sum(sum(one["lossMask"]) for one in value["rollouts"])


def test_without_an_entropy_mask_the_entropy_counts_the_learnt_tokens(base, runtime, tmp_path):
    value = make_batch(base)
    masked = make_batch(base)
    for rollout in masked["rollouts"]:
        rollout["entropyMask"] = rollout["lossMask"]
    found, same = (
        run_step(read_batch(json.dumps(one)), tmp_path / name, runtime)["metrics"]
        for name, one in (("plain", value), ("masked", masked))
    )
    assert found["entropy"] == same["entropy"]
