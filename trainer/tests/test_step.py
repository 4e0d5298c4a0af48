"""Tests of steps: a key gives the same bytes, from memory or from disk, once or many times, also after kills."""

import dataclasses
import json
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from safetensors.torch import load_file
from transformers import LlamaForCausalLM

from helpers.kills import kill_before_backward, kill_before_optimizer_step, kill_in_optimizer_step, kill_in_save
from helpers.processes import die, exit_code, fork
from helpers.tiny import GRPO, MIXED, PPO, SDPO, load_model, make_batch
from perpetua_trainer import step as module
from perpetua_trainer.batch import read_batch
from perpetua_trainer.disk.digest import sha256_of_file, sha256_of_files
from perpetua_trainer.input.refusal import Refusal
from perpetua_trainer.optimizer import Optimizers
from perpetua_trainer.runtime import Runtime
from perpetua_trainer.step import finish, load, run_step

FULL = {"adapter": {"kind": "full"}}
EMA = SDPO | {"teacher": "ema", "emaRate": 0.2, "distillation": "top-k", "topK": 6}
CASES = {
    "grpo": (GRPO | {"klCoefficient": 0.1}, {}),
    "grpo on all weights": (GRPO | {"klCoefficient": 0.1}, FULL),
    "ppo over two epochs": (PPO | {"epochs": 2}, {}),
    "sdpo with an EMA teacher": (EMA, {}),
    "the mixture on all weights": (EMA | {"distillationWeight": 0.5, "grpo": MIXED}, FULL),
}
FIRST, SECOND = "1" * 64, "2" * 64


def batch_of(base: dict, algorithm: dict = GRPO, **changes):
    return read_batch(json.dumps(make_batch(base, algorithm, **({"stepKey": FIRST} | changes))))


def follow_up(base: dict, out: Path, result: dict, algorithm: dict = GRPO, **changes):
    """Batch of a second step, whose parent is the checkpoint of a result."""
    parent = {"path": str(out / result["stepKey"]), "sha256": result["checkpoint"]}
    return batch_of(base, algorithm, stepKey=SECOND, parent=parent, **changes)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "result.json"}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(("algorithm", "changes"), CASES.values(), ids=CASES.keys())
def test_a_resumed_step_has_the_bytes_of_one_that_never_stopped(base, runtime, tmp_path, algorithm, changes):
    first = batch_of(base, algorithm, **changes)
    state = load(first, runtime)
    result, _ = finish(first, tmp_path / "kept", state, 0.0)
    # The second step starts from memory, then again from disk.
    second = follow_up(base, tmp_path / "kept", result, algorithm, **changes)
    finish(second, tmp_path / "kept", state, 0.0)
    loaded = run_step(second, tmp_path / "loaded", runtime)
    assert bytes_of(tmp_path / "kept" / SECOND) == bytes_of(tmp_path / "loaded" / SECOND)
    assert (loaded["step"], loaded["parent"]) == (2, result["checkpoint"])
    assert loaded["checkpoint"] != result["checkpoint"]


def test_a_done_step_is_answered_from_disk(base, runtime, tmp_path, monkeypatch):
    result = run_step(batch_of(base), tmp_path, runtime)
    monkeypatch.setattr(module, "load", die)
    assert run_step(batch_of(base), tmp_path, runtime) == result


OTHERS = {
    "seed": lambda value: value.update(seed=6),
    "a reward": lambda value: value["rollouts"][3].update(reward=0.5),
    "a mask": lambda value: value["rollouts"][0]["lossMask"].__setitem__(0, 0),
    "a setting": lambda value: value["algorithm"].update(clipHigh=0.2),
    "the rate": lambda value: value["optimizer"].update(lr=1e-3),
    "the base": lambda value: value["base"].update(sha256="0" * 64),
}


@pytest.mark.parametrize("change", OTHERS.values(), ids=OTHERS.keys())
def test_a_done_key_is_refused_to_another_batch(base, runtime, tmp_path, change):
    run_step(batch_of(base), tmp_path, runtime)
    value = make_batch(base, stepKey=FIRST)
    change(value)
    with pytest.raises(Refusal) as caught:
        run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    assert (caught.value.code, caught.value.path) == ("other-batch", "stepKey")


def test_a_batch_in_another_notation_is_the_same_batch(base, runtime, tmp_path):
    result = run_step(batch_of(base), tmp_path, runtime)
    value = make_batch(base, stepKey=FIRST)
    # The keys are in another order, 1 stands for 1.0, and the base was moved.
    value = dict(reversed(value.items()))
    value["optimizer"]["maxGradNorm"] = 1
    value["base"]["path"] = "/elsewhere"
    assert run_step(read_batch(json.dumps(value, indent=2)), tmp_path, runtime) == result


def test_a_step_is_refused_if_another_process_was_first_with_another_batch(base, runtime, tmp_path):
    slow = batch_of(base, seed=6)
    state = load(slow, runtime)
    run_step(batch_of(base), tmp_path, runtime)
    with pytest.raises(Refusal) as caught:
        finish(slow, tmp_path, state, 0.0)
    assert caught.value.code == "other-batch"


def test_finish_returns_the_result_of_the_process_that_published_and_whether_it_did(base, runtime, tmp_path):
    batch = batch_of(base)
    states = [load(batch, runtime) for _ in range(2)]
    # Both have the same seconds of loading, so the results are equal only if the second one is that of the first.
    (result, first), (other, second) = [finish(batch, tmp_path, state, 0.0) for state in states]
    assert (first, second) == (True, False)
    assert other == result


def test_a_folder_of_the_key_without_a_result_is_replaced(base, runtime, tmp_path):
    (tmp_path / FIRST).mkdir()
    (tmp_path / FIRST / "adapter.safetensors").write_text("half")
    result = run_step(batch_of(base), tmp_path, runtime)
    assert result["files"]["adapter.safetensors"] == sha256_of_file(tmp_path / FIRST / "adapter.safetensors")
    assert names(tmp_path) == [FIRST]
    assert run_step(batch_of(base), tmp_path, runtime) == result


def test_a_learning_rate_of_0_changes_no_weight_and_still_measures(base, runtime, tmp_path):
    first = run_step(batch_of(base), tmp_path, runtime)
    still = {**make_batch(base)["optimizer"], "lr": 0}
    second = run_step(follow_up(base, tmp_path, first, optimizer=still), tmp_path, runtime)
    assert second["files"]["adapter.safetensors"] == first["files"]["adapter.safetensors"]
    assert second["metrics"]["gradNorm"] > 0


def test_an_ema_teacher_moves_by_its_rate(base, runtime, tmp_path):
    start, _ = load(batch_of(base, EMA), runtime)
    run_step(batch_of(base, EMA), tmp_path, runtime)
    student = load_file(tmp_path / FIRST / "adapter.safetensors")
    teacher = load_file(tmp_path / FIRST / "teacher.safetensors")
    for name, one in start.weights.items():
        assert torch.allclose(teacher[name], 0.8 * one.detach() + 0.2 * student[name], atol=1e-7)


def test_a_frozen_teacher_is_the_base_whatever_was_learnt(base, runtime, tmp_path):
    first = run_step(batch_of(base, optimizer={**make_batch(base)["optimizer"], "lr": 0.1}), tmp_path, runtime)
    second = run_step(follow_up(base, tmp_path, first, SDPO), tmp_path, runtime)
    assert "teacher.safetensors" not in second["files"]
    # A policy that has moved has another distance to the base with feedback than the base itself.
    fresh = run_step(batch_of(base, SDPO, stepKey="3" * 64), tmp_path, runtime)
    assert second["metrics"]["teacherGap"] != fresh["metrics"]["teacherGap"]


def test_rollouts_without_a_teacher_are_out_of_the_distillation(base, runtime, tmp_path):
    value = make_batch(base, SDPO, stepKey=FIRST)
    result = run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    assert result["skipped"] == [{"id": f"research/{number}", "reason": "no teacher"} for number in (3, 7)]
    without = [one for one in value["rollouts"] if one["teacherPromptIds"] is not None]
    alone = run_step(read_batch(json.dumps(value | {"stepKey": SECOND, "rollouts": without})), tmp_path, runtime)
    assert alone["metrics"]["loss"] == pytest.approx(result["metrics"]["loss"], rel=1e-6)
    assert alone["metrics"]["gradNorm"] == pytest.approx(result["metrics"]["gradNorm"], rel=1e-5)
    assert (alone["metrics"]["teacherShare"], result["metrics"]["teacherShare"]) == (1.0, 0.75)


def test_a_distillation_without_any_teacher_is_refused(base, runtime, tmp_path):
    value = make_batch(base, SDPO)
    for one in value["rollouts"]:
        one["teacherPromptIds"] = None
    with pytest.raises(Refusal) as caught:
        run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    assert caught.value.code == "no-teacher"
    assert names(tmp_path) == []


def test_tokens_that_are_not_learnt_from_cannot_spoil_the_others(base, runtime, tmp_path):
    value = make_batch(base, GRPO | {"isCap": None, "oldLogprobs": "sampler"}, stepKey=FIRST)
    value["rollouts"][0]["lossMask"][1] = 0
    sound = run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    # The output of a tool can be as improbable.
    value["rollouts"][0]["logprobs"][1] = -1e6
    absurd = run_step(read_batch(json.dumps(value | {"stepKey": SECOND})), tmp_path, runtime)
    assert absurd["checkpoint"] == sound["checkpoint"]


def test_a_gradient_that_is_not_finite_is_refused_and_nothing_is_published(base, runtime, tmp_path):
    value = make_batch(base, GRPO | {"scaleRewards": "none"})
    value["rollouts"][0]["reward"] = 3e38
    with pytest.raises(Refusal) as caught:
        run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    assert caught.value.code == "non-finite"
    assert names(tmp_path) == []


def test_weights_that_are_not_finite_are_refused_and_nothing_is_published(base, runtime, tmp_path):
    # An eps of 0 gives 0/0. The reader of batches refuses it, so the test sets it afterwards.
    batch = batch_of(base)
    batch = dataclasses.replace(batch, optimizer=dataclasses.replace(batch.optimizer, eps=0.0))
    with pytest.raises(Refusal) as caught:
        run_step(batch, tmp_path, runtime)
    assert (caught.value.code, caught.value.got.split()[0]) == ("non-finite", "weights")
    assert names(tmp_path) == []


SPOILERS = {
    "value": lambda policy, optimizers: policy.value_head.weight,
    "teacher": lambda policy, optimizers: next(iter(policy.teacher.values())),
    "optimizer": lambda policy, optimizers: optimizers.policy.state[optimizers.weights[0]]["exp_avg_sq"],
}


@pytest.mark.parametrize("part", SPOILERS)
def test_any_part_of_a_checkpoint_that_is_not_finite_is_refused(base, runtime, tmp_path, monkeypatch, part):
    batch = batch_of(base, PPO if part == "value" else EMA)
    state = load(batch, runtime)
    step = Optimizers.step

    def spoil(self) -> None:
        step(self)
        with torch.no_grad():
            SPOILERS[part](*state).view(-1)[0] = float("inf")

    monkeypatch.setattr(Optimizers, "step", spoil)
    with pytest.raises(Refusal) as caught:
        finish(batch, tmp_path, state, 0.0)
    assert (caught.value.code, caught.value.got.split()[0]) == ("non-finite", part)
    assert names(tmp_path) == []


def test_a_parent_of_another_version_of_peft_is_loaded(base, runtime, tmp_path):
    result = run_step(batch_of(base), tmp_path, runtime)
    path = tmp_path / FIRST / "adapter_config.json"
    ours = json.loads(path.read_text())
    # PEFT writes its version, and keys that other versions do not have.
    path.write_text(json.dumps(ours | {"peft_version": "9.9.9", "a_new_key": None, "r": 4}))
    stored = json.loads((tmp_path / FIRST / "result.json").read_text())
    stored["files"]["adapter_config.json"] = sha256_of_file(path)
    stored["checkpoint"] = sha256_of_files(stored["files"])
    (tmp_path / FIRST / "result.json").write_text(json.dumps(stored))
    second = run_step(follow_up(base, tmp_path, stored), tmp_path, runtime)
    assert second["parent"] == stored["checkpoint"] != result["checkpoint"]
    # The file that this step writes has no version of PEFT.
    assert json.loads((tmp_path / SECOND / "adapter_config.json").read_text()) == ours
    assert "peft_version" not in ours


def test_a_file_that_the_system_left_beside_a_checkpoint_spoils_nothing(base, runtime, tmp_path):
    result = run_step(batch_of(base), tmp_path, runtime)
    for name in (".DS_Store", ".nfs000000000000a1b2"):
        (tmp_path / FIRST / name).write_text("the system's")
    assert run_step(follow_up(base, tmp_path, result), tmp_path, runtime)["parent"] == result["checkpoint"]


WRONG_PARENTS = {
    "another hash": lambda value, folder: value["parent"].update(sha256="0" * 64),
    "no such folder": lambda value, folder: value["parent"].update(path="/nowhere"),
    "another rank": lambda value, folder: value["adapter"].update(rank=2),
    "another alpha": lambda value, folder: value["adapter"].update(alpha=16),
    "other targets": lambda value, folder: value["adapter"].update(targets=["q_proj"]),
    "all weights": lambda value, folder: value.update(adapter={"kind": "full"}),
    "a file that is gone": lambda value, folder: (folder / "optimizer.pt").unlink(),
    "a file that was put there": lambda value, folder: (folder / "value_head.safetensors").write_bytes(b"x"),
    "a flipped bit": lambda value, folder: flip(folder / "adapter.safetensors"),
}


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize("change", WRONG_PARENTS.values(), ids=WRONG_PARENTS.keys())
def test_a_wrong_parent_is_refused(base, runtime, tmp_path, change):
    result = run_step(batch_of(base), tmp_path, runtime)
    parent = {"path": str(tmp_path / FIRST), "sha256": result["checkpoint"]}
    value = make_batch(base, stepKey=SECOND, parent=parent)
    change(value, tmp_path / FIRST)
    with pytest.raises(Refusal) as caught:
        run_step(read_batch(json.dumps(value)), tmp_path, runtime)
    assert caught.value.code == "wrong-parent"
    assert names(tmp_path) == [FIRST]


def test_an_adapter_is_one_that_peft_loads(base, runtime, tmp_path):
    batch = batch_of(base)
    state = load(batch, runtime)
    finish(batch, tmp_path / "out", state, 0.0)
    exported = tmp_path / "exported"
    exported.mkdir()
    for name, wanted in (("adapter.safetensors", "adapter_model.safetensors"), ("adapter_config.json",) * 2):
        (exported / wanted).write_bytes((tmp_path / "out" / FIRST / name).read_bytes())
    loaded = PeftModel.from_pretrained(LlamaForCausalLM.from_pretrained(base["path"]), exported)
    ids = torch.tensor([[3, 14, 15, 9, 2, 6]])
    with torch.no_grad():
        assert torch.equal(loaded(input_ids=ids).logits, state[0].model(input_ids=ids).logits)
        assert not torch.allclose(loaded(input_ids=ids).logits, load_model(base["path"])(input_ids=ids).logits)


def test_half_precision_gives_its_own_bytes_twice_and_measures_the_difference_to_the_sampler(base, runtime, tmp_path):
    half = Runtime(dtype=torch.bfloat16)
    first, second = (run_step(batch_of(base), tmp_path / name, half) for name in ("a", "b"))
    assert first["checkpoint"] == second["checkpoint"]
    assert first["versions"]["dtype"] == "bfloat16"
    assert 1e-4 < first["metrics"]["samplerDiffMax"] < 0.5
    assert first["metrics"]["isWeightMean"] != 1


def test_all_weights_do_not_learn_in_half_precision(base, tmp_path):
    with pytest.raises(Refusal) as caught:
        run_step(batch_of(base, **FULL), tmp_path, Runtime(dtype=torch.bfloat16))
    assert caught.value.path == "adapter.kind"


def test_a_target_that_the_model_lacks_is_refused(base, runtime, tmp_path):
    adapter = {"kind": "lora", "rank": 4, "alpha": 8, "targets": ["w_proj"], "dropout": 0}
    with pytest.raises(Refusal) as caught:
        run_step(batch_of(base, adapter=adapter), tmp_path, runtime)
    assert (caught.value.code, caught.value.path) == ("settings", "adapter.targets")


KILLS = [kill_before_backward, kill_before_optimizer_step, kill_in_optimizer_step, *map(kill_in_save, range(9))]


def test_a_step_killed_anywhere_gives_the_same_bytes_with_the_same_key(base, runtime, tmp_path):
    whole = run_step(batch_of(base), tmp_path / "whole", runtime)
    for number, patch in enumerate(KILLS):
        out = tmp_path / str(number)

        def work(patch=patch, out=out) -> None:
            patch()
            run_step(batch_of(base), out, runtime)

        assert exit_code(fork(work)) == -9, f"kill {number} was not reached"
        again = run_step(batch_of(base), out, runtime)
        assert again["checkpoint"] == whole["checkpoint"]
        assert bytes_of(out / FIRST) == bytes_of(tmp_path / "whole" / FIRST)
        assert names(out) == [FIRST], "leftovers"


def test_two_processes_at_once_publish_one_step_and_return_the_same_result(base, runtime, tmp_path):
    def work(name: str) -> None:
        result = run_step(batch_of(base), tmp_path / "out", runtime)
        (tmp_path / name).write_text(json.dumps(result))

    children = [fork(lambda name=name: work(name)) for name in ("a", "b")]
    assert [exit_code(child) for child in children] == [0, 0]
    assert (tmp_path / "a").read_text() == (tmp_path / "b").read_text()
    assert names(tmp_path / "out") == [FIRST]


def test_blocks_of_any_size_learn_the_same(base, runtime, tmp_path):
    results = [
        run_step(
            batch_of(base, stepKey=f"{size}" * 64, limits={"maxTokens": 64, "microBatch": size}), tmp_path, runtime
        )
        for size in (1, 3, 8)
    ]
    for one in results[1:]:
        assert one["metrics"]["loss"] == pytest.approx(results[0]["metrics"]["loss"], abs=1e-6)
        assert one["metrics"]["gradNorm"] == pytest.approx(results[0]["metrics"]["gradNorm"], rel=1e-4)


def test_every_metric_is_a_finite_number_and_seconds_name_the_parts(base, runtime, tmp_path):
    result = run_step(batch_of(base, PPO), tmp_path, runtime)
    assert all(type(one) is float and abs(one) < 1e9 for one in result["metrics"].values())
    assert sorted(result["seconds"]) == ["backward", "forward", "load", "optimizer", "save"]
    assert result["metrics"]["samplerDiffMax"] < 1e-4


@pytest.mark.parametrize("changes", [{}, FULL], ids=["lora", "all weights"])
def test_kl_is_measured_from_the_weights_that_a_research_began_with(base, runtime, tmp_path, changes):
    made = run_step(batch_of(base, **changes), tmp_path, runtime)
    reference = {"path": str(tmp_path / FIRST), "sha256": made["checkpoint"]}
    kl = GRPO | {"klCoefficient": 0.1}
    plain = follow_up(base, tmp_path, made, kl, **changes)
    first = dataclasses.replace(plain, step_key="3" * 64, reference=plain.parent)
    results = {name: run_step(one, tmp_path / name, runtime) for name, one in (("plain", plain), ("first", first))}
    assert results["plain"]["metrics"]["kl"] > 1e-6
    assert results["first"]["metrics"]["kl"] == pytest.approx(0, abs=1e-9)
    # The second step of the research is measured from the same weights.
    parent = {"path": str(tmp_path / "first" / ("3" * 64)), "sha256": results["first"]["checkpoint"]}
    second = batch_of(base, kl, stepKey="4" * 64, parent=parent, reference=reference, **changes)
    assert run_step(second, tmp_path, runtime)["metrics"]["kl"] > 1e-6


def test_a_research_that_begins_with_a_checkpoint_takes_its_weights_alone(base, runtime, tmp_path):
    made = run_step(batch_of(base, PPO), tmp_path, runtime)
    reference = {"path": str(tmp_path / FIRST), "sha256": made["checkpoint"]}
    policy, optimizers = load(follow_up(base, tmp_path, made, PPO, reference=reference), runtime)
    weights = load_file(tmp_path / FIRST / "adapter.safetensors")
    assert all(torch.equal(policy.weights[name].cpu(), weights[name]) for name in weights)
    assert policy.step == 0
    assert not any(head.any() for head in policy.value_head.parameters())
    assert (optimizers.policy.state_dict()["state"], optimizers.value.state_dict()["state"]) == ({}, {})


def test_a_reference_without_a_parent_and_one_with_other_bytes_are_refused(base, runtime, tmp_path):
    made = run_step(batch_of(base), tmp_path, runtime)
    reference = {"path": str(tmp_path / FIRST), "sha256": "0" * 64}
    with pytest.raises(Refusal) as caught:
        batch_of(base, reference=reference)
    assert (caught.value.code, caught.value.path) == ("settings", "parent")
    with pytest.raises(Refusal) as caught:
        kl = GRPO | {"klCoefficient": 0.1}
        run_step(follow_up(base, tmp_path, made, kl, reference=reference), tmp_path, runtime)
    assert (caught.value.code, caught.value.path) == ("wrong-parent", "reference.sha256")
