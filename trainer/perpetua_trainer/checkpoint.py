"""Checkpoints: folders named by their step's key, published wholly or not at all.

`checkpoint`, the hash in result.json, is over the other files; result.json itself has times, so it is left out.
"""

import json
import time
from pathlib import Path

import torch
from peft import LoraConfig
from safetensors.torch import load_file, save_file
from torch import Tensor

from . import parallel
from .batch import Adapter, Batch, Folder
from .disk.digest import hash_files, hash_folder, sha256_of_files
from .disk.publish import fsync, publish
from .input.identity import check_same
from .input.refusal import Refusal
from .model import Policy, lora_config
from .optimizer import Optimizers

RESULT = "result.json"
VALUE_HEAD, TEACHER, OPTIMIZER, RNG = "value_head.safetensors", "teacher.safetensors", "optimizer.pt", "rng.json"
ADAPTER_CONFIG = "adapter_config.json"
# All that a checkpoint can have: one of these that its result does not list was put there later, and would be loaded.
OWN = ("adapter.safetensors", "model.safetensors", ADAPTER_CONFIG, VALUE_HEAD, TEACHER, OPTIMIZER, RNG)


def weights_name(kind: str) -> str:
    return "adapter.safetensors" if kind == "lora" else "model.safetensors"


def from_disk(out: Path, batch: Batch) -> dict | None:
    """The result of a step that is done, as the first process sees it; None where it is not.

    Raises Refusal where the key is done with another batch.
    """
    folder = out / batch.step_key
    done = parallel.from_first(read_result(folder) if (folder / RESULT).exists() else None)
    if done is not None:
        check_same(done, batch)
        # Its writer may have died before the name was durable.
        fsync(out)
    return done


def read_result(folder: Path) -> dict:
    return json.loads((folder / RESULT).read_text())


def save(out: Path, batch: Batch, state: tuple[Policy, Optimizers], result: dict) -> tuple[dict, bool]:
    """Publishes a checkpoint as out/<stepKey>; returns its result, and whether this call published it.

    Where another process was first, the result is that one's.
    """

    def write(folder: Path) -> None:
        began = time.perf_counter()
        write_files(folder, batch, *state)
        files = hash_folder(folder)
        seconds = {**result["seconds"], "save": time.perf_counter() - began}
        whole = {**result, "seconds": seconds, "checkpoint": sha256_of_files(files), "files": files}
        (folder / RESULT).write_text(json.dumps(whole, indent=1, allow_nan=False) + "\n")

    first = publish(out / batch.step_key, write, RESULT)
    return read_result(out / batch.step_key), first


def write_files(folder: Path, batch: Batch, policy: Policy, optimizers: Optimizers) -> None:
    save_file(on_cpu(policy.weights), folder / weights_name(policy.adapter.kind))
    if policy.peft is not None:
        write_json(folder / ADAPTER_CONFIG, adapter_config(policy.adapter))
    if policy.value_head is not None:
        save_file(on_cpu(dict(policy.value_head.named_parameters())), folder / VALUE_HEAD)
    if policy.teacher is not None:
        save_file(on_cpu(policy.teacher), folder / TEACHER)
    torch.save(optimizers.state(), folder / OPTIMIZER)
    write_json(folder / RNG, {"seed": batch.seed, "step": policy.step})


def on_cpu(tensors: dict) -> dict[str, Tensor]:
    return {name: one.detach().cpu().contiguous() for name, one in tensors.items()}


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


# PEFT's own description has its version and keys that come and go with it: they would change the hash and the parent.
SHAPE = ("peft_type", "r", "lora_alpha", "target_modules", "bias")
CONFIG = (*SHAPE, "lora_dropout", "task_type")


def adapter_config(adapter: Adapter) -> dict:
    """The adapter as PEFT reads it: only what says which weights there are and how they are used."""
    config = lora_config(adapter).to_dict()
    chosen = {name: config[name] for name in CONFIG} | {"target_modules": sorted(config["target_modules"])}
    return chosen | {"base_model_name_or_path": None, "inference_mode": True}


def same_shape(adapter: Adapter, stored: dict) -> bool:
    """Whether a parent's adapter_config.json, of whatever version of PEFT, describes this adapter."""
    wanted = adapter_config(adapter)
    there = stored | {"target_modules": sorted(stored["target_modules"])}
    return all(there[name] == wanted[name] for name in SHAPE)


def read_adapter_config(folder: Path) -> LoraConfig:
    stored = json.loads((folder / ADAPTER_CONFIG).read_text())
    return LoraConfig(**{name: stored[name] for name in CONFIG}, inference_mode=True)


def read_parent(parent: Folder, base_sha256: str) -> dict:
    """The parent's result.json, after its files are held against the batch's hash. Raises Refusal."""
    folder = Path(parent.path)
    if not (folder / RESULT).is_file():
        raise Refusal("wrong-parent", "parent.path", f"a checkpoint with {RESULT}", parent.path)
    result = read_result(folder)
    there = sha256_of_files(hash_files(folder, {*result["files"], *OWN}))
    if there != parent.sha256:
        raise Refusal("wrong-parent", "parent.sha256", parent.sha256, there)
    if result["base"] != base_sha256:
        raise Refusal("wrong-parent", "parent.path", f"a checkpoint of the base {base_sha256}", result["base"])
    return result


def load_weights(policy: Policy, folder: Path) -> None:
    """Takes up a parent's weights, its value head and teacher where the policy has such, and its count of steps."""
    path = folder / weights_name(policy.adapter.kind)
    kind = folder / ADAPTER_CONFIG
    if not path.exists() or (policy.peft is not None and not same_shape(policy.adapter, json.loads(kind.read_text()))):
        raise Refusal("wrong-parent", "adapter", "the parent's kind, rank, alpha and targets", policy.adapter)
    copy_into(policy.weights, load_file(path))
    policy.step = json.loads((folder / RNG).read_text())["step"]
    if policy.value_head is not None and (folder / VALUE_HEAD).exists():
        copy_into(dict(policy.value_head.named_parameters()), load_file(folder / VALUE_HEAD))


def load_teacher(policy: Policy, folder: Path | None) -> None:
    """The EMA teacher of the parent; where it has none, the teacher begins as the policy itself."""
    path = None if folder is None else folder / TEACHER
    device = policy.runtime.device
    if path is not None and path.exists():
        policy.teacher = {name: one.to(device) for name, one in load_file(path).items()}
    else:
        policy.teacher = {name: one.detach().clone() for name, one in policy.weights.items()}


def load_optimizers(optimizers: Optimizers, folder: Path) -> None:
    optimizers.load(torch.load(folder / OPTIMIZER, weights_only=True))


def copy_into(parameters: dict, tensors: dict[str, Tensor]) -> None:
    if parameters.keys() != tensors.keys():
        odd = sorted(parameters.keys() ^ tensors.keys())
        raise Refusal("wrong-parent", "parent.path", "the weights that this adapter has", f"a difference in {odd[:3]}")
    with torch.no_grad():
        for name, one in parameters.items():
            one.copy_(tensors[name])
