"""Tests of policy versions: load, sample and drop them by name."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from helpers.gate import Gate
from helpers.serving import Served
from helpers.steps import THIRD, batch_of, by_command, bytes_of, child_of
from perpetua_trainer import model as models
from perpetua_trainer.batch import read_batch
from perpetua_trainer.forward import blocks_of, score
from perpetua_trainer.step import load

FULL = {"adapter": {"kind": "full"}}
RANK = {"adapter": {"kind": "lora", "rank": 2, "alpha": 16, "targets": ["k_proj", "down_proj"], "dropout": 0}}
ASK = {"prompt": [5, 6, 7], "n": 4, "max_tokens": 10, "seed": 3, "training": True}


@pytest.fixture(scope="module")
def checkpoints(chat_base, runtime, tmp_path_factory) -> list[dict]:
    """Three policies after a step with a large rate: two low-rank ones of different shapes, one of all weights."""
    out = tmp_path_factory.mktemp("checkpoints")
    found = []
    for key, changes in (("a", {}), ("b", RANK), ("c", FULL)):
        value = batch_of(chat_base, stepKey=key * 64, **changes)
        value["optimizer"]["lr"] = 0.05
        result = by_command(value, out, runtime)
        found.append({"path": str(out / (key * 64)), "sha256": result["checkpoint"], "batch": value, "result": result})
    return found


def place(checkpoint: dict) -> dict:
    return {"path": checkpoint["path"], "sha256": checkpoint["sha256"]}


def samples(server: Served, name: str) -> list[tuple]:
    found = server.post("/v1/completions", ASK | {"model": name})
    return [(one["token_ids"], one["token_logprobs"]) for one in found["choices"]]


def names(server: Served) -> list[str]:
    return [one["id"] for one in server.call("GET", "/v1/models")[1]["data"]]


def test_each_version_has_the_trainers_scores_beside_any_other_versions(start, chat_base, checkpoints, runtime):
    server = start()
    before = samples(server, "base")
    for one in checkpoints:
        loaded = server.post("/v1/adapters", place(one))
        assert loaded["policy_version"] == one["sha256"]
        assert sorted(loaded["names"]) == sorted([one["sha256"], Path(one["path"]).name])
    for one in checkpoints:
        found = server.post("/v1/completions", ASK | {"model": one["sha256"]})
        assert found["policy_version"] == one["sha256"]
        assert samples(server, Path(one["path"]).name) == samples(server, one["sha256"]) != before
        for sampled, scored in zip(found["choices"], scores(one, found, runtime), strict=True):
            assert torch.allclose(torch.tensor(sampled["token_logprobs"]), scored, atol=1e-4)
    assert samples(server, "base") == before


def scores(checkpoint: dict, found: dict, runtime) -> list[torch.Tensor]:
    """Scores of the samples in a step from that checkpoint, one tensor [C] for each sample."""
    value = child_of(Path(checkpoint["path"]).parent, checkpoint["result"], checkpoint["batch"])
    value["rollouts"] = [
        value["rollouts"][0]
        | {"id": str(number), "promptIds": found["prompt_token_ids"], "completionIds": one["token_ids"]}
        | {"logprobs": one["token_logprobs"], "lossMask": [1] * len(one["token_ids"]), "teacherPromptIds": None}
        | {"policyVersion": found["policy_version"]}
        for number, one in enumerate(found["choices"])
    ]
    batch = read_batch(json.dumps(value))
    policy, _ = load(batch, runtime)
    (block,) = blocks_of(batch.rollouts, list(range(len(batch.rollouts))), 64, "cpu")
    with torch.no_grad():
        logprobs = score(policy.model, block).logprobs
    return [logprobs[row, : len(one.completion_ids)] for row, one in enumerate(batch.rollouts)]


def test_requests_of_several_versions_at_once_give_the_samples_of_each(start, checkpoints):
    server = start()
    for one in checkpoints:
        server.post("/v1/adapters", place(one))
    bodies = [ASK | {"model": name} for name in ["base", *(one["sha256"] for one in checkpoints)]] * 2
    alone = [server.post("/v1/completions", body) for body in bodies]
    for before, (status, found) in zip(alone, server.together("/v1/completions", bodies), strict=True):
        assert status == 200
        assert found["policy_version"] == before["policy_version"]
        assert [one["token_ids"] for one in found["choices"]] == [one["token_ids"] for one in before["choices"]]


def test_a_version_that_is_dropped_is_unknown_and_can_be_loaded_again(start, checkpoints):
    server = start()
    base = samples(server, "base")
    learnt = {}
    for one in checkpoints:
        server.post("/v1/adapters", place(one))
        learnt[one["sha256"]] = samples(server, one["sha256"])
    for one in checkpoints:
        status, _ = server.call("DELETE", f"/v1/adapters/{Path(one['path']).name}")
        assert status == 200
        status, found = server.call("POST", "/v1/completions", ASK | {"model": one["sha256"]})
        assert status == 404
        assert one["sha256"] not in found["error"]["message"].split(", got")[0]
        assert samples(server, "base") == base
    assert names(server) == ["base"]
    for one in checkpoints:
        server.post("/v1/adapters", place(one))
        assert samples(server, one["sha256"]) == learnt[one["sha256"]]
    # A second load of the same checkpoint changes nothing.
    server.post("/v1/adapters", place(checkpoints[0]))
    assert len(names(server)) == 7


def test_a_checkpoint_with_another_hash_is_refused(server, checkpoints, tmp_path):
    flipped = tmp_path / "flipped"
    shutil.copytree(checkpoints[0]["path"], flipped)
    weights = flipped / "adapter.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\x77")
    for body in (
        {"path": str(flipped), "sha256": checkpoints[0]["sha256"]},
        {"path": "/nowhere", "sha256": checkpoints[0]["sha256"]},
        {"path": checkpoints[0]["path"], "sha256": "0" * 64},
    ):
        status, found = server.call("POST", "/v1/adapters", body)
        assert (status, found["error"]["code"]) == (400, "wrong-parent")
    assert names(server) == ["base"]


def test_neither_the_base_nor_an_unknown_version_can_be_dropped(server):
    assert server.call("DELETE", "/v1/adapters/base")[0] == 400
    assert server.call("DELETE", "/v1/adapters/nobody")[0] == 404


def test_a_step_by_the_server_is_a_version_that_it_samples_from(start, chat_base):
    server = start()
    result = server.post("/step", batch_of(chat_base))
    server.post("/v1/adapters", {"path": str(server.out / result["stepKey"]), "sha256": result["checkpoint"]})
    assert samples(server, result["checkpoint"]) != samples(server, "base")


def count_models(path: Path):
    """A patch that writes a line for each model that the server loads from disk."""

    def patch() -> None:
        read = models.AutoModelForCausalLM.from_pretrained

        def counted(*arguments, **options):
            with path.open("a") as file:
                file.write("model\n")
            return read(*arguments, **options)

        models.AutoModelForCausalLM = SimpleNamespace(from_pretrained=counted)

    return patch


def test_low_rank_weights_of_sampler_and_step_share_one_copy_of_the_base(start, chat_base, checkpoints, tmp_path):
    def loaded() -> int:
        return len((tmp_path / "models").read_text().splitlines())

    server = start(patch=count_models(tmp_path / "models"))
    server.post("/v1/adapters", place(checkpoints[0]))
    server.post("/step", batch_of(chat_base))
    server.post("/step", batch_of(chat_base, stepKey="d" * 64, **RANK))
    assert loaded() == 1
    server.post("/step", batch_of(chat_base, stepKey="e" * 64, **FULL))
    assert loaded() == 2


def test_samples_of_older_versions_that_wait_for_a_step_are_not_those_of_the_step(
    start, chat_base, checkpoints, runtime, tmp_path
):
    gate = Gate()
    server = start(patch=gate.patch)
    for one in checkpoints[:2]:
        server.post("/v1/adapters", place(one))
    older = ["base", *(one["sha256"] for one in checkpoints[:2])] * 2
    before = [samples(server, name) for name in older]
    value = child_of(tmp_path, checkpoints[0]["result"], checkpoints[0]["batch"], THIRD)
    value["parent"]["path"] = checkpoints[0]["path"]
    value["rollouts"] = [one | {"policyVersion": checkpoints[0]["sha256"]} for one in value["rollouts"]]
    with ThreadPoolExecutor(2) as pool:
        step = pool.submit(server.post, "/step", value)
        gate.wait_for_step()
        waiting = pool.submit(server.together, "/v1/completions", [ASK | {"model": name} for name in older])
        gate.open(1)
        found = [
            [(one["token_ids"], one["token_logprobs"]) for one in answer["choices"]] for _, answer in waiting.result()
        ]
        step.result()
    tokens = [[ids for ids, _ in rows] for rows in found]
    assert tokens == [[ids for ids, _ in rows] for rows in before]
    by_command(value, tmp_path / "alone", runtime)
    assert bytes_of(tmp_path / "alone" / THIRD) == bytes_of(server.out / THIRD)
    assert [samples(server, name) for name in older] == before


def test_a_refused_step_leaves_the_sampler_and_the_next_step_as_they_were(
    start, chat_base, checkpoints, runtime, tmp_path
):
    server = start()
    before = samples(server, "base")
    # The parent has another adapter, which the step finds out after it has added its own.
    wrong = child_of(Path(checkpoints[0]["path"]).parent, checkpoints[0]["result"], checkpoints[0]["batch"], **RANK)
    wrong["rollouts"] = [one | {"policyVersion": checkpoints[0]["sha256"]} for one in wrong["rollouts"]]
    status, answer = server.call("POST", "/step", wrong)
    assert (status, answer["refused"]["code"]) == (422, "wrong-parent")
    assert samples(server, "base") == before
    value = batch_of(chat_base)
    server.post("/step", value)
    by_command(value, tmp_path / "alone", runtime)
    assert bytes_of(tmp_path / "alone" / value["stepKey"]) == bytes_of(server.out / value["stepKey"])
