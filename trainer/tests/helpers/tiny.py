"""Folder of a tiny model, and batches over it."""

import copy
import functools
import hashlib
from pathlib import Path

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM

from perpetua_trainer.disk.digest import write_manifest

VOCABULARY = 48

GRPO = {
    "name": "grpo",
    "epochs": 1,
    "oldLogprobs": "trainer",
    "isCap": 2.0,
    "klCoefficient": 0.0,
    "entropyCoefficient": 0.0,
    "scaleRewards": "group",
    "stdFloor": 1e-4,
    "clipLow": 0.2,
    "clipHigh": 0.28,
    "dualClip": None,
}
COMMON = {name: GRPO[name] for name in ("epochs", "oldLogprobs", "isCap", "klCoefficient", "entropyCoefficient")}
PPO = {
    **COMMON,
    "name": "ppo",
    "clipLow": 0.2,
    "clipHigh": 0.2,
    "dualClip": None,
    "gamma": 1.0,
    "lambda": 0.95,
    "whitenAdvantages": True,
    "valueClip": 0.2,
    "valueCoefficient": 0.5,
    "valueLr": 1e-2,
}
SDPO = {
    **COMMON,
    "name": "sdpo",
    "distillation": "full-logits",
    "topK": None,
    "teacher": "base",
    "emaRate": None,
    "ratioCap": 2.0,
    "distillationWeight": 1.0,
    "grpo": None,
}
MIXED = {name: GRPO[name] for name in ("scaleRewards", "stdFloor", "clipLow", "clipHigh", "dualClip")}


def make_base(folder: Path) -> dict:
    """Writes a Llama of about 30,000 random weights and its tokenizer; returns {"path", "sha256"}."""
    torch.manual_seed(7)
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2}
    config = LlamaConfig(**sizes, num_attention_heads=4, num_key_value_heads=2, initializer_range=0.2)
    LlamaForCausalLM(config).save_pretrained(folder)
    words = {f"w{number}": number for number in range(VOCABULARY)}
    Tokenizer(models.WordLevel(words, unk_token="w0")).save(str(folder / "tokenizer.json"))
    return {"path": str(folder), "sha256": write_manifest(folder)}


CHAT = "{% for one in messages %}w1 {{ one.content }} {% endfor %}{% if add_generation_prompt %}w3{% endif %}"


def add_chat(folder: Path) -> dict:
    """Adds a chat template to a base, and a tokenizer that splits at spaces; returns its {"path", "sha256"}."""
    (folder / "manifest.json").unlink()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(CHAT)
    return {"path": str(folder), "sha256": write_manifest(folder)}


def make_batch(base: dict, algorithm: dict = GRPO, **changes) -> dict:
    """Batch of eight rollouts in two groups: completions of 3 to 6 random tokens, with the base's log-probabilities."""
    generator = torch.Generator().manual_seed(11)
    prompts = {"g0": draw(generator, 9), "g1": draw(generator, 5)}
    rollouts = [make_rollout(generator, number, prompts) for number in range(8)]
    model = load_model(base["path"])
    for rollout in rollouts:
        rollout["logprobs"] = plain_logprobs(model, rollout["promptIds"], rollout["completionIds"]).tolist()
    return {
        "version": 1,
        "stepKey": hashlib.sha256(repr(changes).encode()).hexdigest(),
        "base": dict(base),
        "parent": None,
        "adapter": {"kind": "lora", "rank": 4, "alpha": 8, "targets": ["q_proj", "v_proj"], "dropout": 0},
        "algorithm": copy.deepcopy(algorithm),
        "optimizer": {
            "name": "adamw",
            "lr": 1e-2,
            "betas": [0.9, 0.95],
            "eps": 1e-8,
            "weightDecay": 0,
            "maxGradNorm": 1.0,
        },
        "seed": 5,
        "tokenizer": {
            "sha256": hashlib.sha256((Path(base["path"]) / "tokenizer.json").read_bytes()).hexdigest(),
            "template": hashlib.sha256(b"").hexdigest(),
        },
        "limits": {"maxTokens": 64, "microBatch": 8},
        "rollouts": rollouts,
        **changes,
    }


def draw(generator: torch.Generator, count: int) -> list[int]:
    return torch.randint(VOCABULARY, (count,), generator=generator).tolist()


def make_rollout(generator: torch.Generator, number: int, prompts: dict) -> dict:
    group = f"g{number // 4}"
    completion = draw(generator, 3 + number % 4)
    return {
        "id": f"research/{number}",
        "group": group,
        "policyVersion": "base",
        "promptIds": prompts[group],
        "completionIds": completion,
        "logprobs": [],
        "lossMask": [1] * len(completion),
        "attentionMask": None,
        "reward": round(float(torch.randn((), generator=generator)), 3),
        "outcome": "completed",
        "feedback": None,
        "teacherPromptIds": prompts[group] + draw(generator, 4) if number % 4 != 3 else None,
        "temperature": 1,
        "topP": 1,
        "topK": 0,
        "minP": 0,
        "presencePenalty": 0,
        "frequencyPenalty": 0,
        "repetitionPenalty": 1,
    }


@functools.cache
def load_model(path: str) -> LlamaForCausalLM:
    return LlamaForCausalLM.from_pretrained(path)


def plain_logprobs(model, prompt: list[int], completion: list[int]) -> torch.Tensor:
    """Log-probabilities [C] by one pass without cache, padding or mask: a reference for forward.py."""
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]
    return torch.log_softmax(logits, -1).gather(-1, torch.tensor(completion)[:, None])[:, 0]
