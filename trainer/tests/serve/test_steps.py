"""Tests of steps of the server: the same bytes as `step --in`, once, also after kills."""

import json
import os
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from helpers.gate import Gate
from helpers.kills import kill_before_backward, kill_in_optimizer_step, kill_in_save
from helpers.processes import die, exit_code, fork
from helpers.steps import FIRST, SECOND, THIRD, batch_of, by_command, bytes_of, child_of
from helpers.tiny import GRPO, MIXED, PPO, SDPO
from perpetua_trainer.optimizer import Optimizers
from perpetua_trainer.serve import steps as module

EMA = SDPO | {"teacher": "ema", "emaRate": 0.2}


def count_loads(path: Path):
    """A patch that writes a line for each step that loads its parent or base from disk."""

    def patch() -> None:
        load = module.load

        def counted(*arguments):
            with path.open("a") as file:
                file.write("load\n")
            return load(*arguments)

        module.load = counted

    return patch


def loads(path: Path) -> int:
    return len(path.read_text().splitlines())


# Algorithms, each with changes of the second step, whose state in memory the third step uses.
CASES = {
    "grpo at another rate": (GRPO, {"optimizer": {"lr": 3e-3, "betas": [0.8, 0.9], "weightDecay": 0.1}}),
    "ppo": (PPO, {}),
    "sdpo with an EMA teacher": (EMA, {"seed": 9}),
    "all weights": (EMA | {"distillationWeight": 0.5, "grpo": MIXED}, {"adapter": {"kind": "full"}}),
}


@pytest.mark.parametrize(("algorithm", "changes"), CASES.values(), ids=CASES.keys())
def test_steps_in_memory_have_the_bytes_of_steps_from_disk(start, chat_base, runtime, tmp_path, algorithm, changes):
    server = start(patch=count_loads(tmp_path / "loads"))
    adapter = {name: value for name, value in changes.items() if name == "adapter"}
    value = batch_of(chat_base, algorithm, **adapter)
    other = {**value, "seed": changes.get("seed", 5)}
    other["optimizer"] = value["optimizer"] | changes.get("optimizer", {})
    first = server.post("/step", value)
    second = server.post("/step", child_of(server.out, first, other))
    third = server.post("/step", child_of(server.out, second, value, THIRD))
    assert loads(tmp_path / "loads") == 1
    assert [result["step"] for result in (first, second, third)] == [1, 2, 3]
    ours = tmp_path / "ours"
    for batch in (value, child_of(server.out, first, other), child_of(server.out, second, value, THIRD)):
        by_command(batch, ours, runtime)
        assert bytes_of(ours / batch["stepKey"]) == bytes_of(server.out / batch["stepKey"])


def test_a_step_with_another_parent_or_other_weights_loads_its_parent(start, chat_base, runtime, tmp_path):
    server = start(patch=count_loads(tmp_path / "loads"))
    value = batch_of(chat_base, PPO)
    first = server.post("/step", value)
    second = server.post("/step", child_of(server.out, first, value))
    # The state in memory fits neither a sibling of the second step nor a step without a value head.
    sibling = child_of(server.out, first, value, THIRD)
    server.post("/step", sibling)
    headless = child_of(server.out, second, batch_of(chat_base, GRPO), "4" * 64)
    server.post("/step", headless)
    assert loads(tmp_path / "loads") == 3
    for batch in (sibling, headless):
        by_command(batch, tmp_path / "ours", runtime)
        assert bytes_of(tmp_path / "ours" / batch["stepKey"]) == bytes_of(server.out / batch["stepKey"])


def test_a_step_that_another_process_has_done_is_answered_from_disk(start, chat_base, runtime):
    server = start(patch=lambda: setattr(module, "load", die))
    value = batch_of(chat_base)
    result = by_command(value, server.out, runtime)
    assert server.post("/step", value) == result
    assert server.post("/step", value) == result


def test_a_done_or_running_key_is_refused_to_another_batch(start, chat_base):
    gate = Gate()
    server = start(patch=gate.patch)
    value = batch_of(chat_base)
    other = {**value, "seed": 6}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(server.call, "POST", "/step", value)
        gate.wait_for_step()
        second = pool.submit(server.call, "POST", "/step", other)
        # The gate lets two steps pass, in case the second request wrongly started its own.
        gate.open(2)
        assert first.result()[0] == 200
        assert second.result()[0] == 422
    status, found = server.call("POST", "/step", other)
    assert (status, found["refused"]["code"], found["refused"]["path"]) == (422, "other-batch", "stepKey")
    assert server.call("POST", "/step", value) == first.result()


def test_a_request_can_name_the_files_of_batch_and_checkpoints(start, chat_base, runtime, tmp_path):
    server = start()
    value = batch_of(chat_base)
    (tmp_path / "batch.json").write_text(json.dumps(value))
    body = {"batch": str(tmp_path / "batch.json"), "out": str(tmp_path / "elsewhere")}
    result = server.post("/step", body)
    assert json.loads((tmp_path / "elsewhere" / FIRST / "result.json").read_text()) == result
    assert not server.out.exists()
    status, found = server.call("POST", "/step", {**body, "batch": str(tmp_path / "none.json")})
    assert (status, found["refused"]["path"]) == (422, "batch")


@pytest.mark.parametrize("fails", [False, True])
def test_requests_for_a_running_step_join_it_and_share_its_end(start, chat_base, tmp_path, fails):
    gate, opened = os.pipe()
    waits, waiting = os.pipe()

    def patch() -> None:
        """Makes the step wait for the gate, and reports each request that waits for the end of a step."""
        count_loads(tmp_path / "loads")()
        finish, result = module.finish, Future.result

        def slow(*arguments):
            os.read(gate, 1)
            if fails:
                raise OSError("no space left on device")
            return finish(*arguments)

        def reported(self, timeout=None):
            if sys._getframe(1).f_code is module.Steps.answer.__code__:
                os.write(waiting, b".")
            return result(self, timeout)

        module.finish, Future.result = slow, reported

    server = start(patch=patch)
    value = batch_of(chat_base)
    with ThreadPoolExecutor(4) as pool:
        answers = [pool.submit(server.call, "POST", "/step", value) for _ in range(4)]
        for _ in range(4):
            os.read(waits, 1)
        # The gate lets four steps pass, in case each request wrongly started its own.
        os.write(opened, b"....")
        for answer in answers:
            assert answer.result() == answers[0].result()
    assert answers[0].result()[0] == (500 if fails else 200)
    assert loads(tmp_path / "loads") == 1


KILLS = {
    "before the backward pass": kill_before_backward,
    "after the optimiser's step": kill_in_optimizer_step,
    "in the save": kill_in_save(3),
    "before the rename": kill_in_save(7),
    "after the rename": kill_in_save(8),
}


@pytest.mark.parametrize("patch", KILLS.values(), ids=KILLS.keys())
def test_after_a_kill_server_and_command_give_the_same_bytes_for_the_key(start, chat_base, runtime, tmp_path, patch):
    value = batch_of(chat_base)
    expected = by_command(value, tmp_path / "whole", runtime)

    def killed_server(name: str) -> Path:
        dying = start(name, patch)
        with pytest.raises(ConnectionError):
            dying.call("POST", "/step", value)
        assert dying.wait() == -9
        return dying.out

    def killed_command(name: str) -> Path:
        out = tmp_path / f"{name}-out"
        assert exit_code(fork(lambda: (patch(), by_command(value, out, runtime)))) == -9
        return out

    def by_server(name: str) -> dict:
        # If a dead server used the folder, the new one replaces its socket.
        return start(name).post("/step", value)

    for name, kill, again in (
        ("a", killed_server, lambda name: by_command(value, tmp_path / f"{name}-out", runtime)),
        ("b", killed_server, by_server),
        ("c", killed_command, by_server),
    ):
        out = kill(name)
        assert again(name)["checkpoint"] == expected["checkpoint"]
        assert bytes_of(out / FIRST) == bytes_of(tmp_path / "whole" / FIRST)
        # After the rename the step is done, and a done step sweeps nothing.
        if patch is not KILLS["after the rename"]:
            assert [path.name for path in out.iterdir()] == [FIRST]


def test_if_another_process_is_first_its_result_is_returned_and_memory_forgotten(start, chat_base, runtime, tmp_path):
    gate, counted = Gate(), count_loads(tmp_path / "loads")
    server = start(patch=lambda: (counted(), gate.patch()))
    value = batch_of(chat_base)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.post, "/step", value)
        gate.wait_for_step()
        first = by_command(value, server.out, runtime)
        gate.open(2)
        assert answer.result() == first
    second = server.post("/step", child_of(server.out, first, value))
    assert (second["step"], loads(tmp_path / "loads")) == (2, 2)


def test_a_batch_that_is_refused_is_answered_422_and_spoils_nothing(start, chat_base, runtime, tmp_path):
    server = start()
    value = batch_of(chat_base)
    first = server.post("/step", value)
    child = child_of(server.out, first, value)
    poisoned = json.loads(json.dumps(child))
    poisoned["rollouts"][3]["logprobs"][0] = float("nan")
    status, found = server.call("POST", "/step", poisoned)
    reason = {"code": "nan", "path": "rollouts[3].logprobs[0]", "expected": "a finite number", "got": "nan"}
    assert (status, found) == (422, {"refused": reason})
    # The next batch is refused during the update, since its gradient is not finite.
    endless = json.loads(json.dumps(child))
    endless["algorithm"]["scaleRewards"] = "none"
    endless["rollouts"][0]["reward"] = 3e38
    status, found = server.call("POST", "/step", endless)
    assert (status, found["refused"]["code"]) == (422, "non-finite")
    server.post("/step", child)
    by_command(child, tmp_path / "ours", runtime)
    assert bytes_of(tmp_path / "ours" / SECOND) == bytes_of(server.out / SECOND)


def test_weights_in_memory_that_an_update_has_spoilt_are_not_used_again(start, chat_base, runtime, tmp_path):
    def patch() -> None:
        """Makes the weights of the second step infinite."""
        count_loads(tmp_path / "loads")()
        step, count = Optimizers.step, iter(range(9))

        def spoil(self):
            step(self)
            if next(count) == 1:
                self.weights[0].data.fill_(float("inf"))

        Optimizers.step = spoil

    server = start(patch=patch)
    value = batch_of(chat_base)
    first = server.post("/step", value)
    child = child_of(server.out, first, value)
    status, found = server.call("POST", "/step", child)
    assert (status, found["refused"]["code"]) == (422, "non-finite")
    server.post("/step", child)
    assert loads(tmp_path / "loads") == 2
    by_command(child, tmp_path / "ours", runtime)
    assert bytes_of(tmp_path / "ours" / SECOND) == bytes_of(server.out / SECOND)


def test_a_step_that_fails_is_answered_500_with_the_reason_and_can_be_requested_again(start, chat_base):
    server = start()
    server.out.write_text("no folder")
    status, found = server.call("POST", "/step", batch_of(chat_base))
    assert status == 500
    assert "NotADirectoryError" in found["failed"]["message"] or "FileExistsError" in found["failed"]["message"]
    server.out.unlink()
    assert server.post("/step", batch_of(chat_base))["step"] == 1
