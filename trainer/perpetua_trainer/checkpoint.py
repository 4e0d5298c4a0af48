"""Checkpoints: folders named by their step's key, published completely or not at all.

The hash of a checkpoint, `checkpoint` in result.json, covers all files but result.json, which has times.
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
# All files that a checkpoint can have. A file of these that the result does not list was added later, and would be
# loaded.
CHECKPOINT_FILES = ("adapter.safetensors", "model.safetensors", ADAPTER_CONFIG, VALUE_HEAD, TEACHER, OPTIMIZER, RNG)


def weights_name(kind: str) -> str:
    """Name of the file with the weights, for an adapter of a kind: lora or full."""
    return "adapter.safetensors" if kind == "lora" else "model.safetensors"


def from_disk(out: Path, batch: Batch) -> dict | None:
    """Result of a step that is done, read by the first process; None if the step is not done.

    Raises Refusal if the key is done with another batch.
    """
    folder = out / batch.step_key
    done = parallel.from_first(read_result(folder) if (folder / RESULT).exists() else None)
    if done is not None:
        check_same(done, batch)
        # The writer may have died before the name of the folder was durable.
        fsync(out)
    return done


def read_result(folder: Path) -> dict:
    return json.loads((folder / RESULT).read_text())


def save(out: Path, batch: Batch, state: tuple[Policy, Optimizers], result: dict) -> tuple[dict, bool]:
    """Publishes a checkpoint as out/<stepKey>; returns its result, and whether this call published it.

    If another process published it first, the result is that of the other process.
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
    """Writes all files of a checkpoint but result.json."""
    save_file(on_cpu(policy.weights), folder / weights_name(policy.adapter.kind))
    if policy.adapter.kind == "lora":
        write_json(folder / ADAPTER_CONFIG, adapter_config(policy.adapter))
    if policy.value_head is not None:
        save_file(on_cpu(policy.value_head.state_dict()), folder / VALUE_HEAD)
    if policy.teacher is not None:
        save_file(on_cpu(policy.teacher), folder / TEACHER)
    torch.save(optimizers.state(), folder / OPTIMIZER)
    write_json(folder / RNG, {"seed": batch.seed, "step": policy.step})


def on_cpu(tensors: dict) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")


# PEFT's own description has its version, and keys that differ between versions. They would change a checkpoint's hash.
SHAPE_KEYS = ("peft_type", "r", "lora_alpha", "target_modules", "bias")
CONFIG_KEYS = (*SHAPE_KEYS, "lora_dropout", "task_type")


def adapter_config(adapter: Adapter) -> dict:
    """adapter_config.json of an adapter, as PEFT reads it: only the keys that define the weights and their use."""
    config = lora_config(adapter).to_dict()
    chosen = {name: config[name] for name in CONFIG_KEYS} | {"target_modules": sorted(config["target_modules"])}
    return chosen | {"base_model_name_or_path": None, "inference_mode": True}


def same_shape(adapter: Adapter, stored: dict) -> bool:
    """Returns True if a parent's adapter_config.json, of any version of PEFT, describes this adapter."""
    wanted = adapter_config(adapter)
    found = stored | {"target_modules": sorted(stored["target_modules"])}
    return all(found[name] == wanted[name] for name in SHAPE_KEYS)


def read_adapter_config(folder: Path) -> LoraConfig:
    stored = json.loads((folder / ADAPTER_CONFIG).read_text())
    return LoraConfig(**{name: stored[name] for name in CONFIG_KEYS}, inference_mode=True)


def read_parent(parent: Folder, base_sha256: str, key: str = "parent") -> dict:
    """Reads the parent's result.json, after its files were compared with the batch's hash.

    key: name of the folder in the batch: parent or reference.

    Raises Refusal if the folder is no checkpoint, has another hash, or is of another base.
    """
    folder = Path(parent.path)
    if not (folder / RESULT).is_file():
        raise Refusal("wrong-parent", f"{key}.path", f"a checkpoint with {RESULT}", parent.path)
    result = read_result(folder)
    found = sha256_of_files(hash_files(folder, {*result["files"], *CHECKPOINT_FILES}))
    if found != parent.sha256:
        raise Refusal("wrong-parent", f"{key}.sha256", parent.sha256, found)
    if result["base"] != base_sha256:
        raise Refusal("wrong-parent", f"{key}.path", f"a checkpoint of the base {base_sha256}", result["base"])
    return result


def load_weights(policy: Policy, folder: Path) -> None:
    """Loads a parent's weights. Raises Refusal if the parent has another kind or shape of adapter."""
    copy_into(policy.weights, read_weights(policy, folder))


def load_reference(policy: Policy, folder: Path) -> None:
    """Loads the weights that take the place of the base. Raises Refusal as load_weights does."""
    device = policy.runtime.device
    policy.reference = {name: tensor.to(device) for name, tensor in read_weights(policy, folder).items()}


def read_weights(policy: Policy, folder: Path) -> dict[str, Tensor]:
    """Reads the weights of a checkpoint. Raises Refusal if they have another kind or shape than those that learn."""
    path = folder / weights_name(policy.adapter.kind)
    kind = folder / ADAPTER_CONFIG
    if not path.exists() or (
        policy.adapter.kind == "lora" and not same_shape(policy.adapter, json.loads(kind.read_text()))
    ):
        raise Refusal("wrong-parent", "adapter", "the parent's kind, rank, alpha and targets", policy.adapter)
    return load_file(path)


def load_progress(policy: Policy, folder: Path) -> None:
    """Loads a parent's number of steps, and its value head if the policy has one too."""
    policy.step = json.loads((folder / RNG).read_text())["step"]
    if policy.value_head is not None and (folder / VALUE_HEAD).exists():
        head = load_file(folder / VALUE_HEAD)
        # The value head of version 0.2 has other units and no moments: a new one starts in its place.
        if "moments" in head:
            copy_into(policy.value_head.state_dict(), head)


def load_teacher(policy: Policy, folder: Path | None) -> None:
    """Loads the parent's EMA teacher. Without one, the teacher starts as a copy of the policy."""
    path = None if folder is None else folder / TEACHER
    device = policy.runtime.device
    if path is not None and path.exists():
        policy.teacher = {name: tensor.to(device) for name, tensor in load_file(path).items()}
    else:
        policy.teacher = {name: weight.detach().clone() for name, weight in policy.weights.items()}


def load_optimizers(optimizers: Optimizers, folder: Path) -> None:
    optimizers.load(torch.load(folder / OPTIMIZER, weights_only=True))


def copy_into(parameters: dict, tensors: dict[str, Tensor]) -> None:
    """Copies tensors into the parameters of the same names. Raises Refusal if the names differ."""
    if parameters.keys() != tensors.keys():
        odd = sorted(parameters.keys() ^ tensors.keys())
        raise Refusal("wrong-parent", "parent.path", "the weights that this adapter has", f"a difference in {odd[:3]}")
    with torch.no_grad():
        for name, parameter in parameters.items():
            parameter.copy_(tensors[name])
