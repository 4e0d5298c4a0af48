"""The command `check`: reports versions and devices, computes a gradient, and verifies the files of a base."""

from pathlib import Path

import torch

from .disk.digest import MANIFEST, hash_folder, read_manifest, sha256_of_files
from .input.refusal import Refusal
from .runtime import Runtime


def check(runtime: Runtime, base: Path | None) -> dict:
    """Returns the report. Raises Refusal if the base's files are not those of its manifest, RuntimeError if the device
    computes no gradient.
    """
    gpus = [torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count())]
    found = {"ok": True, "versions": runtime.versions(), "gpus": gpus, "gradient": gradient(runtime)}
    if base is not None:
        found["base"] = {"path": str(base.absolute()), "sha256": verified_hash(base)}
    return found


def gradient(runtime: Runtime) -> float:
    """Largest gradient of the loss of a small model. Raises RuntimeError if it is 0 or not finite."""
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes = {"vocab_size": 16, "hidden_size": 8, "intermediate_size": 16}
    layers = {"num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    model = LlamaForCausalLM(LlamaConfig(**sizes, **layers)).to(runtime.device, runtime.dtype)
    ids = torch.arange(8, device=runtime.device)[None]
    model(input_ids=ids, labels=ids).loss.backward()
    largest = max(float(parameter.grad.abs().max()) for parameter in model.parameters())
    if not 0 < largest < float("inf"):
        raise RuntimeError(f"expected a finite gradient above 0 on {runtime.device}, got {largest}")
    return largest


def verified_hash(base: Path) -> str:
    """Hash of a base, after every byte was read. Raises Refusal if a file differs from the manifest."""
    by_manifest, there = read_manifest(base), hash_folder(base, (MANIFEST,))
    for name in sorted(by_manifest.keys() | there.keys()):
        if by_manifest.get(name) != there.get(name):
            wanted, got = by_manifest.get(name, "no such file"), there.get(name, "no such file")
            raise Refusal("wrong-base", str(base / name), wanted, got)
    return sha256_of_files(there)
