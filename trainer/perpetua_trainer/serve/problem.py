"""The exception for an answer with another status than 200."""


class Problem(Exception):
    """An answer with an error.

    status: status of HTTP. code: a word for programs. message: the expectation, the value that came, and the remedy.
    """

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status = status
        self.code = code
