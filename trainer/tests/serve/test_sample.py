"""What goes through the model: a prompt once, however many samples it has."""

from random import Random

import pytest
import torch

from helpers.tiny import load_model, plain_logprobs
from perpetua_trainer.serve.draw import distribution, draw
from perpetua_trainer.serve.sample import Row, sample


class Watched:
    """A model that notes the shapes of what it is called with."""

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


def test_a_prompt_is_prefilled_once_and_rows_that_have_ended_are_left_behind(base):
    model = Watched(load_model(base["path"]))
    rows = [row([5, 6, 7], number) for number in range(6)] + [row([8, 9, 5, 6, 7], number) for number in range(2)]
    lengths = {id(one): 1 + place % 4 for place, one in enumerate(rows)}
    sample(model, rows, lambda one: "length" if len(one.tokens) == lengths[id(one)] else None)
    assert model.shapes == [(2, 5), (6, 1), (4, 1), (2, 1)]
    for one in rows:
        assert len(one.tokens) == lengths[id(one)]
        expected = plain_logprobs(model.model, list(one.prompt), one.tokens)
        assert torch.allclose(torch.tensor(one.logprobs), expected, atol=1e-5)


def test_numbers_spread_evenly_draw_each_token_as_often_as_it_is_likely(base):
    logits = torch.tensor([[2.0, -1.0, 0.5, 0.0]])
    logprobs = distribution(logits, [1.0], [1.0])
    count = 10_000
    tokens, chosen = draw(logprobs.expand(count, -1), [(number + 0.5) / count for number in range(count)])
    for token in range(4):
        assert tokens.count(token) / count == pytest.approx(float(logits.softmax(-1)[0, token]), abs=1.1 / count)
    assert chosen == [float(logprobs[0, token]) for token in tokens]


def test_the_ends_of_the_numbers_draw_tokens_that_can_be_drawn():
    logprobs = distribution(torch.tensor([[-1e9, 1.0, 2.0, -1e9]]), [1.0], [1.0])
    assert draw(logprobs, [0.0])[0] == [1]
    assert draw(logprobs, [1 - 2**-53])[0] == [2]


def test_logits_that_are_not_finite_are_an_error_and_not_a_sample():
    with pytest.raises(RuntimeError, match="weights are spoilt"):
        draw(distribution(torch.tensor([[float("nan"), 1.0]]), [1.0], [1.0]), [0.5])
