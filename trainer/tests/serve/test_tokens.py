"""Tests of the base's chat template in the server."""

import pytest

from perpetua_trainer.serve.tokens import Tokens

ASK = {"messages": [{"role": "user", "content": "w5"}, {"role": "user", "content": "w6"}]}
ASKS = [("/tokenize", ASK), ("/v1/chat/completions", {**ASK, "model": "base", "max_tokens": 2})]


def with_tokenizer(change):
    """A patch that changes the tokenizer of the server's base."""

    def patch() -> None:
        begin = Tokens.__init__

        def changed(self, *arguments):
            begin(self, *arguments)
            change(self.tokenizer)

        Tokens.__init__ = changed

    return patch


def take_turns(tokenizer) -> None:
    tokenizer.chat_template = "{{ raise_exception('roles have to take turns') }}"


def break_down(tokenizer) -> None:
    def fail(*_, **named):
        raise TypeError("a bug of ours")

    tokenizer.apply_chat_template = fail


@pytest.mark.parametrize(("path", "body"), ASKS)
def test_messages_that_the_template_refuses_are_refused_with_its_message(start, capfd, path, body):
    status, found = start(patch=with_tokenizer(take_turns)).call("POST", path, body)
    assert (status, found["error"]["code"]) == (400, "template")
    assert "roles have to take turns" in found["error"]["message"]
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(("path", "body"), ASKS)
def test_a_bug_in_the_tokenizer_is_answered_500_and_its_traceback_is_in_the_log(start, capfd, path, body):
    status, found = start(patch=with_tokenizer(break_down)).call("POST", path, body)
    assert (status, found["error"]["code"]) == (500, "failed")
    log = capfd.readouterr().err
    assert "Traceback" in log
    assert "TypeError: a bug of ours" in log
