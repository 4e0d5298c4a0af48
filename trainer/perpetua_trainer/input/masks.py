"""Checks of the masks of a rollout."""

from typing import TYPE_CHECKING

from . import strict
from .strict import Node

if TYPE_CHECKING:
    from ..batch import Rollout


def check_masks(node: Node, rollout: "Rollout") -> None:
    """Raises Refusal if masks or log-probabilities do not fit the tokens, or hide a token to learn from."""
    completion, prompt = len(rollout.completion_ids), len(rollout.prompt_ids)
    strict.check_length(node.at("logprobs"), completion, "completionIds")
    strict.check_length(node.at("lossMask"), completion, "completionIds")
    if rollout.entropy_mask is not None:
        strict.check_length(node.at("entropyMask"), completion, "completionIds")
        check_entropy_mask(node.at("entropyMask"), rollout)
    if rollout.attention_mask is None:
        return
    strict.check_length(node.at("attentionMask"), prompt + completion, "promptIds and completionIds")
    if rollout.teacher_prompt_ids is not None:
        raise node.at("attentionMask").refuse("mask", "null where a teacher re-scores the tokens", "a mask")
    for index, learnt in enumerate(rollout.loss_mask):
        position = prompt + index
        if learnt and not (rollout.attention_mask[position] and rollout.attention_mask[position - 1]):
            expected = "1 for each token that is learnt from, and for the one before it"
            raise node.at("attentionMask").at(position).refuse("mask", expected, "0")


def check_entropy_mask(node: Node, rollout: "Rollout") -> None:
    """Raises Refusal if the entropy of a token counts that is not learnt from."""
    for index, (counts, learnt) in enumerate(zip(rollout.deciding, rollout.loss_mask, strict=True)):
        if counts and not learnt:
            raise node.at(index).refuse("mask", "0 for a token that is not learnt from", "1")
