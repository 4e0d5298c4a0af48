"""Batches over a base with a chat template, and steps by the function of the command `step`."""

import hashlib
import json
from pathlib import Path

from helpers.tiny import GRPO, make_batch
from perpetua_trainer.batch import read_batch
from perpetua_trainer.runtime import Runtime
from perpetua_trainer.step import run_step

FIRST, SECOND, THIRD = "1" * 64, "2" * 64, "3" * 64


def batch_of(base: dict, algorithm: dict = GRPO, **changes) -> dict:
    template = Path(base["path"]) / "chat_template.jinja"
    value = make_batch(base, algorithm, **({"stepKey": FIRST} | changes))
    value["tokenizer"]["template"] = hashlib.sha256(template.read_bytes()).hexdigest()
    return value


def child_of(out: Path, result: dict, value: dict, key: str = SECOND, **changes) -> dict:
    """Batch of a step with the same rollouts, from the checkpoint of a result."""
    parent = {"path": str(out / result["stepKey"]), "sha256": result["checkpoint"]}
    return {**value, "stepKey": key, "parent": parent, **changes}


def by_command(value: dict, out: Path, runtime: Runtime) -> dict:
    """Runs a step as `step --in` does; returns its result."""
    return run_step(read_batch(json.dumps(value)), out, runtime)


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "result.json"}
