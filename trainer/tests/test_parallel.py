"""Several processes learn what one learns."""

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
from perpetua_trainer.batch import read_batch
from perpetua_trainer.step import run_step

KEY = "7" * 64
RUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "perpetua_trainer"]
TERMS = {"epochs": 2, "klCoefficient": 0.1, "entropyCoefficient": 0.01}
EMA = {"teacher": "ema", "emaRate": 0.2, "distillationWeight": 0.5, "grpo": MIXED}
CASES = {"grpo": GRPO | TERMS, "ppo": PPO | TERMS, "the mixture": SDPO | TERMS | EMA}


def uneven(base: dict, algorithm: dict) -> dict:
    """Nine rollouts, so that shares differ, with a token that is not learnt from."""
    batch = make_batch(base, algorithm, stepKey=KEY)
    batch["rollouts"].append(batch["rollouts"][7] | {"id": "research/8"})
    batch["rollouts"][0]["lossMask"][1] = 0
    return batch


def agree(first: Path, second: Path) -> None:
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


def test_torchrun_gives_the_weights_of_one_and_says_the_result_once(base, runtime, tmp_path):
    batch = uneven(base, PPO | TERMS)
    (tmp_path / "batch.json").write_text(json.dumps(batch))
    run_step(read_batch(json.dumps(batch)), tmp_path / "one", runtime)
    words = ["step", "--in", str(tmp_path / "batch.json"), "--out", str(tmp_path / "two")]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([*RUN, *words], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = done.stdout.splitlines()
    assert json.loads(line)["versions"]["processes"] == 2
    agree(tmp_path / "one", tmp_path / "two")
