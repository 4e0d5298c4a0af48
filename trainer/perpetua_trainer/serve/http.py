"""HTTP/1.1 on a unix socket: bodies of JSON with a stated length, a thread a connection."""

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
from .routes import Service, answer, trouble

# A batch of 1,000 rollouts of 8,000 tokens is about 250 MB.
MOST_BYTES = 2**30


class Server(ThreadingMixIn, UnixStreamServer):
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
        """Counts an answer that is under way, so that the server does not end within it."""
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
        """Seconds until nothing was asked for so long; all of them while an answer is under way."""
        with self.changed:
            return seconds if self.answering else self.answered + seconds - self.clock()

    def wait_until_answered(self, seconds: float) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.answering == 0, seconds)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error of the server's."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def reply(self) -> None:
        with self.server.counted():
            try:
                status, value = 200, answer(self.server.service, self.command, self.path, self.body())
            except Exception as error:
                status, value = trouble(self.path, error)
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
        """The whole body. Raises Problem; the connection then ends, since what follows cannot be told apart."""
        length = self.headers.get("Content-Length", "0" if self.command != "POST" else "")
        if not length.isdecimal():
            self.close_connection = True
            raise Problem(411, "no-length", "expected a Content-Length, got none")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            raise Problem(413, "too-large", f"expected a body of at most {MOST_BYTES} bytes, got {length}")
        return self.rfile.read(int(length))

    def log_message(self, *_: object) -> None:
        """Requests are not logged: a research's prompts are its own."""
