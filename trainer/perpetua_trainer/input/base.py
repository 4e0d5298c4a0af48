"""Comparison of the base model's folder with the batch, before any weight is loaded."""

import json
from hashlib import sha256
from pathlib import Path

from ..batch import Batch
from ..disk.digest import read_manifest, sha256_of_files
from .refusal import Refusal


def check_base(batch: Batch) -> None:
    """Raises Refusal if the folder or its tokenizer has another hash, or if a rollout does not fit the model."""
    folder = Path(batch.base.path)
    if not (folder / "config.json").is_file():
        raise Refusal("wrong-base", "base.path", "a model's folder with config.json", batch.base.path)
    files = read_manifest(folder)
    if sha256_of_files(files) != batch.base.sha256:
        raise Refusal("wrong-base", "base.sha256", batch.base.sha256, sha256_of_files(files))
    check_tokenizer(batch, files)
    check_tokens(batch, json.loads((folder / "config.json").read_text()))


def check_tokenizer(batch: Batch, files: dict[str, str]) -> None:
    """Compares the hashes of tokenizer and chat template. A missing file counts as empty. Raises Refusal."""
    for key, name, wanted in (
        ("tokenizer.sha256", "tokenizer.json", batch.tokenizer_sha256),
        ("tokenizer.template", "chat_template.jinja", batch.template_sha256),
    ):
        found = files.get(name, sha256(b"").hexdigest())
        if found != wanted:
            raise Refusal("wrong-tokenizer", key, f"{found}, that of the base's {name}", wanted)


def check_tokens(batch: Batch, config: dict) -> None:
    """Raises Refusal for a token outside the vocabulary, or a prompt and completion longer than the model takes."""
    vocabulary, longest = config["vocab_size"], config.get("max_position_embeddings")
    for index, rollout in enumerate(batch.rollouts):
        for key, ids in (
            ("promptIds", rollout.prompt_ids),
            ("completionIds", rollout.completion_ids),
            ("teacherPromptIds", rollout.teacher_prompt_ids or [0]),
        ):
            if max(ids) >= vocabulary:
                path = f"rollouts[{index}].{key}[{ids.index(max(ids))}]"
                raise Refusal("vocabulary", path, f"a token below {vocabulary}", max(ids))
            length = len(ids) + (0 if key == "completionIds" else len(rollout.completion_ids))
            if longest is not None and length > longest:
                raise Refusal("over-long", f"rollouts[{index}].{key}", f"at most {longest}, the model's", length)
