"""Tests that several processes learn the same as one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers.tiny import GRPO, MIXED, PPO, SDPO, make_batch
from helpers.together import together
from perpetua_trainer.__main__ import main
from perpetua_trainer.batch import read_batch
from perpetua_trainer.step import run_step

KEY = "7" * 64
RUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "perpetua_trainer"]
TERMS = {"epochs": 2, "klCoefficient": 0.1, "entropyCoefficient": 0.01}
EMA = {"teacher": "ema", "emaRate": 0.2, "distillationWeight": 0.5, "grpo": MIXED}
CASES = {"grpo": GRPO | TERMS, "ppo": PPO | TERMS, "the mixture": SDPO | TERMS | EMA}


def uneven(base: dict, algorithm: dict) -> dict:
    """Batch of nine rollouts, which two processes share unevenly, with a token that is not learnt from."""
    batch = make_batch(base, algorithm, stepKey=KEY)
    batch["rollouts"].append(batch["rollouts"][7] | {"id": "research/8"})
    batch["rollouts"][0]["lossMask"][1] = 0
    return batch


def torchrun(batch: dict, folder: Path) -> subprocess.CompletedProcess:
    """Runs a step by two processes of torchrun, into folder/two."""
    (folder / "batch.json").write_text(json.dumps(batch))
    argv = ["step", "--in", str(folder / "batch.json"), "--out", str(folder / "two")]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    return subprocess.run([*RUN, *argv], env=env, capture_output=True, text=True, timeout=240)


def agree(first: Path, second: Path) -> None:
    """Compares weights and metrics of the checkpoints in two folders."""
    one, two = (json.loads((out / KEY / "result.json").read_text()) for out in (first, second))
    for name in one["files"]:
        if name.endswith(".safetensors"):
            theirs = load_file(second / KEY / name)
            for key, tensor in load_file(first / KEY / name).items():
                assert torch.allclose(tensor, theirs[key], rtol=0, atol=1e-5), (name, key)
    assert two["metrics"] == pytest.approx(one["metrics"], rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("algorithm", CASES.values(), ids=CASES.keys())
def test_two_processes_give_the_weights_of_one(base, runtime, tmp_path, algorithm):
    batch = read_batch(json.dumps(uneven(base, algorithm)))
    run_step(batch, tmp_path / "one", runtime)
    together(lambda: run_step(batch, tmp_path / "two", runtime))
    agree(tmp_path / "one", tmp_path / "two")


def test_a_process_without_a_rollout_takes_part(base, runtime, tmp_path):
    value = uneven(base, PPO | TERMS)
    batch = read_batch(json.dumps(value | {"rollouts": value["rollouts"][:1]}))
    run_step(batch, tmp_path / "one", runtime)
    together(lambda: run_step(batch, tmp_path / "two", runtime))
    agree(tmp_path / "one", tmp_path / "two")


def test_torchrun_prints_a_refusal_once_and_ends_with_1(base, tmp_path):
    batch = uneven(base, GRPO)
    batch["rollouts"][3]["reward"] = float("nan")
    done = torchrun(batch, tmp_path)
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["refused"]["path"] == "rollouts[3].reward"


def test_another_process_than_the_first_ends_with_0_after_a_refusal(base, tmp_path, monkeypatch, capsys):
    """torchrun kills the first process, which prints the refusal, if another one fails."""
    (tmp_path / "batch.json").write_text("{")
    monkeypatch.setenv("RANK", "1")
    assert main(["step", "--in", str(tmp_path / "batch.json"), "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert json.loads(printed.err)["refused"]["code"] == "json"


def test_torchrun_gives_the_weights_of_one_process_and_prints_the_result_once(base, runtime, tmp_path):
    batch = uneven(base, PPO | TERMS)
    run_step(read_batch(json.dumps(batch)), tmp_path / "one", runtime)
    done = torchrun(batch, tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["versions"]["processes"] == 2
    agree(tmp_path / "one", tmp_path / "two")
