"""Completions of many prompts at once: one prefill for each distinct prompt, then one pass for each token."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from ..forward import widen
from .draw import distribution, draw


@dataclass
class Row:
    """A sample: its settings, then its result.

    prompt: token ids. max_tokens: limit of the completion. random: generator of this sample alone. tokens: token ids of
    the completion, including the end token. logprobs: in nats, of the sampled distribution, one for each token.
    finish: "stop" (an end token or a stop text) or "length"; None while the sample runs.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    temperature: float
    top_p: float
    stops: tuple[str, ...]
    random: Random
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    finish: str | None = None


@torch.no_grad()
def sample(model: PreTrainedModel, rows: list[Row], finish_of: Callable[[Row], str | None]) -> None:
    """Draws tokens for each row, in place, until finish_of(row) is not None; it is called after each token."""
    prompts = list(dict.fromkeys(row.prompt for row in rows))
    ids, mask = left_padded(prompts, model.device)
    cache = DynamicCache(config=model.config)
    logits = one_pass(model, cache, ids, mask)
    places = torch.tensor([prompts.index(row.prompt) for row in rows], device=model.device)
    cache.batch_select_indices(places)
    mask, logits = mask[places], logits[places]
    while True:
        add_tokens(rows, logits)
        for row in rows:
            row.finish = finish_of(row)
        unfinished = [place for place, row in enumerate(rows) if row.finish is None]
        if not unfinished:
            return
        if len(unfinished) < len(rows):
            places = torch.tensor(unfinished, device=model.device)
            cache.batch_select_indices(places)
            mask, rows = mask[places], [rows[place] for place in unfinished]
        mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=1)
        last = torch.tensor([row.tokens[-1:] for row in rows], device=model.device)
        logits = one_pass(model, cache, last, mask)


def left_padded(prompts: list[tuple[int, ...]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Token ids and attention mask of prompts, both [prompts, longest prompt]; all prompts end in the last column."""
    longest = max(map(len, prompts))
    ids = [[0] * (longest - len(prompt)) + list(prompt) for prompt in prompts]
    mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def one_pass(model: PreTrainedModel, cache: DynamicCache, ids: Tensor, mask: Tensor) -> Tensor:
    """Logits [R, V] after the last column of ids [R, T]. mask: [R, all columns so far]. The cache grows by T."""
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)[:, -ids.shape[1] :]
    output = model(
        input_ids=ids, attention_mask=mask, position_ids=positions, cache=cache, use_cache=True, logits_to_keep=1
    )
    return widen(output.logits[:, -1])


def add_tokens(rows: list[Row], logits: Tensor) -> None:
    """Draws a token for each row from logits [R, V], and appends it with its log-probability."""
    logprobs = distribution(logits, [row.temperature for row in rows], [row.top_p for row in rows])
    drawn = draw(logprobs, [row.random.random() for row in rows])
    for row, token, logprob in zip(rows, *drawn, strict=True):
        row.tokens.append(token)
        row.logprobs.append(logprob)
