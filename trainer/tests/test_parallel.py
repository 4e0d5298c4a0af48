"""Two processes of torchrun learn what one learns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers.tiny import PPO, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.step import run_step

KEY = "7" * 64
RUN = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "perpetua_trainer"]


def test_two_processes_give_the_weights_of_one(base, runtime, tmp_path):
    # Two epochs: the second one starts from what the first made. PPO has all that is exchanged.
    batch = make_batch(base, PPO | {"epochs": 2, "klCoefficient": 0.1, "entropyCoefficient": 0.01}, stepKey=KEY)
    # Unequal shares: 5 and 4 rollouts, with a token that is not learnt from.
    batch["rollouts"].append(batch["rollouts"][7] | {"id": "research/8"})
    batch["rollouts"][0]["lossMask"][1] = 0
    (tmp_path / "batch.json").write_text(json.dumps(batch))
    alone = run_step(read_batch(json.dumps(batch)), tmp_path / "one", runtime)

    words = ["step", "--in", str(tmp_path / "batch.json"), "--out", str(tmp_path / "two")]
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    done = subprocess.run([*RUN, *words], env=env, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    (line,) = done.stdout.splitlines()
    together = json.loads(line)

    assert together["versions"]["processes"] == 2
    for name in ("adapter.safetensors", "value_head.safetensors"):
        first, second = load_file(tmp_path / "one" / KEY / name), load_file(tmp_path / "two" / KEY / name)
        for key, one in first.items():
            assert torch.allclose(one, second[key], rtol=0, atol=1e-5), key
    assert together["metrics"].keys() == alone["metrics"].keys()
    for key, one in alone["metrics"].items():
        assert together["metrics"][key] == pytest.approx(one, rel=1e-4, abs=1e-5), key
