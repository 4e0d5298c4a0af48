"""Answers to requests for completions, in OpenAI's form.

Answers have more fields, with vLLM's names where it has them: prompt_token_ids; choices[].token_ids;
choices[].token_logprobs, one for each token, in nats, of the sampled distribution; policy_version, as in a batch; seed.
"""

import secrets
import time
from random import Random

from ..input.refusal import Refusal
from .request import Request, read_request
from .sample import Row
from .together import SampleRequest, Together
from .tokens import Tokens


def complete(together: Together, body: bytes, chat: bool) -> dict:
    """Samples the completions of a request; returns the answer. chat: form of the request.

    Raises Refusal for an invalid request, Problem for an unknown policy or if the server ends.
    """
    request = read_request(body, chat)
    together.versions.find(request.model)
    prompt = prompt_ids(request, together.tokens)
    rows = rows_of(request, prompt, together.tokens.longest)
    version = together.engine.submit(SampleRequest(request.model, rows)).result()
    choose = chat_choice if chat else text_choice
    return {
        "id": f"{'chatcmpl' if chat else 'cmpl'}-{secrets.token_hex(12)}",
        "object": "chat.completion" if chat else "text_completion",
        "created": int(time.time()),
        "model": request.model,
        "policy_version": version,
        "seed": request.seed,
        "prompt_token_ids": prompt,
        "choices": [
            choose(together.tokens, row, request.logprobs)
            | {"index": index, "finish_reason": row.finish, "token_ids": row.tokens, "token_logprobs": row.logprobs}
            for index, row in enumerate(rows)
        ],
        "usage": usage_of(prompt, rows),
    }


def prompt_ids(request: Request, tokens: Tokens) -> list[int]:
    """Token ids of the request's prompt. Raises Refusal for an unknown id, Problem for messages without a template."""
    if request.messages is not None:
        return tokens.of_chat(request.messages)
    if isinstance(request.prompt, str):
        return tokens.of_text(request.prompt)
    if max(request.prompt) >= tokens.vocabulary:
        raise Refusal("vocabulary", "prompt", f"tokens below {tokens.vocabulary}", max(request.prompt))
    return request.prompt


def rows_of(request: Request, prompt: list[int], longest: int | None) -> list[Row]:
    """Rows of a request, one for each sample. longest: limit of prompt and completion in tokens; None without one.

    Each row has its own generator, so that sample i of a seed does not depend on n. Raises Refusal for an empty prompt
    and a wrong limit.
    """
    if not prompt:
        raise Refusal("empty", "prompt", "a token", "none")
    limit = request.max_tokens
    if limit is None:
        if longest is None:
            raise Refusal("missing-key", "max_tokens", "a number, since the model has no bound", "none")
        limit = max(1, longest - len(prompt))
    if longest is not None and len(prompt) + limit > longest:
        raise Refusal("over-long", "max_tokens", f"at most {longest} with the prompt", f"{len(prompt)} + {limit}")
    return [
        Row(
            prompt=tuple(prompt),
            max_tokens=limit,
            temperature=request.temperature,
            top_p=request.top_p,
            stops=request.stops,
            random=Random(f"{request.seed}/{index}"),
        )
        for index in range(request.n)
    ]


def text_of(tokens: Tokens, row: Row) -> str:
    """Text of a completion without its end token, up to the first stop text."""
    ids = row.tokens[:-1] if row.tokens[-1] in tokens.ends else row.tokens
    text = tokens.text(ids)
    places = [text.index(stop) for stop in row.stops if stop in text]
    return text[: min(places)] if places else text


def chat_choice(tokens: Tokens, row: Row, logprobs: bool) -> dict:
    """Fields of a choice that only a chat has. logprobs: include the log-probabilities."""
    content = [
        {"token": piece, "logprob": logprob, "bytes": list(piece.encode()), "top_logprobs": []}
        for piece, logprob in zip(map(tokens.piece, row.tokens), row.logprobs, strict=True)
    ]
    message = {"role": "assistant", "content": text_of(tokens, row)}
    return {"message": message, "logprobs": {"content": content} if logprobs else None}


def text_choice(tokens: Tokens, row: Row, logprobs: bool) -> dict:
    """Fields of a choice that only a plain completion has. logprobs: include the log-probabilities."""
    pieces = [tokens.piece(token) for token in row.tokens]
    offsets = tokens.offsets(row.tokens)
    found = {"tokens": pieces, "token_logprobs": row.logprobs, "top_logprobs": None, "text_offset": offsets}
    return {"text": text_of(tokens, row), "logprobs": found if logprobs else None}


def usage_of(prompt: list[int], rows: list[Row]) -> dict[str, int]:
    sampled = sum(len(row.tokens) for row in rows)
    return {"prompt_tokens": len(prompt), "completion_tokens": sampled, "total_tokens": len(prompt) + sampled}
