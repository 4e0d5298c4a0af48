"""The exception for invalid input: the same input would be refused again."""


class Refusal(Exception):
    """Invalid input.

    code: a word of the contract, such as "nan". path: location in the input, such as "rollouts[3].logprobs[0]".
    expected, got: short sentences for people.
    """

    def __init__(self, code: str, path: str, expected: str, got: object):
        super().__init__(f"{path}: expected {expected}, got {got}")
        self.code = code
        self.path = path
        self.expected = expected
        self.got = shorten(got)

    def as_dict(self) -> dict:
        return {"code": self.code, "path": self.path, "expected": self.expected, "got": self.got}


def shorten(value: object, limit: int = 120) -> str:
    """A value as text of at most `limit` characters: an invalid batch must not fill a log."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"
