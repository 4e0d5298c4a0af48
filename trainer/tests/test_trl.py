"""Tests of GRPO against TRL's: the same loss and gradients on one batch and model."""

import json
from pathlib import Path

import pytest
import torch

from helpers.tiny import GRPO, load_model, make_batch, plain_logprobs
from perpetua_trainer.batch import read_batch
from perpetua_trainer.forward import blocks_of, score
from perpetua_trainer.model import Policy
from perpetua_trainer.objective.loss import block_loss, fix_old
from perpetua_trainer.objective.state import Update, Work, advantages_of, learnt_tokens
from perpetua_trainer.update import prepare

trl = pytest.importorskip("trl")

PAD = 0
CASES = {
    "plain": {},
    "dual clip, KL and entropy": {"dualClip": 1.5, "klCoefficient": 0.2, "entropyCoefficient": 0.05},
    "stale samples": {"oldLogprobs": "sampler", "isCap": None},
    "stale samples with dual clip": {"oldLogprobs": "sampler", "isCap": None, "dualClip": 1.4},
}


@pytest.fixture(scope="module")
def make_trainer(base, tmp_path_factory):
    from datasets import Dataset
    from transformers import PreTrainedTokenizerFast

    def make(model, algorithm: dict):
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(Path(base["path"]) / "tokenizer.json"))
        tokenizer.pad_token = tokenizer.eos_token = "w0"
        settings = trl.GRPOConfig(
            output_dir=str(tmp_path_factory.mktemp("trl")),
            per_device_train_batch_size=8,
            num_generations=4,
            max_completion_length=6,
            loss_type="dapo",
            beta=algorithm["klCoefficient"],
            epsilon=algorithm["clipLow"],
            epsilon_high=algorithm["clipHigh"],
            delta=algorithm["dualClip"],
            # With this option, TRL would multiply k3 by the ratio.
            use_bias_correction_kl=False,
            entropy_coef=algorithm["entropyCoefficient"],
            gradient_checkpointing=False,
            use_cpu=True,
            bf16=False,
            report_to=[],
        )
        trainer = trl.GRPOTrainer(
            model=model,
            reward_funcs=lambda completions, **_: [0.0] * len(completions),
            args=settings,
            train_dataset=Dataset.from_dict({"prompt": ["w1"] * 8}),
            processing_class=tokenizer,
        )
        trainer.current_gradient_accumulation_steps = 1
        return trainer

    return make


@pytest.mark.parametrize("changes", CASES.values(), ids=CASES.keys())
def test_loss_and_gradients_are_those_of_trl(base, runtime, make_trainer, changes):
    value = make_batch(base, GRPO | changes, adapter={"kind": "full"})
    generator = torch.Generator().manual_seed(3)
    for one in value["rollouts"]:
        shifts = 0.5 * torch.randn(len(one["logprobs"]), generator=generator)
        one["logprobs"] = [min(old + shift, 0.0) for old, shift in zip(one["logprobs"], shifts.tolist(), strict=True)]
    value["rollouts"][2]["lossMask"][1] = 0
    batch = read_batch(json.dumps(value))

    policy = Policy(Path(base["path"]), batch.adapter, batch.seed, runtime)
    drift(policy.model)
    run = Update(policy, batch, advantages_of(batch), learnt_tokens(batch), 0.0)
    works = [Work(block) for block in blocks_of(batch.rollouts, list(range(8)), 8, "cpu")]
    prepare(run, works)
    loss = sum(one_loss(run, work) for work in works)
    loss.backward()

    model = load_model.__wrapped__(base["path"])
    drift(model)
    trainer = make_trainer(model, value["algorithm"])
    inputs = inputs_of(base, batch, run)
    if batch.algorithm.is_cap is not None:
        # TRL uses these weights only with vLLM.
        trainer.use_vllm = True
        inputs["importance_sampling_ratio"] = weights_of(model, batch)
    theirs = trainer._compute_loss(model, inputs)
    theirs.backward()

    assert loss.item() == pytest.approx(theirs.item(), abs=1e-6)
    gradients = dict(model.named_parameters())
    for name, one in policy.weights.items():
        assert torch.allclose(one.grad, gradients[name].grad, rtol=1e-4, atol=1e-4 * float(one.grad.abs().max())), name


def drift(model: torch.nn.Module) -> None:
    """Moves the policy away from the base, so that the KL divergence is above 0."""
    generator = torch.Generator().manual_seed(8)
    with torch.no_grad():
        for _, one in sorted(model.named_parameters()):
            one.add_(0.01 * torch.randn(one.shape, generator=generator))


def one_loss(run: Update, work: Work) -> torch.Tensor:
    scores = score(run.policy.model, work.block, entropy_learns=True)
    fix_old(run, work, scores, 0)
    return block_loss(run, work, scores)


def weights_of(model, batch) -> torch.Tensor:
    """Importance weights [B, longest completion]: min(exp(trainer − sampler), cap), padded with 0."""
    width = max(len(one.completion_ids) for one in batch.rollouts)
    weights = torch.zeros(len(batch.rollouts), width)
    for row, one in enumerate(batch.rollouts):
        mine = plain_logprobs(model, one.prompt_ids, one.completion_ids)
        weights[row, : len(mine)] = torch.exp(mine - torch.tensor(one.logprobs)).clamp(max=batch.algorithm.is_cap)
    assert (weights == batch.algorithm.is_cap).any(), "no weight was truncated"
    return weights


def inputs_of(base: dict, batch, run: Update) -> dict:
    """A batch in the form of TRL: prompts padded on the left, completions on the right."""
    prompts = max(len(one.prompt_ids) for one in batch.rollouts)
    width = max(len(one.completion_ids) for one in batch.rollouts)

    def left(one, items):
        return [PAD] * (prompts - len(items)) + items

    def right(items, pad=0):
        return items + [pad] * (width - len(items))

    reference = load_model(base["path"])
    whole = blocks_of(batch.rollouts, list(range(8)), 1, "cpu")
    with torch.no_grad():
        of_reference = [score(reference, block).logprobs[0].tolist() for block in whole]
    inputs = {
        "prompt_ids": torch.tensor([left(one, one.prompt_ids) for one in batch.rollouts]),
        "prompt_mask": torch.tensor([left(one, [1] * len(one.prompt_ids)) for one in batch.rollouts]),
        "completion_ids": torch.tensor([right(one.completion_ids) for one in batch.rollouts]),
        "completion_mask": torch.tensor([right([1] * len(one.completion_ids)) for one in batch.rollouts]),
        "tool_mask": torch.tensor([right(one.loss_mask) for one in batch.rollouts]),
        "advantages": run.advantages,
        "ref_per_token_logps": torch.tensor([right(one, 0.0) for one in of_reference]),
        "num_items_in_batch": torch.tensor(run.tokens),
    }
    sampler = torch.tensor([right(one.logprobs, 0.0) for one in batch.rollouts])
    if batch.algorithm.old_logprobs == "sampler":
        inputs["old_per_token_logps"] = sampler
    return inputs
