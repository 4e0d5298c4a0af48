"""A request for completions, from its body to its answer in OpenAI's form.

Beyond that form, in vLLM's words where it has them: prompt_token_ids; choices[].token_ids; choices[].token_logprobs,
one for each, in nats, of the distribution sampled from; policy_version, as a batch states it; seed.
"""

import secrets
import time
from random import Random

from ..input.refusal import Refusal
from .request import Request, read_request
from .sample import Row
from .together import Ask, Together
from .tokens import Tokens


def complete(together: Together, body: bytes, chat: bool) -> dict:
    """Raises Refusal or Problem."""
    request = read_request(body, chat)
    together.versions.find(request.model)
    prompt = prompt_ids(request, together.tokens)
    rows = rows_of(request, prompt, together.tokens.longest)
    version = together.engine.submit(Ask(request.model, rows)).result()
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
    if request.messages is not None:
        return tokens.of_chat(request.messages)
    if isinstance(request.prompt, str):
        return tokens.of_text(request.prompt)
    if max(request.prompt) >= tokens.vocabulary:
        raise Refusal("vocabulary", "prompt", f"tokens below {tokens.vocabulary}", max(request.prompt))
    return request.prompt


def rows_of(request: Request, prompt: list[int], longest: int | None) -> list[Row]:
    """A row a sample, each with a generator of its own: sample i of a seed is the same whatever n is."""
    if not prompt:
        raise Refusal("empty", "prompt", "a token", "none")
    most = request.most
    if most is None:
        if longest is None:
            raise Refusal("missing-key", "max_tokens", "a number, since the model has no bound", "none")
        most = max(1, longest - len(prompt))
    if longest is not None and len(prompt) + most > longest:
        raise Refusal("over-long", "max_tokens", f"at most {longest} with the prompt", f"{len(prompt)} + {most}")
    return [
        Row(
            prompt=tuple(prompt),
            most=most,
            temperature=request.temperature,
            top_p=request.top_p,
            stops=request.stops,
            random=Random(f"{request.seed}/{index}"),
        )
        for index in range(request.n)
    ]


def text_of(tokens: Tokens, row: Row) -> str:
    """The text without a token that ends it, up to the first stop text."""
    ids = row.tokens[:-1] if row.tokens[-1] in tokens.ends else row.tokens
    text = tokens.text(ids)
    places = [text.index(stop) for stop in row.stops if stop in text]
    return text[: min(places)] if places else text


def chat_choice(tokens: Tokens, row: Row, logprobs: bool) -> dict:
    content = [
        {"token": piece, "logprob": logprob, "bytes": list(piece.encode()), "top_logprobs": []}
        for piece, logprob in zip(map(tokens.piece, row.tokens), row.logprobs, strict=True)
    ]
    message = {"role": "assistant", "content": text_of(tokens, row)}
    return {"message": message, "logprobs": {"content": content} if logprobs else None}


def text_choice(tokens: Tokens, row: Row, logprobs: bool) -> dict:
    pieces = [tokens.piece(token) for token in row.tokens]
    offsets = [sum(map(len, pieces[:place])) for place in range(len(pieces))]
    found = {"tokens": pieces, "token_logprobs": row.logprobs, "top_logprobs": None, "text_offset": offsets}
    return {"text": text_of(tokens, row), "logprobs": found if logprobs else None}


def usage_of(prompt: list[int], rows: list[Row]) -> dict[str, int]:
    made = sum(len(row.tokens) for row in rows)
    return {"prompt_tokens": len(prompt), "completion_tokens": made, "total_tokens": len(prompt) + made}
