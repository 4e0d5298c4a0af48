"""Tests of scores of completions against one plain pass for each rollout."""

import json

import pytest
import torch
from transformers import AutoModelForCausalLM

from helpers.tiny import make_batch, plain_logprobs
from perpetua_trainer.batch import read_batch
from perpetua_trainer.forward import blocks_of, score


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
