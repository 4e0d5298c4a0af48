"""Distributions over the next token, and draws from them."""

import math

import torch
from torch import Tensor


def distribution(logits: Tensor, temperatures: list[float], top_ps: list[float]) -> Tensor:
    """Log-probabilities [R, V] in nats and float64 of the distribution that row r is sampled from, of logits [R, V].

    log_softmax(logits / temperature), cut to the smallest set of likeliest tokens whose probability reaches top_p.
    A temperature of 0 is the likeliest token with probability 1.
    """
    heat = torch.tensor(temperatures, dtype=torch.float64, device=logits.device)[:, None]
    logprobs = torch.log_softmax(logits.double() / heat.where(heat > 0, 1), dim=-1)
    if min(top_ps) < 1:
        top = torch.tensor(top_ps, dtype=torch.float64, device=logits.device)[:, None]
        logprobs = logprobs.where(top >= 1, nucleus(logprobs, top))
    if min(temperatures) == 0:
        likeliest = torch.full_like(logprobs, -math.inf).scatter(-1, logprobs.argmax(-1, keepdim=True), 0.0)
        logprobs = logprobs.where(heat > 0, likeliest)
    return logprobs


def nucleus(logprobs: Tensor, top: Tensor) -> Tensor:
    """Source: Holtzman et al., arXiv:1904.09751."""
    ordered, places = logprobs.sort(dim=-1, descending=True, stable=True)
    before = ordered.exp().cumsum(-1) - ordered.exp()
    kept = ordered.masked_fill(before >= top, -math.inf)
    kept[:, 0] = ordered[:, 0]
    return torch.log_softmax(torch.empty_like(kept).scatter(-1, places, kept), dim=-1)


def draw(logprobs: Tensor, numbers: list[float]) -> tuple[list[int], list[float]]:
    """Tokens and their log-probabilities by the inverse of the distribution, for numbers in [0, 1), one a row.

    One number a token, drawn on the CPU: a seed means the same on every device. A batch of another size moves the
    probabilities by rounding alone, and a token changes only where its number lies within that of a border.
    """
    summed = logprobs.exp().cumsum(-1)
    total = summed[:, -1:]
    wanted = torch.tensor(numbers, dtype=torch.float64, device=logprobs.device)[:, None] * total
    # On the last border there would be no token.
    wanted = torch.minimum(wanted, torch.nextafter(total, torch.zeros_like(total)))
    tokens = torch.searchsorted(summed, wanted, right=True)
    chosen = logprobs.gather(-1, tokens.clamp(max=logprobs.shape[-1] - 1))[:, 0].tolist()
    if not all(map(math.isfinite, chosen)):
        raise RuntimeError("expected finite logits, got others: the policy's weights are spoilt")
    return tokens[:, 0].tolist(), chosen
