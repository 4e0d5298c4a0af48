"""Conversion of a GGUF file to a model's folder, once: the folder is named by the hash of the file."""

import json
from pathlib import Path

from .disk.digest import MANIFEST, read_manifest, sha256_of_file, sha256_of_files, write_manifest
from .disk.publish import publish, sweep
from .input.refusal import Refusal


def convert(gguf: Path, cache: Path) -> dict:
    """Returns {"path", "sha256"} of the converted model: a folder in `cache`, and its hash as in `base` of a batch.

    Weights become float32, whatever the file's quantisation. Raises Refusal if there is no such file.
    """
    if not gguf.is_file():
        raise Refusal("wrong-base", "gguf", "a GGUF file", gguf)
    final = cache.absolute() / sha256_of_file(gguf)
    if not (final / MANIFEST).exists():
        cache.mkdir(parents=True, exist_ok=True)
        sweep(cache)
        publish(final, lambda folder: write(gguf.absolute(), folder), MANIFEST)
    return {"path": str(final), "sha256": sha256_of_files(read_manifest(final))}


def write(gguf: Path, folder: Path) -> None:
    """Writes the model, its tokenizer and a manifest into the folder."""
    import torch

    from .runtime import Runtime

    # The module of Runtime also sets environment variables, which transformers reads when it is imported.
    Runtime().set_up()
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()
    source = {"pretrained_model_name_or_path": gguf.parent, "gguf_file": gguf.name, "local_files_only": True}
    AutoTokenizer.from_pretrained(**source).save_pretrained(folder)
    dense = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(**source, dtype=torch.float32, quantization_config=dense)
    # The weights are plain numbers now. With these two settings, transformers would refuse to save or load them.
    model.hf_quantizer = None
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.save_pretrained(folder)
    for name in ("config.json", "generation_config.json"):
        drop_version(folder / name)
    write_manifest(folder)


def drop_version(path: Path) -> None:
    """Removes the version of transformers from a file, so that a base's hash depends on its content alone."""
    if path.exists():
        content = json.loads(path.read_text())
        content.pop("transformers_version", None)
        path.write_text(json.dumps(content, indent=2, sort_keys=True) + "\n")
