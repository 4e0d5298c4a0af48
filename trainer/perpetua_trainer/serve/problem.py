"""An answer other than 200, raised where it is found out."""


class Problem(Exception):
    """status: of HTTP. code: a word for programs. message: what was expected, what came, what to do."""

    def __init__(self, status: int, code: str, message: str):
        super().__init__(message)
        self.status = status
        self.code = code
