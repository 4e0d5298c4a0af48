"""Tests of the passes through the model: one for a prompt, whatever its number of samples; and of draws."""

from random import Random

import pytest
import torch

from helpers.tiny import load_model, plain_logprobs
from perpetua_trainer.serve.draw import distribution, draw
from perpetua_trainer.serve.sample import Row, sample


class Watched:
    """A model that records the shapes of its inputs."""

    def __init__(self, model):
        self.model = model
        self.config = model.config
        self.device = model.device
        self.shapes: list[tuple[int, int]] = []

    def __call__(self, **named):
        self.shapes.append(tuple(named["input_ids"].shape))
        return self.model(**named)


def row(prompt: list[int], seed: int) -> Row:
    return Row(tuple(prompt), 4, 1.0, 1.0, (), Random(seed))


def test_a_prompt_is_prefilled_once_and_ended_rows_leave_the_batch(base):
    model = Watched(load_model(base["path"]))
    rows = [row([5, 6, 7], number) for number in range(6)] + [row([8, 9, 5, 6, 7], number) for number in range(2)]
    lengths = {id(each): 1 + place % 4 for place, each in enumerate(rows)}
    sample(model, rows, lambda each: "length" if len(each.tokens) == lengths[id(each)] else None)
    assert model.shapes == [(2, 5), (6, 1), (4, 1), (2, 1)]
    for each in rows:
        assert len(each.tokens) == lengths[id(each)]
        expected = plain_logprobs(model.model, list(each.prompt), each.tokens)
        assert torch.allclose(torch.tensor(each.logprobs), expected, atol=1e-5)


def test_evenly_spread_numbers_draw_each_token_with_its_probability(base):
    logits = torch.tensor([[2.0, -1.0, 0.5, 0.0]])
    logprobs = distribution(logits, [1.0], [1.0])
    count = 10_000
    tokens, chosen = draw(logprobs.expand(count, -1), [(number + 0.5) / count for number in range(count)])
    for token in range(4):
        assert tokens.count(token) / count == pytest.approx(float(logits.softmax(-1)[0, token]), abs=1.1 / count)
    assert chosen == [float(logprobs[0, token]) for token in tokens]


def test_the_smallest_and_the_largest_number_draw_possible_tokens():
    logprobs = distribution(torch.tensor([[-1e9, 1.0, 2.0, -1e9]]), [1.0], [1.0])
    assert draw(logprobs, [0.0])[0] == [1]
    assert draw(logprobs, [1 - 2**-53])[0] == [2]


def test_logits_that_are_not_finite_are_an_error_and_not_a_sample():
    with pytest.raises(RuntimeError, match="weights are spoilt"):
        draw(distribution(torch.tensor([[float("nan"), 1.0]]), [1.0], [1.0]), [0.5])
