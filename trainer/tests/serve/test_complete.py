"""Tests of completions over the socket: OpenAI's form, ids and log-probabilities, and refusals."""

import math

import pytest
import torch

from helpers.tiny import load_model, plain_logprobs

CHAT = {"model": "base", "messages": [{"role": "user", "content": "w5 w6"}], "max_tokens": 6, "seed": 3}
PLAIN = {"model": "base", "prompt": [5, 6, 7], "max_tokens": 6, "seed": 3}


def test_a_chat_is_answered_in_the_usual_form_with_ids_and_log_probabilities(server):
    found = server.post("/v1/chat/completions", {**CHAT, "n": 2, "logprobs": True})
    assert found["object"] == "chat.completion"
    assert (found["model"], found["policy_version"], found["seed"]) == ("base", "base", 3)
    assert found["prompt_token_ids"] == [1, 5, 6, 3]
    assert [one["index"] for one in found["choices"]] == [0, 1]
    for one in found["choices"]:
        assert one["message"]["role"] == "assistant"
        assert len(one["token_ids"]) == len(one["token_logprobs"]) == len(one["logprobs"]["content"])
        assert [item["logprob"] for item in one["logprobs"]["content"]] == one["token_logprobs"]
        assert one["finish_reason"] in ("stop", "length")
    made = sum(len(one["token_ids"]) for one in found["choices"])
    assert found["usage"] == {"prompt_tokens": 4, "completion_tokens": made, "total_tokens": 4 + made}


def test_a_plain_completion_of_ids_is_answered_with_the_text_of_the_sampled_tokens(server):
    found = server.post("/v1/completions", PLAIN)
    (one,) = found["choices"]
    assert found["object"] == "text_completion"
    assert found["prompt_token_ids"] == PLAIN["prompt"]
    assert one["text"].split() == [f"w{token}" for token in one["token_ids"] if token != 2]
    assert one["logprobs"]["token_logprobs"] == one["token_logprobs"]
    assert one["logprobs"]["tokens"] == [f"w{token}" for token in one["token_ids"]]
    # A space, which belongs to the next token, joins the words of this tokenizer.
    texts = [one["text"][begin:] for begin in one["logprobs"]["text_offset"]]
    words = one["text"].split()
    assert [text.split()[:1] for text in texts] == [[word] for word in words] + [[]] * (len(texts) - len(words))
    assert server.post("/v1/completions", {**PLAIN, "prompt": "w5 w6 w7"})["choices"] == found["choices"]


def test_log_probabilities_are_those_of_a_pass_without_cache_or_padding(server, chat_base):
    bodies = [
        {**PLAIN, "prompt": list(range(1, length)), "n": 3, "max_tokens": 12, "training": True} for length in (2, 9, 30)
    ]
    for body, (_, found) in zip(bodies, server.together("/v1/completions", bodies), strict=True):
        for one in found["choices"]:
            expected = plain_logprobs(load_model(chat_base["path"]), body["prompt"], one["token_ids"])
            assert torch.allclose(torch.tensor(one["token_logprobs"]), expected, atol=1e-4)


def test_a_seed_gives_the_same_samples_and_another_seed_others(server):
    first, again, other = (server.post("/v1/completions", {**PLAIN, "n": 4, "seed": seed}) for seed in (3, 3, 4))
    assert first["choices"] == again["choices"]
    assert ids(first) != ids(other)
    assert len({tuple(one) for one in ids(first)}) > 1


def ids(found: dict) -> list[list[int]]:
    return [one["token_ids"] for one in found["choices"]]


def test_a_random_seed_is_in_the_answer_and_gives_the_same_samples(server):
    found = server.post("/v1/completions", {**PLAIN, "seed": None, "n": 3})
    assert ids(server.post("/v1/completions", {**PLAIN, "seed": found["seed"], "n": 3})) == ids(found)
    assert server.post("/v1/completions", {**PLAIN, "seed": None})["seed"] != found["seed"]


def test_a_sample_does_not_depend_on_the_number_of_samples_in_its_request(server):
    one, four = (server.post("/v1/completions", {**PLAIN, "n": count, "max_tokens": 12}) for count in (1, 4))
    assert ids(one)[0] == ids(four)[0]
    assert one["choices"][0]["token_logprobs"] == pytest.approx(four["choices"][0]["token_logprobs"], abs=1e-4)


def test_16_requests_at_once_give_the_samples_that_each_gives_alone(server):
    # The requests differ in length, prompt and temperature. Some share a prompt.
    bodies = [
        {
            "model": "base",
            "prompt": list(range(1, 2 + number // 2)),
            "n": 1 + number % 3,
            "seed": number,
            "max_tokens": 4 + number,
            "temperature": 0.5 + number % 2 / 2,
            "top_p": 1 - number % 4 / 10,
        }
        for number in range(16)
    ]
    alone = [server.post("/v1/completions", body) for body in bodies]
    for before, (status, found) in zip(alone, server.together("/v1/completions", bodies), strict=True):
        assert status == 200
        assert ids(found) == ids(before)
        for one, other in zip(found["choices"], before["choices"], strict=True):
            assert one["token_logprobs"] == pytest.approx(other["token_logprobs"], abs=1e-4)


def test_a_temperature_of_0_takes_the_likeliest_token_with_certainty(server, chat_base):
    found = server.post("/v1/completions", {**PLAIN, "temperature": 0, "max_tokens": 1, "n": 2})
    logits = load_model(chat_base["path"])(input_ids=torch.tensor([PLAIN["prompt"]])).logits[0, -1]
    assert ids(found) == [[int(logits.argmax())]] * 2
    assert found["choices"][0]["token_logprobs"] == [0]


def test_top_p_limits_samples_to_the_smallest_set_of_likeliest_tokens_and_scores_them_so(server, chat_base):
    found = server.post("/v1/completions", {**PLAIN, "top_p": 0.3, "max_tokens": 1, "n": 64})
    logits = load_model(chat_base["path"])(input_ids=torch.tensor([PLAIN["prompt"]])).logits[0, -1].detach()
    ordered = logits.softmax(-1).sort(descending=True)
    count = int((ordered.values.cumsum(0) < 0.3).sum()) + 1
    total = float(ordered.values[:count].sum())
    allowed = {
        int(token): math.log(float(value) / total)
        for token, value in zip(ordered.indices[:count], ordered.values, strict=False)
    }
    assert {one["token_ids"][0] for one in found["choices"]} == set(allowed)
    for one in found["choices"]:
        assert one["token_logprobs"][0] == pytest.approx(allowed[one["token_ids"][0]], abs=1e-5)


def test_a_stop_text_ends_a_sample_and_is_left_out_of_its_text_but_not_of_its_ids(server):
    whole = server.post("/v1/completions", {**PLAIN, "max_tokens": 12})["choices"][0]
    stop = whole["text"].split()[2]
    place = whole["text"].split().index(stop)
    one = server.post("/v1/completions", {**PLAIN, "max_tokens": 12, "stop": [stop]})["choices"][0]
    assert one["finish_reason"] == "stop"
    assert one["text"].split() == whole["text"].split()[:place]
    assert one["token_ids"] == whole["token_ids"][: place + 1]


def test_a_token_that_ends_a_completion_is_among_its_ids_and_not_in_its_text(server):
    # Token 2 is the model's end token. Some of 400 samples of 8 tokens have it.
    found = server.post("/v1/completions", {**PLAIN, "n": 400, "max_tokens": 8})
    ended = [one for one in found["choices"] if one["finish_reason"] == "stop"]
    assert ended
    for one in ended:
        assert one["token_ids"].index(2) == len(one["token_ids"]) - 1
        assert "w2" not in one["text"].split()
    assert all(2 not in one["token_ids"] for one in found["choices"] if one["finish_reason"] == "length")


REFUSED = {
    "training at another temperature": (PLAIN | {"training": True, "temperature": 0.7}, "off-policy", "temperature"),
    "training on a part of the support": (PLAIN | {"training": True, "top_p": 0.9}, "off-policy", "top_p"),
    "training on the likeliest tokens": (PLAIN | {"training": True, "top_k": 3}, "unknown-key", "top_k"),
    "training above a probability": (PLAIN | {"training": True, "min_p": 0.1}, "unknown-key", "min_p"),
    "training with a penalty": (PLAIN | {"training": True, "presence_penalty": 1}, "unsupported", "presence_penalty"),
    "a key that is unknown": (PLAIN | {"top_k": 3}, "unknown-key", "top_k"),
    "a stream": (PLAIN | {"stream": True}, "unsupported", "stream"),
    "the best of several": (PLAIN | {"best_of": 2}, "unsupported", "best_of"),
    "true for 1": (PLAIN | {"best_of": True}, "unsupported", "best_of"),
    "0 for false": (PLAIN | {"stream": 0}, "unsupported", "stream"),
    "the prompt again": (PLAIN | {"echo": True}, "unsupported", "echo"),
    "an answer without ids": (PLAIN | {"return_token_ids": False}, "unsupported", "return_token_ids"),
    "a user's name": (PLAIN | {"user": "me"}, "unknown-key", "user"),
    "a chat's limit": (PLAIN | {"max_completion_tokens": 6}, "unknown-key", "max_completion_tokens"),
    "no token": (PLAIN | {"max_tokens": 0}, "range", "max_tokens"),
    "no prompt": ({"model": "base"}, "missing-key", "prompt"),
    "an empty prompt": (PLAIN | {"prompt": []}, "empty", "prompt"),
    "a token that the model does not have": (PLAIN | {"prompt": [5, 48]}, "vocabulary", "prompt"),
    "more tokens than the model takes": (PLAIN | {"max_tokens": 3000}, "over-long", "max_tokens"),
    "no sample": (PLAIN | {"n": 0}, "range", "n"),
    "NaN": (PLAIN | {"temperature": math.nan}, "nan", "temperature"),
    "no JSON": (b"{", "json", ""),
}


@pytest.mark.parametrize(("body", "code", "param"), REFUSED.values(), ids=REFUSED.keys())
def test_a_request_that_cannot_be_fulfilled_is_refused_with_the_reason(server, body, code, param):
    status, found = server.call("POST", "/v1/completions", body)
    assert status == 400
    assert (found["error"]["code"], found["error"]["param"]) == (code, param)
    assert "expected" in found["error"]["message"]


LIMIT = "max_completion_tokens"
REFUSED_CHATS = {
    "two limits": (CHAT | {LIMIT: 7}, "unsupported", LIMIT),
    "two equal limits": (CHAT | {LIMIT: 6}, "unsupported", LIMIT),
    "a limit that is no number beside the other one": (CHAT | {LIMIT: "7"}, "type", LIMIT),
    "a limit that is no number": (CHAT | {"max_tokens": None, LIMIT: "7"}, "type", LIMIT),
    "no token": (CHAT | {"max_tokens": None, LIMIT: 0}, "range", LIMIT),
    "alternatives for a token": (CHAT | {"top_logprobs": 2}, "unsupported", "top_logprobs"),
    "an answer without ids": (CHAT | {"return_token_ids": False}, "unsupported", "return_token_ids"),
    "a user's name": (CHAT | {"user": "me"}, "unknown-key", "user"),
    "the best of one": (CHAT | {"best_of": 1}, "unknown-key", "best_of"),
}


@pytest.mark.parametrize(("body", "code", "param"), REFUSED_CHATS.values(), ids=REFUSED_CHATS.keys())
def test_a_chat_that_cannot_be_fulfilled_is_refused_with_the_reason(server, body, code, param):
    status, found = server.call("POST", "/v1/chat/completions", body)
    assert (status, found["error"]["code"], found["error"]["param"]) == (400, code, param)


def test_either_of_the_two_limits_ends_a_chat(server):
    unlimited = {name: value for name, value in CHAT.items() if name != "max_tokens"}
    found = [server.post("/v1/chat/completions", {**unlimited, key: 2}) for key in ("max_tokens", LIMIT)]
    assert ids(found[0]) == ids(found[1])
    assert [len(one) for one in ids(found[0])] == [2]


COMMON = {"stream": False, "presence_penalty": 0, "frequency_penalty": 0.0, "return_token_ids": True, "user": None}


@pytest.mark.parametrize(
    ("path", "body", "neutral"),
    [
        ("/v1/completions", PLAIN, COMMON | {"best_of": 1, "echo": False}),
        ("/v1/chat/completions", CHAT, COMMON | {"top_logprobs": 0, LIMIT: None}),
    ],
)
def test_a_key_is_accepted_with_its_neutral_value(server, path, body, neutral):
    assert server.post(path, body | neutral)["choices"] == server.post(path, body)["choices"]


def test_an_unknown_policy_is_a_404_that_lists_the_known_policies(server):
    status, found = server.call("POST", "/v1/completions", PLAIN | {"model": "nobody"})
    assert (status, found["error"]["code"]) == (404, "model_not_found")
    assert "expected one of base, got nobody" in found["error"]["message"]


def test_an_unknown_path_is_a_404_that_lists_the_known_paths(server):
    status, found = server.call("GET", "/v1/embeddings")
    assert status == 404
    assert "POST /v1/completions" in found["error"]["message"]


def test_tokenize_returns_the_tokens_of_a_prompt_without_a_sample(server):
    found = server.post("/tokenize", {"messages": CHAT["messages"]})
    assert (found["tokens"], found["count"]) == ([1, 5, 6, 3], 4)
    assert server.post("/tokenize", {"prompt": "w8 w9"})["tokens"] == [8, 9]


def test_the_models_are_listed_with_the_hashes_that_a_batch_states(server, chat_base):
    status, found = server.call("GET", "/v1/models")
    assert status == 200
    assert [(one["id"], one["kind"]) for one in found["data"]] == [("base", "base")]
    assert found["base"] == chat_base
    assert sorted(found["tokenizer"]) == ["sha256", "template"]
