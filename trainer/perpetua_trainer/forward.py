"""Token log-probabilities of given completions.

Rollouts with the same prompt share its prefill: the prompt runs once, and its keys and values are repeated with their
gradient. With gradient checkpointing the prompt and its completions are one sequence instead, since a layer that is
computed again cannot read the keys and values of a prefill. The attention mask (tokens that the model sees) and the
loss mask (tokens to learn from) are two tensors.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint
from transformers import DynamicCache, PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

from .batch import Rollout
from .input.refusal import Refusal


@dataclass
class Block:
    """G rollouts of one prompt that run through the model together: P prompt tokens, at most C completion tokens.

    rows [G]: indices of the rollouts in the batch. prompt, prompt_mask [P]: token ids and attention mask.
    completions [G, C]: token ids, padded on the right with 0. attended, learnt [G, C]: attention mask and loss mask of
    the completions, 0 on padding. deciding [G, C]: 1 for learnt tokens whose entropy counts. sampler [G, C]:
    log-probabilities at sampling, in nats, 0 on tokens not learnt from.
    """

    rows: list[int]
    prompt: Tensor
    prompt_mask: Tensor
    completions: Tensor
    attended: Tensor
    learnt: Tensor
    deciding: Tensor
    sampler: Tensor


@dataclass
class Scores:
    """Scores of each completion token.

    logprobs, entropy [G, C]: in nats. logits [G, C, V]. hidden [G, C, H]: state from which the token is predicted.
    logprobs are 0 on tokens that are not learnt from: a tool's output can be so improbable that its ratio overflows.
    """

    logprobs: Tensor
    entropy: Tensor
    logits: Tensor
    hidden: Tensor


def blocks_of(rollouts: list[Rollout], rows: list[int], size: int, device: str) -> list[Block]:
    """Blocks of at most `size` rollouts, for the given rows of the batch; rows of a prompt keep their order."""
    by_prompt: dict[tuple, list[int]] = {}
    for row in rows:
        rollout = rollouts[row]
        mask = None if rollout.attention_mask is None else tuple(rollout.attention_mask[: len(rollout.prompt_ids)])
        by_prompt.setdefault((tuple(rollout.prompt_ids), mask), []).append(row)
    return [
        make_block(rollouts, group[start : start + size], device)
        for group in by_prompt.values()
        for start in range(0, len(group), size)
    ]


def make_block(rollouts: list[Rollout], rows: list[int], device: str) -> Block:
    """Block of the given rows, which have one prompt and one attention mask of it."""
    chosen = [rollouts[row] for row in rows]
    first, width = chosen[0], max(len(rollout.completion_ids) for rollout in chosen)
    length = len(first.prompt_ids)

    def pad(items_of: Callable[[Rollout], list], dtype: torch.dtype) -> Tensor:
        padded = [items_of(rollout) + [0] * (width - len(items_of(rollout))) for rollout in chosen]
        return torch.tensor(padded, dtype=dtype, device=device)

    def attended(rollout: Rollout) -> list[int]:
        if rollout.attention_mask is None:
            return [1] * len(rollout.completion_ids)
        return rollout.attention_mask[length:]

    prompt_mask = [1] * length if first.attention_mask is None else first.attention_mask[:length]
    return Block(
        rows=rows,
        prompt=torch.tensor(first.prompt_ids, device=device),
        prompt_mask=torch.tensor(prompt_mask, device=device),
        completions=pad(lambda rollout: rollout.completion_ids, torch.long),
        attended=pad(attended, torch.long),
        learnt=pad(lambda rollout: rollout.loss_mask, torch.float32),
        deciding=pad(lambda rollout: rollout.deciding, torch.float32),
        sampler=pad(learnt_logprobs, torch.float32),
    )


def learnt_logprobs(rollout: Rollout) -> list[float]:
    """Log-probabilities at sampling [C] in nats, 0 on tokens that are not learnt from."""
    return [logprob if learnt else 0.0 for logprob, learnt in zip(rollout.logprobs, rollout.loss_mask, strict=True)]


def score(model: PreTrainedModel, block: Block, entropy_learns: bool = False, checkpointing: bool = False) -> Scores:
    """Scores a block's completions after its prompt. The entropy has a gradient only with entropy_learns.

    checkpointing: the backward pass computes the activations of each layer again. Raises Refusal if the model's layers
    cannot do that.
    """
    logits_of = checkpointed_logits if checkpointing else completion_logits
    with captured_hidden(model) as hidden:
        logits = logits_of(model, block.prompt, block.prompt_mask, block.completions, block.attended)
    count = len(block.rows)
    states = [unpacked(hidden[0], count)] if checkpointing else [hidden[0].expand(count, -1, -1), *hidden[1:]]
    logprobs, entropy = of_tokens(logits, block.completions, entropy_learns)
    logprobs = logprobs.masked_fill(block.learnt == 0, 0)
    return Scores(logprobs, entropy, logits, torch.cat(states, dim=1))


def completion_logits(
    model: PreTrainedModel, prompt: Tensor, prompt_mask: Tensor, completions: Tensor, attended: Tensor
) -> Tensor:
    """Logits [G, C, V] that predict each token of completions [G, C] after the prompt [P], in float32 or wider.

    prompt_mask [P], attended [G, C]: attention masks.
    """
    count, width = completions.shape
    cache = DynamicCache(config=model.config)
    mask = torch.cat([prompt_mask.expand(count, -1), attended[:, : width - 1]], dim=1)
    positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
    length = len(prompt)
    head = model(
        input_ids=prompt[None],
        attention_mask=prompt_mask[None],
        position_ids=positions[:1, :length],
        cache=cache,
        use_cache=True,
        logits_to_keep=1,
    ).logits.expand(count, -1, -1)
    if width == 1:
        return widen(head)
    cache.batch_repeat_interleave(count)
    tail = model(
        input_ids=completions[:, :-1],
        attention_mask=mask,
        position_ids=positions[:, length:],
        cache=cache,
        use_cache=True,
    ).logits
    return widen(torch.cat([head, tail], dim=1))


def checkpointed_logits(
    model: PreTrainedModel, prompt: Tensor, prompt_mask: Tensor, completions: Tensor, attended: Tensor
) -> Tensor:
    """The same logits as completion_logits, in one sequence: the prompt, then all completions, which do not see each
    other. Each layer keeps only its input for the backward pass. Raises Refusal if the model cannot do that.
    """
    count, width = completions.shape
    attended = attended[:, : width - 1]
    positions = (torch.cat([prompt_mask.expand(count, -1), attended], dim=1).cumsum(dim=1) - 1).clamp(min=0)
    length = len(prompt)
    check_packable(model)
    with checkpointed_layers(model):
        found = model(
            input_ids=torch.cat([prompt, completions[:, : width - 1].flatten()])[None],
            attention_mask=packed_mask(prompt_mask, attended)[None, None],
            position_ids=torch.cat([positions[0, :length], positions[:, length:].flatten()])[None],
            use_cache=False,
            logits_to_keep=1 + attended.numel(),
        )
    return unpacked(widen(found.logits), count)


def packed_mask(prompt_mask: Tensor, attended: Tensor) -> Tensor:
    """Tokens [T, T] that each token of a packed sequence sees. prompt_mask [P], attended [G, C - 1]; T = P + G (C - 1).

    A token sees itself, and the earlier tokens of the prompt and of its own completion that may be seen.
    """
    rows = torch.arange(len(attended), device=attended.device)[:, None].expand_as(attended).flatten()
    owners = torch.cat([torch.full_like(prompt_mask, -1), rows])
    may = torch.cat([prompt_mask, attended.flatten()]) > 0
    seen = (owners[None] == -1) | (owners[None] == owners[:, None])
    return (seen & may).tril() | torch.eye(len(may), dtype=torch.bool, device=may.device)


def unpacked(values: Tensor, count: int) -> Tensor:
    """Values [G, C, X] of each completion's tokens, from those [1, 1 + G (C - 1), X] of a packed sequence's end."""
    first, rest = values[:, :1].expand(count, -1, -1), values[0, 1:]
    return torch.cat([first, rest.view(count, -1, values.shape[-1])], dim=1) if len(rest) else first


def check_packable(model: PreTrainedModel) -> None:
    """Raises Refusal for a model with layers that do not obey an attention mask alone."""
    config = model.config.get_text_config()
    kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
    if kinds != {"full_attention"} or getattr(config, "sliding_window", None) is not None:
        expected = "false: this model has layers without full attention"
        raise Refusal("settings", "limits.gradientCheckpointing", expected, True)


@contextmanager
def checkpointed_layers(model: PreTrainedModel) -> Iterator[None]:
    """Layers that run inside the block keep only their input for the backward pass."""
    layers = [module for module in model.modules() if isinstance(module, GradientCheckpointingLayer)]
    if not layers:
        expected = "false: transformers cannot compute the layers of this model again"
        raise Refusal("settings", "limits.gradientCheckpointing", expected, True)
    try:
        for layer in layers:
            layer.gradient_checkpointing = True
            # The layers have no randomness: dropout belongs to their modules, which stay in evaluation mode.
            layer._gradient_checkpointing_func = partial(checkpoint, use_reentrant=False, preserve_rng_state=False)
            layer.training = True
        yield
    finally:
        for layer in layers:
            layer.gradient_checkpointing = layer.training = False


def widen(logits: Tensor) -> Tensor:
    """Logits in float64 if they are, else in float32."""
    return logits if logits.dtype == torch.float64 else logits.float()


def of_tokens(logits: Tensor, tokens: Tensor, entropy_learns: bool = False) -> tuple[Tensor, Tensor]:
    """Log-probability of each token of tokens [G, C], and entropy of its distribution, both [G, C] in nats.

    logits: [G, C, V]. The entropy has a gradient only with entropy_learns.
    """
    total = torch.logsumexp(logits, dim=-1)
    # A gradient of the entropy would keep two more tensors of the logits' size.
    with torch.set_grad_enabled(entropy_learns and torch.is_grad_enabled()):
        entropy = total - (torch.softmax(logits, dim=-1) * logits).sum(-1)
    return logits.gather(-1, tokens[..., None])[..., 0] - total, entropy


@contextmanager
def captured_hidden(model: PreTrainedModel) -> Iterator[list[Tensor]]:
    """Collects the input of the model's output layer, detached: [1 or G, tokens, H] of each call inside the block."""
    states: list[Tensor] = []
    hook = model.get_output_embeddings().register_forward_pre_hook(lambda _, inputs: states.append(inputs[0].detach()))
    try:
        yield states
    finally:
        hook.remove()
