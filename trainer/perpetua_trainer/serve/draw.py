"""Distributions over the next token, and draws from them."""

import math

import torch
from torch import Tensor


def distribution(logits: Tensor, temperatures: list[float], top_ps: list[float]) -> Tensor:
    """Log-probabilities [R, V], in nats and float64, of the distributions to sample R rows from; logits: [R, V].

    log_softmax(logits / temperature), limited to the smallest set of likeliest tokens whose probability reaches top_p.
    With a temperature of 0, the likeliest token has probability 1. temperatures, top_ps: one for each row.
    """
    temperature = torch.tensor(temperatures, dtype=torch.float64, device=logits.device)[:, None]
    logprobs = torch.log_softmax(logits.double() / temperature.where(temperature > 0, 1), dim=-1)
    if min(top_ps) < 1:
        top = torch.tensor(top_ps, dtype=torch.float64, device=logits.device)[:, None]
        logprobs = logprobs.where(top >= 1, nucleus(logprobs, top))
    if min(temperatures) == 0:
        likeliest = torch.full_like(logprobs, -math.inf).scatter(-1, logprobs.argmax(-1, keepdim=True), 0.0)
        logprobs = logprobs.where(temperature > 0, likeliest)
    return logprobs


def nucleus(logprobs: Tensor, top: Tensor) -> Tensor:
    """Log-probabilities [R, V] limited to the smallest sets of likeliest tokens with probability top [R, 1].

    Source: nucleus sampling, Holtzman et al., arXiv:1904.09751.
    """
    ordered, places = logprobs.sort(dim=-1, descending=True, stable=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    kept = ordered.masked_fill(before >= top, -math.inf)
    kept[:, 0] = ordered[:, 0]
    return torch.log_softmax(torch.empty_like(kept).scatter(-1, places, kept), dim=-1)


def draw(logprobs: Tensor, numbers: list[float]) -> tuple[list[int], list[float]]:
    """Draws a token for each row, by the inverse of its distribution; returns tokens [R] and log-probabilities [R].

    logprobs: [R, V], in nats. numbers: one random number in [0, 1) for each row, drawn on the CPU, so that a seed gives
    the same tokens on every device. Batches of other sizes round the probabilities differently. A token then changes
    only if its number is that close to a boundary of the distribution. Raises RuntimeError if a drawn log-probability
    is not finite.
    """
    summed = logprobs.exp().cumsum(-1)
    total = summed[:, -1:]
    wanted = torch.tensor(numbers, dtype=torch.float64, device=logprobs.device)[:, None] * total
    # A number on the last boundary has no token.
    wanted = torch.minimum(wanted, torch.nextafter(total, torch.zeros_like(total)))
    tokens = torch.searchsorted(summed, wanted, right=True)
    chosen = logprobs.gather(-1, tokens.clamp(max=logprobs.shape[-1] - 1))[:, 0].tolist()
    if not all(map(math.isfinite, chosen)):
        raise RuntimeError("expected finite logits, got others: the policy's weights are spoilt")
    return tokens[:, 0].tolist(), chosen
