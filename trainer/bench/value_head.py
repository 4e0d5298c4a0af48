"""Measures PPO's value head on the task lr-knob, without the rest of Perpetua.

    python bench/value_head.py run --base MODEL --out FILE [--updates 16] [--seed 1] [--stop] [--value NAME=NUMBER ...]
    python bench/value_head.py replay FILE [FILE ...]

`run` samples 16 answers, trains one PPO step, and repeats. It prints a line for each update, and stores the hidden
states of the answers with the rewards. `replay` trains value heads with other settings on the stored states, by the
trainer's own functions, and prints a table. The policy stays that of the run: a value head does not move hidden states,
only advantages.
"""

import argparse
import json
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1]))
from perpetua_trainer.advantages import gae
from perpetua_trainer.batch import Folder, Optimizer, read_batch
from perpetua_trainer.disk.digest import read_manifest, sha256_of_files
from perpetua_trainer.forward import blocks_of, score
from perpetua_trainer.losses.ppo import value_loss
from perpetua_trainer.metrics import explained_variance
from perpetua_trainer.optimizer import adamw
from perpetua_trainer.runtime import Runtime, torch
from perpetua_trainer.serve.sample import Row, sample
from perpetua_trainer.serve.tokens import Tokens
from perpetua_trainer.step import load
from perpetua_trainer.update import update
from perpetua_trainer.weights.value_head import ValueHead

TASK = Path(__file__).parents[2] / "tasks" / "lr-knob"
SAMPLES, MAX_TOKENS, START = 16, 8, "lr ="
PPO = {
    "name": "ppo",
    "epochs": 1,
    "oldLogprobs": "trainer",
    "isCap": 2,
    "klCoefficient": 0,
    "entropyCoefficient": 0.01,
    "clipLow": 0.2,
    "clipHigh": 0.28,
    "dualClip": 3,
    "gamma": 1,
    "lambda": 0.95,
    "whitenAdvantages": True,
    "valueClip": 0.2,
    "valueCoefficient": 0.5,
    "valueLr": 0.2,
}
LORA = {"kind": "lora", "rank": 16, "alpha": 32, "targets": ["q_proj", "v_proj"], "dropout": 0}
ADAMW = {"name": "adamw", "lr": 4e-4, "betas": [0.9, 0.95], "eps": 1e-8, "weightDecay": 0, "maxGradNorm": 1.0}
REWARDS = """
import { learn } from './workspace/learn.mjs';
import { improvementOf } from './evaluator/rate.mjs';
let text = '';
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const valueOf = ({ lr, seed }) => {
    const { parameters } = learn({ seed, lr });
    return parameters === null ? -1 : improvementOf(Array.from(parameters));
  };
  console.log(JSON.stringify(JSON.parse(text).map(valueOf)));
});
"""


def rewards_of(texts: list[str], seeds: list[int]) -> list[float]:
    """Rewards of answers; -1 for an answer without a value in the knob's range."""
    found = [re.match(r"\s*(\d+(\.\d+)?([eE][-+]?\d+)?)", text) for text in texts]
    rates = [float(match[1]) if match else 0.0 for match in found]
    runs = [{"lr": rate, "seed": seed} for rate, seed in zip(rates, seeds, strict=True)]
    node = ["node", "--input-type=module", "-e", REWARDS]
    done = subprocess.run(node, input=json.dumps(runs), capture_output=True, text=True, check=True, cwd=TASK)
    values = json.loads(done.stdout)
    return [value if 1e-4 <= rate <= 10 else -1.0 for value, rate in zip(values, rates, strict=True)]


def run(arguments: argparse.Namespace) -> None:
    runtime = Runtime()
    runtime.set_up()
    algorithm = PPO | {name: json.loads(value) for name, value in (one.split("=") for one in arguments.value)}
    folder = arguments.base.absolute()
    base = {"path": str(folder), "sha256": sha256_of_files(read_manifest(folder))}
    template, state, tokens = template_of(base, algorithm, arguments.seed), None, None
    random, recorded = Random(f"value/{arguments.seed}"), []
    for number in range(arguments.updates):
        if state is None:
            first = template | {"rollouts": [rollout_of(0, [0], [0], [-1.0], 0.0)]}
            state = load(read_batch(json.dumps(first)), runtime)
            tokens = Tokens(Folder(**base), state[0].model.config, state[0].model.generation_config)
        prompt = tokens.of_text(f"{(TASK / 'prompt.md').read_text().strip()}\n\n{START}")
        rows = draw(state[0].model, tokens, prompt, random, ("\n",) if arguments.stop else ())
        rewards = rewards_of([tokens.text(row.tokens) for row in rows], [random.randrange(2**31) for _ in rows])
        key = sha256(f"{arguments.seed}/{number}".encode()).hexdigest()
        rollouts = [
            rollout_of(index, prompt, row.tokens, row.logprobs, reward)
            for index, (row, reward) in enumerate(zip(rows, rewards, strict=True))
        ]
        batch = read_batch(json.dumps(template | {"stepKey": key, "rollouts": rollouts}))
        recorded.append(states_of(state[0], batch))
        metrics, _ = update(*state, batch)
        names = ("rewardMean", "valueLoss", "explainedVariance", "entropy", "gradNorm")
        print(json.dumps({"update": number + 1} | {name: round(metrics.get(name, 0), 3) for name in names}), flush=True)
        torch.save(recorded, arguments.out)


def template_of(base: dict, algorithm: dict, seed: int) -> dict:
    files = read_manifest(Path(base["path"]))
    return {
        "version": 1,
        "stepKey": "0" * 64,
        "base": base,
        "parent": None,
        "adapter": LORA,
        "algorithm": algorithm,
        "optimizer": ADAMW,
        "seed": seed,
        "tokenizer": {"sha256": files["tokenizer.json"], "template": files["chat_template.jinja"]},
        "limits": {"maxTokens": 4096, "microBatch": 8},
    }


def rollout_of(index: int, prompt: list[int], completion: list[int], logprobs: list[float], reward: float) -> dict:
    neutral = {"temperature": 1, "topP": 1, "topK": 0, "minP": 0}
    penalties = {"presencePenalty": 0, "frequencyPenalty": 0, "repetitionPenalty": 1}
    return {
        "id": f"r/{index}",
        "group": "g",
        "policyVersion": "base",
        "promptIds": prompt,
        "completionIds": completion,
        "logprobs": logprobs,
        "lossMask": [1] * len(completion),
        "attentionMask": None,
        "reward": reward,
        "outcome": "completed",
        "feedback": None,
        "teacherPromptIds": None,
        **neutral,
        **penalties,
    }


def draw(model, tokens: Tokens, prompt: list[int], random: Random, stops: tuple[str, ...]) -> list[Row]:
    """Draws the answers of an update."""
    rows = [Row(tuple(prompt), MAX_TOKENS, 1.0, 1.0, stops, Random(random.random())) for _ in range(SAMPLES)]

    def finish_of(row: Row) -> str | None:
        if row.tokens[-1] in tokens.ends or any(stop in tokens.text(row.tokens) for stop in row.stops):
            return "stop"
        return "length" if len(row.tokens) >= row.max_tokens else None

    sample(model, rows, finish_of)
    return rows


def states_of(policy, batch) -> list[tuple]:
    """Hidden states [C, H] of each rollout's tokens, and its reward."""
    found = {}
    for block in blocks_of(batch.rollouts, list(range(len(batch.rollouts))), batch.micro_batch, "cpu"):
        with torch.no_grad():
            hidden = score(policy.model, block).hidden.float()
        for place, row in enumerate(block.rows):
            found[row] = hidden[place, : len(batch.rollouts[row].completion_ids)].clone()
    return [(found[row], one.reward) for row, one in enumerate(batch.rollouts)]


class RawInput(ValueHead):
    """A value head that reads hidden states as they are, with a bias."""

    def __init__(self, width: int):
        super().__init__(width)
        self.bias = torch.nn.Parameter(torch.zeros(1))

    def forward(self, hidden):
        return hidden.float() @ self.weight + self.bias


class RawReturns(ValueHead):
    """A value head that predicts returns in units of reward."""

    def mean_and_spread(self):
        return torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)


class Raw(RawInput, RawReturns):
    """The value head of version 0.2."""


# Name, value head, its learning rate and valueClip, factors of the rewards and of the hidden states.
REPLAYS = (
    ("0.2", Raw, 0.01, 0.2, 1, 1),
    ("not clipped", Raw, 0.01, None, 1, 1),
    ("lower rate", Raw, 0.0003, 0.2, 1, 1),
    ("lower rate, rewards / 100", Raw, 0.0003, 0.2, 0.01, 1),
    ("lower rate, states x 20", Raw, 0.0003, 0.2, 1, 20),
    ("returns normalised", RawInput, 0.01, 0.2, 1, 1),
    ("returns normalised, lower rate", RawInput, 0.0003, 0.2, 1, 1),
    ("the same, states x 20", RawInput, 0.0003, 0.2, 1, 20),
    ("states normalised", RawReturns, 0.2, 0.2, 1, 1),
    ("the same, rewards / 100", RawReturns, 0.2, 0.2, 0.01, 1),
    ("both", ValueHead, 0.2, 0.2, 1, 1),
    ("both, rewards / 100, states x 20", ValueHead, 0.2, 0.2, 0.01, 20),
    ("both, not clipped", ValueHead, 0.2, None, 1, 1),
    ("both, rate 0.05", ValueHead, 0.05, 0.2, 1, 1),
    ("both, rate 1", ValueHead, 1.0, 0.2, 1, 1),
)


def replay(arguments: argparse.Namespace) -> None:
    """Prints a table: for each file, the loss of the first update, the largest, and the lowest explained variance.

    Losses are halves of the mean squared error, in squared units of the recorded rewards.
    """
    Runtime().set_up()
    recordings = [torch.load(path) for path in arguments.files]
    for name, kind, lr, clip, rewards, states in REPLAYS:
        columns = []
        for recording in recordings:
            batches = [[(states * hidden, rewards * reward) for hidden, reward in batch] for batch in recording]
            found = train(kind(batches[0][0][0].shape[1]), batches, lr, clip)
            losses = [loss / rewards**2 for loss, _ in found]
            late = [explained for _, explained in found[len(found) // 2 :]]
            lowest = min(explained for _, explained in found)
            columns.append(f"{losses[0]:.2f} {max(losses[1:]):.2f} {lowest:.2f} {sum(late) / len(late):.2f}")
        print(f"| {name} | {' | '.join(columns)} |")


def train(head: ValueHead, batches: list[list[tuple]], lr: float, clip: float | None) -> list[tuple[float, float]]:
    """Trains a value head; returns the loss and the explained variance before each update."""
    betas = (ADAMW["betas"][0], ADAMW["betas"][1])
    optimizer = adamw(list(head.parameters()), Optimizer(lr, betas, 1e-8, 0, 1.0), lr, 0.0)
    found = []
    for batch in batches:
        head.observe(torch.tensor([reward for _, reward in batch], dtype=torch.float64))
        with torch.no_grad():
            values = [head.values(hidden) for hidden, _ in batch]
        returns = [returns_of(one, reward) for one, (_, reward) in zip(values, batch, strict=True)]
        before, targets = torch.cat(values), torch.cat(returns)
        found.append((float((before - targets).pow(2).mean() / 2), explained_variance(before, targets) or 0.0))
        optimizer.zero_grad()
        values_now = head(torch.cat([hidden for hidden, _ in batch]))
        losses = value_loss(values_now, head.normalise(before), head.normalise(targets), clip)
        (PPO["valueCoefficient"] * losses.mean()).backward()
        torch.nn.utils.clip_grad_norm_(head.parameters(), ADAMW["maxGradNorm"])
        optimizer.step()
    return found


def returns_of(values, reward: float):
    """Returns [C] of an episode whose last token has the reward."""
    rewards = torch.zeros(len(values))
    rewards[-1] = reward
    return gae(rewards, values, PPO["gamma"], PPO["lambda"])[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    of_run = commands.add_parser("run")
    of_run.set_defaults(call=run)
    of_run.add_argument("--base", type=Path, required=True)
    of_run.add_argument("--out", type=Path, required=True)
    of_run.add_argument("--updates", type=int, default=16)
    of_run.add_argument("--seed", type=int, default=1)
    of_run.add_argument("--stop", action="store_true", help="an answer ends with its line")
    of_run.add_argument("--value", action="append", default=[])
    of_replay = commands.add_parser("replay")
    of_replay.set_defaults(call=replay)
    of_replay.add_argument("files", type=Path, nargs="+")
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
