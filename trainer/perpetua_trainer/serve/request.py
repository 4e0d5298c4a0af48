"""Strict reader of requests for completions: a key that the server would ignore is refused."""

import json
import secrets
from dataclasses import dataclass

from ..input import strict
from ..input.refusal import Refusal
from ..input.strict import Node


@dataclass(frozen=True)
class Request:
    """A request for n completions, with either prompt or messages; the other one is None.

    prompt: text or token ids. messages: role and content of each. max_tokens: limit of a completion; None without one.
    stops: texts that end a completion. training: the samples are for a step.
    """

    model: str
    prompt: str | list[int] | None
    messages: list[dict[str, str]] | None
    n: int
    max_tokens: int | None
    stops: tuple[str, ...]
    seed: int
    temperature: float
    top_p: float
    training: bool
    logprobs: bool


# A client's null means the default, as in OpenAI's interface.
DEFAULTS = {
    "n": 1,
    "temperature": 1,
    "top_p": 1,
    "seed": None,
    "stop": None,
    "max_tokens": None,
    "training": False,
    "logprobs": True,
    "stream": False,
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "return_token_ids": True,
}
CHAT = DEFAULTS | {"max_completion_tokens": None, "top_logprobs": 0}
COMPLETION = DEFAULTS | {"echo": False, "best_of": 1}
# Keys that are accepted only with their default, which is neutral.
FIXED = ("stream", "presence_penalty", "frequency_penalty", "return_token_ids", "top_logprobs", "echo", "best_of")
ROLES = ("system", "user", "assistant", "tool", "developer")


def read_request(body: bytes, chat: bool) -> Request:
    """Reads the body of a request. chat: the body has messages instead of a prompt. Raises Refusal."""
    defaults, input_key = (CHAT, "messages") if chat else (COMPLETION, "prompt")
    root = strict.parse(body)
    if type(root.value) is not dict:
        raise root.refuse("type", "an object")
    given = {key: value for key, value in root.value.items() if value is not None}
    root = strict.record(Node({**defaults, **given}, ""), {*defaults, input_key, "model"})
    for key in FIXED:
        if key in defaults and not is_equal(root.value[key], defaults[key]):
            expected = f"{json.dumps(defaults[key])}, the only value that this server has"
            raise root.at(key).refuse("unsupported", expected)
    limit = read_limit(root, chat)
    request = Request(
        model=strict.text(root.at("model")),
        prompt=None if chat else read_prompt(root.at("prompt")),
        messages=strict.array(root.at("messages"), read_message) if chat else None,
        n=strict.integer(root.at("n"), 1, 1024),
        # OpenAI's default for a plain completion is 16.
        max_tokens=limit if chat or limit is not None else 16,
        stops=read_stops(root.at("stop")),
        seed=secrets.randbits(53) if root.value["seed"] is None else strict.integer(root.at("seed"), 0),
        temperature=strict.number(root.at("temperature"), 0, 100),
        top_p=strict.number(root.at("top_p"), 1e-6, 1),
        training=strict.boolean(root.at("training")),
        logprobs=read_logprobs(root.at("logprobs")),
    )
    if request.training:
        check_training(request)
    return request


def check_training(request: Request) -> None:
    """Raises Refusal if the samples would have log-probabilities of another distribution than the policy's own."""
    for key, value in (("temperature", request.temperature), ("top_p", request.top_p)):
        if value != 1:
            raise Refusal("off-policy", key, "1 in training: the policy's own distribution is what learns", value)
    if not request.logprobs:
        raise Refusal("off-policy", "logprobs", "true in training", False)


def is_equal(value: object, wanted: object) -> bool:
    """Compares two values as in JSON, where 1 is not true and 0 is not false."""
    return value == wanted and (type(value) is bool) == (type(wanted) is bool)


def read_limit(root: Node, chat: bool) -> int | None:
    """Limit of a completion in tokens, from either of the two keys of a chat; None without one.

    Raises Refusal if a chat has both keys.
    """
    keys = ("max_tokens", "max_completion_tokens") if chat else ("max_tokens",)
    given = [limit for limit in (strict.optional(root.at(key), positive) for key in keys) if limit is not None]
    if len(given) == 2:
        raise root.at("max_completion_tokens").refuse("unsupported", "one limit", "max_tokens beside it")
    return given[0] if given else None


def positive(node: Node) -> int:
    return strict.integer(node, 1)


def read_prompt(node: Node) -> str | list[int]:
    if type(node.value) is list:
        return strict.array(node, lambda item: strict.integer(item, 0, 2**31 - 1))
    return strict.text(node)


def read_message(node: Node) -> dict[str, str]:
    strict.record(node, {"role", "content"})
    content = node.at("content")
    # An empty string is allowed, an array of parts is not.
    if type(content.value) is not str:
        raise content.refuse("type", "a string")
    return {"role": strict.choice(node.at("role"), ROLES), "content": content.value}


def read_stops(node: Node) -> tuple[str, ...]:
    """Reads null, a text or an array of texts."""
    if node.value is None:
        return ()
    return tuple(strict.array(node, strict.text)) if type(node.value) is list else (strict.text(node),)


def read_logprobs(node: Node) -> bool:
    """Reads true or false, or a number of alternatives per token: only 0 or 1, since the server has no alternatives."""
    if type(node.value) is bool:
        return node.value
    strict.integer(node, 0, 1)
    return True
