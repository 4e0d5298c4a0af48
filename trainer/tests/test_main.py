"""Tests of the command line: its output and its exit codes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.tiny import make_batch
from perpetua_trainer.__main__ import main

KEY = "5" * 64


def write(folder: Path, batch: dict) -> list[str]:
    (folder / "batch.json").write_text(json.dumps(batch))
    return ["step", "--in", str(folder / "batch.json"), "--out", str(folder / "out")]


def test_a_step_ends_with_0_and_prints_the_same_result_twice(base, tmp_path, capsys):
    argv = write(tmp_path, make_batch(base, stepKey=KEY))
    assert main(argv) == 0
    first = json.loads(capsys.readouterr().out)
    assert first == json.loads((tmp_path / "out" / KEY / "result.json").read_text())
    assert main(argv) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_a_poisoned_batch_ends_with_2_and_the_reason_before_anything_is_loaded(base, tmp_path):
    batch = make_batch(base, stepKey=KEY)
    batch["rollouts"][3]["logprobs"][0] = float("nan")
    argv = write(tmp_path, batch)
    # This interpreter has no packages, so the refusal needs none.
    env = {"PYTHONPATH": str(Path(__file__).parents[1]), "PATH": os.environ["PATH"]}
    command = [sys.executable, "-S", "-m", "perpetua_trainer", *argv]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2, done.stderr
    refused = {"code": "nan", "path": "rollouts[3].logprobs[0]", "expected": "a finite number", "got": "nan"}
    assert json.loads(done.stdout) == {"refused": refused}
    assert not (tmp_path / "out").exists()


def test_a_missing_batch_ends_with_1_and_the_reason(tmp_path, capsys):
    argv = ["step", "--in", str(tmp_path / "none.json"), "--out", str(tmp_path)]
    assert main(argv) == 1
    assert "none.json" in json.loads(capsys.readouterr().out)["failed"]["message"]


def test_an_unknown_command_ends_with_2_and_prints_no_result(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["stride"])
    assert caught.value.code == 2
    assert capsys.readouterr().out == ""


def test_check_prints_versions_and_a_gradient(base, capsys):
    assert main(["check", "--base", base["path"]]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    assert found["versions"]["device"] == "cpu"
    assert found["gradient"] > 0
    assert found["base"] == base


def test_check_reads_every_byte_of_a_base(base, tmp_path, capsys):
    for path in Path(base["path"]).iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    weights = tmp_path / "model.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    assert main(["check", "--base", str(tmp_path)]) == 2
    assert json.loads(capsys.readouterr().out)["refused"]["path"] == str(weights)
