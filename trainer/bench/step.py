"""Measures a GRPO step against TRL's, on one batch and model: CPU seconds and memory, a new process for each round.

    python bench/step.py --base MODEL [--rounds 5] [--groups 2] [--samples 8] [--prompt 47] [--completion 28]
        [--device cuda] [--checkpointing]

A step is forward, backward and AdamW over low-rank weights (r 16 on q and v), with one thread in single precision.
Loading and saving are measured separately, as are the wall seconds of forward and backward of this trainer. On a GPU
all seconds are wall seconds. TRL's loss alone is timed, without TRL's loop and its recomputation of activations.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from perpetua_trainer.runtime import Runtime, torch

ENGINES = ("ours", "trl")
CLIP = {"clipLow": 0.2, "clipHigh": 0.28, "dualClip": None}
GRPO = {
    "name": "grpo",
    "epochs": 1,
    "oldLogprobs": "trainer",
    "isCap": None,
    "klCoefficient": 0,
    "entropyCoefficient": 0,
    "scaleRewards": "group",
    "stdFloor": 1e-4,
    **CLIP,
}
LORA = {"kind": "lora", "rank": 16, "alpha": 32, "targets": ["q_proj", "v_proj"], "dropout": 0}
ADAMW = {"name": "adamw", "lr": 4e-4, "betas": [0.9, 0.95], "eps": 1e-8, "weightDecay": 0, "maxGradNorm": 1.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--engine", choices=ENGINES, help="one round in this process")
    parser.add_argument("--checkpointing", action="store_true", help="of this trainer, not of TRL")
    for name, default in (("rounds", 5), ("groups", 2), ("samples", 8), ("prompt", 47), ("completion", 28)):
        parser.add_argument(f"--{name}", type=int, default=default)
    arguments = parser.parse_args()
    if arguments.engine is None:
        print(json.dumps(compare(arguments), indent=1))
        return
    runtime = Runtime(device=arguments.device)
    runtime.set_up()
    seconds = (step_of_ours if arguments.engine == "ours" else step_of_trl)(make_batch(arguments), runtime)
    tokens = arguments.groups * arguments.samples * arguments.completion
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"seconds": seconds, "tokensPerSecond": tokens / seconds["step"], "memoryBytes": memory}))


def compare(arguments: argparse.Namespace) -> dict:
    """Runs all rounds; returns their figures, and the ratios of this trainer's medians to TRL's."""
    command = [sys.executable, __file__, *sys.argv[1:]]
    found: dict[str, list[dict]] = {engine: [] for engine in ENGINES}
    for number in range(arguments.rounds):
        # Each engine runs first in every other round.
        for engine in ENGINES if number % 2 == 0 else reversed(ENGINES):
            env = os.environ | {"OMP_NUM_THREADS": "1"}
            done = subprocess.run([*command, "--engine", engine], env=env, capture_output=True, text=True)
            if done.returncode != 0:
                raise RuntimeError(done.stderr[-2000:])
            found[engine].append(json.loads(done.stdout.splitlines()[-1]))
            print(f"round {number + 1} {engine}: {found[engine][-1]}", file=sys.stderr)

    def median(engine: str, name: str) -> float:
        return statistics.median(figures[name] for figures in found[engine])

    return {
        "rounds": found,
        "speed": median("ours", "tokensPerSecond") / median("trl", "tokensPerSecond"),
        "memory": median("ours", "memoryBytes") / median("trl", "memoryBytes"),
    }


def make_batch(arguments: argparse.Namespace) -> dict:
    """Batch of random tokens: the cost of a step does not depend on their meaning."""
    base = arguments.base.absolute()
    files = json.loads((base / "manifest.json").read_text())["files"]
    lines = "".join(f"{name} {files[name]['sha256']}\n" for name in sorted(files))
    vocabulary = json.loads((base / "config.json").read_text())["vocab_size"]
    generator = torch.Generator().manual_seed(0)

    def draw(count: int) -> list[int]:
        return torch.randint(vocabulary, (count,), generator=generator).tolist()

    prompts = [draw(arguments.prompt) for _ in range(arguments.groups)]
    rollouts = [
        {
            "id": f"r/{number}",
            "group": f"g{number % arguments.groups}",
            "policyVersion": "base",
            "promptIds": prompts[number % arguments.groups],
            "completionIds": draw(arguments.completion),
            "logprobs": [-1.0] * arguments.completion,
            "lossMask": [1] * arguments.completion,
            "attentionMask": None,
            "reward": float(number % 5),
            "outcome": "completed",
            "feedback": None,
            "teacherPromptIds": None,
            "temperature": 1,
            "topP": 1,
            "topK": 0,
            "minP": 0,
            "presencePenalty": 0,
            "frequencyPenalty": 0,
            "repetitionPenalty": 1,
        }
        for number in range(arguments.groups * arguments.samples)
    ]
    template = files["chat_template.jinja"]["sha256"] if "chat_template.jinja" in files else sha256(b"").hexdigest()
    return {
        "version": 1,
        "stepKey": "0" * 64,
        "base": {"path": str(base), "sha256": sha256(lines.encode()).hexdigest()},
        "parent": None,
        "adapter": LORA,
        "algorithm": GRPO,
        "optimizer": ADAMW,
        "seed": 0,
        "tokenizer": {"sha256": files["tokenizer.json"]["sha256"], "template": template},
        "limits": {
            "maxTokens": arguments.prompt + arguments.completion,
            "microBatch": arguments.samples,
            "gradientCheckpointing": arguments.checkpointing,
        },
        "rollouts": rollouts,
    }


def clock(runtime: Runtime) -> float:
    """CPU seconds of this process. On a GPU: wall seconds, after all work of the GPU has finished."""
    if runtime.device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def step_of_ours(value: dict, runtime: Runtime) -> dict[str, float]:
    """Runs a step of this trainer; returns seconds by the name of the part."""
    from perpetua_trainer.batch import read_batch
    from perpetua_trainer.checkpoint import save
    from perpetua_trainer.step import load
    from perpetua_trainer.update import update

    batch = read_batch(json.dumps(value))
    began = clock(runtime)
    policy, optimizers = load(batch, runtime)
    loaded = clock(runtime)
    _, parts = update(policy, optimizers, batch)
    stepped = clock(runtime)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), batch, (policy, optimizers), {"seconds": {}})
    passes = {name: parts[name] for name in ("forward", "backward")}
    return {"load": loaded - began, "step": stepped - loaded, "save": clock(runtime) - stepped, **passes}


def step_of_trl(value: dict, runtime: Runtime) -> dict[str, float]:
    """Runs a step of TRL's loss; returns seconds by the name of the part."""
    import trl
    from datasets import Dataset
    from peft import LoraConfig
    from transformers import AutoModelForCausalLM, AutoTokenizer

    base, rollouts = value["base"]["path"], value["rollouts"]
    began = clock(runtime)
    settings = trl.GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        per_device_train_batch_size=len(rollouts),
        num_generations=len(rollouts) // len({one["group"] for one in rollouts}),
        epsilon=CLIP["clipLow"],
        epsilon_high=CLIP["clipHigh"],
        gradient_checkpointing=False,
        use_cpu=runtime.device == "cpu",
        bf16=False,
        report_to=[],
    )
    trainer = trl.GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32),
        reward_funcs=lambda completions, **_: [0.0] * len(completions),
        args=settings,
        train_dataset=Dataset.from_dict({"prompt": ["x"] * len(rollouts)}),
        processing_class=AutoTokenizer.from_pretrained(base),
        peft_config=LoraConfig(r=16, lora_alpha=32, target_modules=LORA["targets"], task_type="CAUSAL_LM"),
    )
    trainer.current_gradient_accumulation_steps = 1
    weights = [one for one in trainer.model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=ADAMW["lr"], foreach=False)
    device = runtime.device
    prompts = torch.tensor([one["promptIds"] for one in rollouts], device=device)
    completions = torch.tensor([one["completionIds"] for one in rollouts], device=device)
    rewards = torch.tensor([one["reward"] for one in rollouts], device=device)
    inputs = {
        "prompt_ids": prompts,
        "prompt_mask": torch.ones_like(prompts),
        "completion_ids": completions,
        "completion_mask": torch.ones_like(completions),
        "advantages": rewards - rewards.mean(),
        "num_items_in_batch": torch.tensor(float(completions.numel()), device=device),
    }
    loaded = clock(runtime)
    trainer._compute_loss(trainer.model, inputs).backward()
    torch.nn.utils.clip_grad_norm_(weights, ADAMW["maxGradNorm"])
    optimizer.step()
    return {"load": loaded - began, "step": clock(runtime) - loaded}


if __name__ == "__main__":
    main()
