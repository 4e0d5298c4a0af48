"""A policy server in another process, and a client of its Unix socket."""

import http.client
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helpers.processes import exit_code, fork
from perpetua_trainer.__main__ import main


class Client:
    """A client of a server. Each call has its own connection."""

    def __init__(self, folder: Path):
        self.path = folder / "policy.sock"

    def call(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        """Sends a request; returns status and JSON of the answer."""
        connection = http.client.HTTPConnection("policy")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(120)
        connection.sock.connect(str(self.path))
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, data)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    def post(self, path: str, body: object) -> dict:
        """Sends a request, whose answer must have status 200; returns its JSON."""
        status, found = self.call("POST", path, body)
        assert status == 200, found
        return found

    def together(self, path: str, bodies: list) -> list[tuple[int, dict]]:
        """Sends requests at the same time; returns status and JSON of the answers, in the order of the bodies."""
        with ThreadPoolExecutor(len(bodies)) as pool:
            return list(pool.map(lambda body: self.call("POST", path, body), bodies))


class Served(Client):
    """A started server in `folder`, with checkpoints in `out`. line: first line of its output. more: more options."""

    def __init__(self, folder: Path, base: dict, patch: Callable[[], object] | None = None, more: tuple[str, ...] = ()):
        super().__init__(folder)
        self.out = folder.parent / f"{folder.name}-out"
        self.output, output_end = os.pipe()
        argv = ["serve", "--folder", str(folder), "--base", base["path"], "--out", str(self.out), *more]
        self.process = fork(lambda: run(output_end, argv, patch))
        os.close(output_end)
        self.line = read_line(self.output)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal, and waits for the end; returns the exit code, or minus the signal that killed the process."""
        os.kill(self.process, number)
        return self.wait()

    def wait(self) -> int:
        """Waits for the end of the process; returns the exit code, or minus the signal that killed it."""
        code, self.process = exit_code(self.process), None
        os.close(self.output)
        return code


def run(output_end: int, argv: list[str], patch: Callable[[], object] | None) -> None:
    """Runs the command in a forked child, with its standard output in a pipe."""
    sys.stdout = os.fdopen(output_end, "w")
    if patch is not None:
        patch()
    code = main(argv)
    sys.stdout.flush()
    os._exit(code)


def read_line(fd: int) -> str:
    """Reads until the end of a line or of the writer."""
    text = b""
    while not text.endswith(b"\n") and (byte := os.read(fd, 1)):
        text += byte
    return text.decode()
