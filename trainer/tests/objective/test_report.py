"""The report of an update."""

import json
from pathlib import Path

import pytest
import torch

from helpers.tiny import GRPO, SDPO, load_model, make_batch, plain_logprobs
from perpetua_trainer.batch import read_batch
from perpetua_trainer.objective.report import kl_share
from perpetua_trainer.objective.state import advantages_of
from perpetua_trainer.step import load, run_step

KL = {"klCoefficient": 0.3, "isCap": None}


def second_step(base: dict, out: Path, runtime, algorithm: dict):
    """A batch that starts from a checkpoint away from the base, where the KL term has something to say."""
    first = run_step(read_batch(json.dumps(make_batch(base, stepKey="1" * 64))), out, runtime)
    parent = {"path": str(out / ("1" * 64)), "sha256": first["checkpoint"]}
    value = make_batch(base, algorithm, stepKey="2" * 64, parent=parent)
    for one in value["rollouts"]:
        one["policyVersion"] = first["checkpoint"]
    return read_batch(json.dumps(value))


def kl_slopes(base: dict, batch, runtime) -> float:
    """Mean of |1 − exp(logp_base − logp)| over the tokens, by passes without cache or padding."""
    policy, _ = load(batch, runtime)
    gaps = [
        plain_logprobs(load_model(base["path"]), one.prompt_ids, one.completion_ids)
        - plain_logprobs(policy.model, one.prompt_ids, one.completion_ids)
        for one in batch.rollouts
    ]
    return float((1 - torch.cat(gaps).exp()).abs().mean())


def test_the_kl_share_compares_what_pulls_on_the_tokens_and_not_a_loss_that_cancels(base, runtime, tmp_path):
    batch = second_step(base, tmp_path, runtime, GRPO | KL)
    found = run_step(batch, tmp_path, runtime)["metrics"]
    lengths = [len(one.completion_ids) for one in batch.rollouts]
    pull = sum(abs(float(one)) * length for one, length in zip(advantages_of(batch), lengths, strict=True))
    kl = 0.3 * kl_slopes(base, batch, runtime)
    assert found["klShare"] == pytest.approx(kl / (kl + pull / sum(lengths)), rel=1e-3)
    # On-policy the loss is far below what its tokens pull with.
    assert abs(found["policyLoss"]) < 0.3 * pull / sum(lengths)


def test_a_distillation_pulls_with_its_gap_to_the_teacher(base, runtime, tmp_path):
    batch = second_step(base, tmp_path, runtime, SDPO | KL)
    found = run_step(batch, tmp_path, runtime)["metrics"]
    kl = 0.3 * kl_slopes(base, batch, runtime)
    assert found["klShare"] == pytest.approx(kl / (kl + found["teacherGap"]), rel=1e-3)


def test_a_policy_that_is_the_base_has_a_kl_share_of_0(base, runtime, tmp_path):
    batch = read_batch(json.dumps(make_batch(base, GRPO | KL)))
    assert run_step(batch, tmp_path, runtime)["metrics"]["klShare"] == pytest.approx(0, abs=1e-5)


def test_where_nothing_pulls_there_is_no_share():
    assert kl_share(0.0, 0.0) is None
    assert kl_share(0.5, 0.0) == 1
