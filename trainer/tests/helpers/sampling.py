"""Rollouts sampled from the current weights of a policy, with log-probabilities from the sampler's own pass."""

import torch

from perpetua_trainer.model import Policy


def sample(policy: Policy, prompt: list[int], count: int, length: int, generator: torch.Generator) -> list[dict]:
    """Samples `count` completions of `length` tokens at temperature 1; returns their tokens and log-probabilities."""
    ids = torch.tensor([prompt] * count)
    logprobs = []
    with torch.no_grad():
        for _ in range(length):
            logits = torch.log_softmax(policy.model(input_ids=ids).logits[:, -1], -1)
            drawn = torch.multinomial(logits.exp(), 1, generator=generator)
            logprobs.append(logits.gather(1, drawn))
            ids = torch.cat([ids, drawn], dim=1)
    rows = zip(ids[:, len(prompt) :].tolist(), torch.cat(logprobs, dim=1).tolist(), strict=True)
    return [{"completionIds": tokens, "logprobs": values} for tokens, values in rows]
