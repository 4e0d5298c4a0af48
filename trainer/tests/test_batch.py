"""Tests of invalid batches, each with the reason of its refusal."""

import json
from pathlib import Path

import pytest

from helpers.tiny import GRPO, MIXED, PPO, SDPO, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.input.base import check_base
from perpetua_trainer.input.identity import sha256_of_batch
from perpetua_trainer.input.refusal import Refusal


def put(path: str, value: object):
    """A change that sets the value at a path such as "rollouts.3.reward"."""

    def change(batch: dict) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in steps:
            batch = batch[step]
        batch[last] = value

    return change


def drop(path: str):
    """A change that removes the key at a path."""

    def change(batch: dict) -> None:
        *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        for step in steps:
            batch = batch[step]
        del batch[last]

    return change


NAN = float("nan")
POISONED = [
    (put("version", 2), "wrong-version", "version"),
    (put("colour", "red"), "unknown-key", "colour"),
    (put("algorithm.clip", 0.2), "unknown-key", "algorithm.clip"),
    (put("rollouts.1.note", "x"), "unknown-key", "rollouts[1].note"),
    (drop("optimizer.lr"), "missing-key", "optimizer.lr"),
    (drop("rollouts.2.lossMask"), "missing-key", "rollouts[2].lossMask"),
    (put("algorithm.name", "reinforce"), "range", "algorithm.name"),
    (put("algorithm.epochs", 0), "range", "algorithm.epochs"),
    (put("algorithm.dualClip", 1.1), "settings", "algorithm.dualClip"),
    (put("algorithm.oldLogprobs", "sampler"), "settings", "algorithm.isCap"),
    (put("adapter.dropout", 0.1), "settings", "adapter.dropout"),
    (put("adapter", {"kind": "full", "rank": 4}), "unknown-key", "adapter.rank"),
    (put("optimizer.lr", -1), "range", "optimizer.lr"),
    (put("optimizer.lr", True), "type", "optimizer.lr"),
    (put("optimizer.lr", 1.01), "range", "optimizer.lr"),
    (put("optimizer.eps", 0), "range", "optimizer.eps"),
    (put("optimizer.weightDecay", 1e30), "range", "optimizer.weightDecay"),
    (put("optimizer.betas", [0.9]), "length", "optimizer.betas"),
    (put("seed", 1.5), "type", "seed"),
    (put("stepKey", "abc"), "type", "stepKey"),
    (put("base.path", "models/x"), "range", "base.path"),
    (put("rollouts", []), "empty", "rollouts"),
    (put("rollouts.3.reward", NAN), "nan", "rollouts[3].reward"),
    (put("rollouts.3.logprobs.0", NAN), "nan", "rollouts[3].logprobs[0]"),
    (put("rollouts.3.logprobs.1", float("-inf")), "nan", "rollouts[3].logprobs[1]"),
    (put("rollouts.3.logprobs.1", 0.5), "range", "rollouts[3].logprobs[1]"),
    (put("rollouts.3.reward", 10**400), "range", "rollouts[3].reward"),
    (put("rollouts.3.reward", 1e300), "range", "rollouts[3].reward"),
    (put("rollouts.3.reward", None), "type", "rollouts[3].reward"),
    (put("rollouts.0.completionIds", []), "empty", "rollouts[0].completionIds"),
    (put("rollouts.0.completionIds", [1.0]), "type", "rollouts[0].completionIds[0]"),
    (put("rollouts.0.promptIds", []), "empty", "rollouts[0].promptIds"),
    (put("rollouts.0.lossMask", [1]), "length", "rollouts[0].lossMask"),
    (put("rollouts.0.lossMask.0", 2), "range", "rollouts[0].lossMask[0]"),
    (put("rollouts.0.entropyMask", [1]), "length", "rollouts[0].entropyMask"),
    (put("rollouts.0.entropyMask", [2]), "range", "rollouts[0].entropyMask[0]"),
    (put("rollouts.0.logprobs", [-1.0]), "length", "rollouts[0].logprobs"),
    (put("rollouts.0.attentionMask", [1, 0]), "length", "rollouts[0].attentionMask"),
    (put("rollouts.0.promptIds", [1] * 62), "over-long", "rollouts[0].promptIds"),
    (put("rollouts.0.teacherPromptIds", [1] * 62), "over-long", "rollouts[0].teacherPromptIds"),
    (put("rollouts.0.teacherPromptIds", []), "empty", "rollouts[0].teacherPromptIds"),
    (put("rollouts.0.promptIds", [1, 2]), "settings", "rollouts[1].promptIds"),
    (put("rollouts.0.temperature", 0.7), "off-policy", "rollouts[0].temperature"),
    (put("rollouts.0.topP", 0.9), "off-policy", "rollouts[0].topP"),
    (put("rollouts.0.topK", 50), "off-policy", "rollouts[0].topK"),
    (put("rollouts.0.minP", 0.05), "off-policy", "rollouts[0].minP"),
    (put("rollouts.0.presencePenalty", 0.5), "off-policy", "rollouts[0].presencePenalty"),
    (put("rollouts.0.frequencyPenalty", 0.5), "off-policy", "rollouts[0].frequencyPenalty"),
    (put("rollouts.0.repetitionPenalty", 1.1), "off-policy", "rollouts[0].repetitionPenalty"),
    (put("rollouts.0.repetitionPenalty", 0), "off-policy", "rollouts[0].repetitionPenalty"),
    (drop("rollouts.2.topK"), "missing-key", "rollouts[2].topK"),
    (drop("rollouts.2.minP"), "missing-key", "rollouts[2].minP"),
    (drop("rollouts.2.repetitionPenalty"), "missing-key", "rollouts[2].repetitionPenalty"),
    (put("rollouts.0.policyVersion", "latest"), "type", "rollouts[0].policyVersion"),
    (put("rollouts.4.id", "research/1"), "duplicate", "rollouts[4].id"),
]


@pytest.mark.parametrize(("change", "code", "path"), POISONED, ids=[f"{code} {path}" for _, code, path in POISONED])
def test_a_poisoned_batch_is_refused_with_code_and_path(base, change, code, path):
    batch = make_batch(base)
    change(batch)
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(batch))
    assert (caught.value.code, caught.value.path) == (code, path)
    assert caught.value.expected
    assert caught.value.got


def test_gradient_checkpointing_is_off_unless_the_batch_has_it(base):
    value = make_batch(base)
    read = [read_batch(json.dumps(value))]
    for given in (False, True):
        value["limits"]["gradientCheckpointing"] = given
        read.append(read_batch(json.dumps(value)))
    assert [one.gradient_checkpointing for one in read] == [False, False, True]
    # The batches of version 0.2 keep their hashes.
    hashes = [sha256_of_batch(one) for one in read]
    assert hashes[0] == hashes[1] != hashes[2]
    value["limits"]["gradientCheckpointing"] = 1
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(value))
    assert (caught.value.code, caught.value.path) == ("type", "limits.gradientCheckpointing")


def test_a_rate_of_the_value_head_is_bounded(base):
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(make_batch(base, PPO | {"valueLr": 1e4})))
    assert (caught.value.code, caught.value.path) == ("range", "algorithm.valueLr")


SETTINGS = [
    (SDPO | {"topK": 20}, "algorithm.topK"),
    (SDPO | {"distillation": "top-k"}, "algorithm.topK"),
    (SDPO | {"teacher": "ema"}, "algorithm.emaRate"),
    (SDPO | {"emaRate": 0.1}, "algorithm.emaRate"),
    (SDPO | {"distillationWeight": 0.5}, "algorithm.grpo"),
    (SDPO | {"grpo": MIXED}, "algorithm.grpo"),
]


@pytest.mark.parametrize(("algorithm", "path"), SETTINGS)
def test_a_setting_that_would_be_ignored_is_refused(base, algorithm, path):
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(make_batch(base, algorithm)))
    assert (caught.value.code, caught.value.path) == ("settings", path)


@pytest.mark.parametrize("algorithm", [GRPO, PPO, SDPO, SDPO | {"distillationWeight": 0.5, "grpo": MIXED}])
def test_a_sound_batch_is_read(base, algorithm):
    batch = read_batch(json.dumps(make_batch(base, algorithm)))
    assert batch.algorithm.name == algorithm["name"]
    assert len(batch.rollouts) == 8


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"version": 1, "version": 1}', "\udcff", "[" * 100_000])
def test_a_text_that_is_no_batch_is_refused(text):
    with pytest.raises(Refusal):
        read_batch(text.encode("utf-8", "surrogateescape"))


def test_samples_of_another_version_need_a_correction(base):
    batch = make_batch(base, GRPO | {"isCap": None})
    batch["rollouts"][5]["policyVersion"] = "a" * 64
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(batch))
    assert (caught.value.code, caught.value.path) == ("off-policy", "rollouts[5].policyVersion")
    batch["algorithm"]["isCap"] = 2.0
    read_batch(json.dumps(batch))


STALE = SDPO | {"oldLogprobs": "sampler", "isCap": None, "ratioCap": None}


@pytest.mark.parametrize("mixture", [{}, {"distillationWeight": 0.5, "grpo": MIXED}], ids=["alone", "mixed"])
def test_a_distillation_of_stale_samples_needs_a_cap_or_the_parents_version(base, mixture):
    batch = make_batch(base, STALE | mixture)
    read_batch(json.dumps(batch))
    batch["rollouts"][5]["policyVersion"] = "a" * 64
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(batch))
    assert (caught.value.code, caught.value.path) == ("off-policy", "rollouts[5].policyVersion")
    assert "ratioCap" in caught.value.expected
    batch["algorithm"]["ratioCap"] = 2.0
    read_batch(json.dumps(batch))
    batch["algorithm"] |= {"ratioCap": None, "oldLogprobs": "trainer", "isCap": 2.0}
    read_batch(json.dumps(batch))


def test_a_mixture_without_any_distillation_needs_no_cap_of_its_ratio(base):
    batch = make_batch(base, STALE | {"distillationWeight": 0.0, "grpo": MIXED})
    batch["rollouts"][5]["policyVersion"] = "a" * 64
    read_batch(json.dumps(batch))


def test_a_token_that_the_model_does_not_see_cannot_be_learnt_from(base):
    batch = make_batch(base)
    rollout = batch["rollouts"][0]
    rollout["teacherPromptIds"] = None
    rollout["attentionMask"] = [1] * (len(rollout["promptIds"]) + len(rollout["completionIds"]))
    rollout["attentionMask"][-1] = 0
    with pytest.raises(Refusal) as caught:
        read_batch(json.dumps(batch))
    assert caught.value.code == "mask"
    rollout["lossMask"][-1] = 0
    read_batch(json.dumps(batch))


AGAINST_BASE = [
    (put("base.sha256", "0" * 64), "wrong-base", "base.sha256"),
    (put("base.path", "/nowhere"), "wrong-base", "base.path"),
    (put("tokenizer.sha256", "0" * 64), "wrong-tokenizer", "tokenizer.sha256"),
    (put("tokenizer.template", "0" * 64), "wrong-tokenizer", "tokenizer.template"),
    (put("rollouts.2.completionIds.1", 48), "vocabulary", "rollouts[2].completionIds[1]"),
    (put("rollouts.2.teacherPromptIds.0", 99), "vocabulary", "rollouts[2].teacherPromptIds[0]"),
]


@pytest.mark.parametrize(("change", "code", "path"), AGAINST_BASE)
def test_a_batch_of_another_model_is_refused(base, change, code, path):
    value = make_batch(base | {})
    change(value)
    with pytest.raises(Refusal) as caught:
        check_base(read_batch(json.dumps(value)))
    assert (caught.value.code, caught.value.path) == (code, path)


def test_a_base_whose_file_was_cut_short_is_refused(base, tmp_path):
    for path in Path(base["path"]).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(Refusal) as caught:
        check_base(read_batch(json.dumps(make_batch(base) | {"base": {**base, "path": str(tmp_path)}})))
    assert (caught.value.code, caught.value.path) == ("wrong-base", str(weights))
