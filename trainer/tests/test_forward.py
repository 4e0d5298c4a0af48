"""Tests of scores of completions against one plain pass for each rollout."""

import json

import pytest
import torch
from transformers import AutoModelForCausalLM

from helpers.tiny import make_batch, plain_logprobs
from perpetua_trainer.batch import read_batch
from perpetua_trainer.forward import Scores, blocks_of, checkpointed_layers, score
from perpetua_trainer.input.refusal import Refusal


@pytest.fixture(scope="module")
def model(base):
    return AutoModelForCausalLM.from_pretrained(base["path"]).eval()


def rollouts_of(value: dict):
    return read_batch(json.dumps(value)).rollouts


def test_a_shared_prompt_gives_the_log_probabilities_of_a_plain_pass(base, model):
    rollouts = rollouts_of(make_batch(base))
    for size in (1, 3, 8):
        blocks = blocks_of(rollouts, list(range(8)), size, "cpu")
        assert sorted(row for block in blocks for row in block.rows) == list(range(8))
        for block in blocks:
            scores = score(model, block)
            for place, row in enumerate(block.rows):
                count = len(rollouts[row].completion_ids)
                expected = plain_logprobs(model, rollouts[row].prompt_ids, rollouts[row].completion_ids)
                assert torch.allclose(scores.logprobs[place, :count], expected, atol=2e-6)


def test_a_shared_prompt_gives_the_gradient_of_a_plain_pass(base, model):
    rollouts = rollouts_of(make_batch(base))[:4]
    model.zero_grad()
    (block,) = blocks_of(rollouts, [0, 1, 2, 3], 4, "cpu")
    (score(model, block).logprobs * block.learnt).sum().backward()
    shared = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    for rollout in rollouts:
        logits = model(input_ids=torch.tensor([rollout.prompt_ids + rollout.completion_ids])).logits[0]
        chosen = torch.log_softmax(logits[len(rollout.prompt_ids) - 1 : -1], -1)
        chosen.gather(-1, torch.tensor(rollout.completion_ids)[:, None]).sum().backward()
    for name, parameter in model.named_parameters():
        assert torch.allclose(shared[name], parameter.grad, rtol=1e-4, atol=1e-4), name


def gradients(model, block, checkpointing: bool) -> tuple[Scores, dict, int]:
    """Scores, gradients by name, and the bytes that the forward pass keeps for the backward pass."""
    kept = []
    model.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(lambda one: kept.append(one.nbytes) or one, lambda one: one):
        scores = score(model, block, True, checkpointing)
    ((scores.logprobs + scores.entropy) * block.learnt).sum().backward()
    assert not any(module.training for module in model.modules())
    return scores, {name: one.grad.clone() for name, one in model.named_parameters()}, sum(kept)


def test_gradient_checkpointing_gives_the_same_gradient_and_keeps_less(base, model):
    value = make_batch(base)
    for rollout in value["rollouts"][:4]:
        rollout["teacherPromptIds"] = None
        rollout["attentionMask"] = [1] * (len(rollout["promptIds"]) + len(rollout["completionIds"]))
        rollout["attentionMask"][2] = 0
    rollouts = rollouts_of(value)
    for block in blocks_of(rollouts, list(range(8)), 4, "cpu"):
        scores, plain, kept = gradients(model, block, checkpointing=False)
        others, found, fewer = gradients(model, block, checkpointing=True)
        assert torch.allclose(scores.logprobs, others.logprobs, atol=2e-6)
        shown = block.attended[..., None]
        assert torch.allclose(scores.hidden * shown, others.hidden * shown, atol=1e-5)
        for name, gradient in plain.items():
            assert torch.allclose(gradient, found[name], rtol=1e-4, atol=1e-4), name
        assert fewer < 0.7 * kept


def test_gradient_checkpointing_of_a_model_that_lacks_it_is_refused():
    with pytest.raises(Refusal) as caught, checkpointed_layers(torch.nn.Linear(2, 2)):
        pass
    assert (caught.value.code, caught.value.path) == ("settings", "limits.gradientCheckpointing")


def test_gradient_checkpointing_of_layers_without_full_attention_is_refused(base, model, monkeypatch):
    monkeypatch.setattr(model.config, "layer_types", ["full_attention", "linear_attention"], raising=False)
    (block, *_) = blocks_of(rollouts_of(make_batch(base)), [0], 8, "cpu")
    with pytest.raises(Refusal) as caught:
        score(model, block, checkpointing=True)
    assert caught.value.path == "limits.gradientCheckpointing"


def test_the_loss_mask_does_not_change_the_input_of_the_model(base, model):
    value = make_batch(base)
    (block, *_) = blocks_of(rollouts_of(value), list(range(8)), 8, "cpu")
    before = score(model, block)
    value["rollouts"][0]["lossMask"][0] = 0
    (masked, *_) = blocks_of(rollouts_of(value), list(range(8)), 8, "cpu")
    assert masked.learnt[0, 0] == 0
    after = score(model, masked)
    assert torch.equal(after.logits, before.logits)
    assert after.logprobs[0, 0] == 0
    assert torch.equal(after.logprobs.flatten()[1:], before.logprobs.flatten()[1:])


def test_a_token_hidden_from_attention_has_no_effect(base, model):
    value = make_batch(base)
    rollout = value["rollouts"][0]
    rollout["teacherPromptIds"] = None
    rollout["attentionMask"] = [1] * (len(rollout["promptIds"]) + len(rollout["completionIds"]))
    rollout["attentionMask"][2] = 0
    rollouts = rollouts_of(value)
    (block,) = [block for block in blocks_of(rollouts, list(range(8)), 8, "cpu") if 0 in block.rows]
    # The rollout cannot share its prefill with rollouts that see the whole prompt.
    assert block.rows == [0]
    shorter = rollout["promptIds"][:2] + rollout["promptIds"][3:]
    expected = plain_logprobs(model, shorter, rollout["completionIds"])
    assert torch.allclose(score(model, block).logprobs[0], expected, atol=2e-6)


def test_entropy_is_that_of_the_whole_distribution(base, model):
    (block, *_) = blocks_of(rollouts_of(make_batch(base)), [0], 8, "cpu")
    scores = score(model, block)
    probabilities = scores.logits.softmax(-1)
    assert torch.allclose(scores.entropy, torch.distributions.Categorical(probabilities).entropy(), atol=1e-5)
