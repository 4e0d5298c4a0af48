"""HTTP/1.1 on a Unix socket: bodies of JSON with a Content-Length, and one thread for each connection."""

import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from threading import Condition

from ..input.refusal import Refusal
from .problem import Problem
from .routes import Service, answer, error_answer

# A batch of 1,000 rollouts of 8,000 tokens is about 250 MB.
MAX_BODY_BYTES = 2**30


class Server(ThreadingMixIn, UnixStreamServer):
    """Server on a socket. answering: number of running requests. answered: time of the last answer, by the clock."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, path: Path, service: Service, clock: Callable[[], float] = time.monotonic):
        self.service = service
        self.answering = 0
        self.clock = clock
        self.answered = clock()
        self.changed = Condition()
        super().__init__(str(path), Handler)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Counts the block as a running request, so that the server does not end before its answer."""
        with self.changed:
            self.answering += 1
        try:
            yield
        finally:
            with self.changed:
                self.answering -= 1
                self.answered = self.clock()
                self.changed.notify_all()

    def idle_left(self, seconds: float) -> float:
        """Seconds until `seconds` have passed since the last answer; all of them while a request runs."""
        with self.changed:
            return seconds if self.answering else self.answered + seconds - self.clock()

    def wait_until_answered(self, seconds: float) -> None:
        """Waits until no request runs, at most for `seconds`."""
        with self.changed:
            self.changed.wait_for(lambda: self.answering == 0, seconds)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores the lost connection of a client: it is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """Handler of the requests of one connection."""

    protocol_version = "HTTP/1.1"
    server: Server

    def reply(self) -> None:
        with self.server.counted():
            try:
                status, value = 200, answer(self.server.service, self.command, self.path, self.body())
            except Exception as error:
                status, value = error_answer(self.path, error)
                if not isinstance(error, Refusal | Problem):
                    traceback.print_exc()
            data = json.dumps(value, allow_nan=False).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    do_GET = do_POST = do_DELETE = reply

    def body(self) -> bytes:
        """Reads the whole body. Raises Problem if its length is missing or too large.

        The connection then ends: without a length, the body cannot be separated from the next request.
        """
        length = self.headers.get("Content-Length", "0" if self.command != "POST" else "")
        if not length.isdecimal():
            self.close_connection = True
            raise Problem(411, "no-length", "expected a Content-Length, got none")
        if int(length) > MAX_BODY_BYTES:
            self.close_connection = True
            raise Problem(413, "too-large", f"expected a body of at most {MAX_BODY_BYTES} bytes, got {length}")
        return self.rfile.read(int(length))

    def log_message(self, *_: object) -> None:
        """Logs nothing: requests contain prompts of researches."""
