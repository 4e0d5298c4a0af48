"""A policy server in a process of its own, and a client of its unix socket."""

import http.client
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helpers.processes import ended, fork
from perpetua_trainer.__main__ import main


class Client:
    """Calls of a server; each has a connection of its own."""

    def __init__(self, folder: Path):
        self.path = folder / "policy.sock"

    def call(self, method: str, path: str, body: object = None) -> tuple[int, dict]:
        """Status and JSON of the answer."""
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
        """The answer's JSON; its status has to be 200."""
        status, found = self.call("POST", path, body)
        assert status == 200, found
        return found

    def together(self, path: str, bodies: list) -> list[tuple[int, dict]]:
        """The answers to requests that are sent at the same time."""
        with ThreadPoolExecutor(len(bodies)) as pool:
            return list(pool.map(lambda body: self.call("POST", path, body), bodies))


class Served(Client):
    """A server that was started, in `folder`, with checkpoints in `out`."""

    def __init__(self, folder: Path, base: dict, patch: Callable[[], object] | None = None, more: tuple[str, ...] = ()):
        super().__init__(folder)
        self.out = folder.parent / f"{folder.name}-out"
        self.said, told = os.pipe()
        words = ["serve", "--folder", str(folder), "--base", base["path"], "--out", str(self.out), *more]
        self.process = fork(lambda: run(told, words, patch))
        os.close(told)
        self.line = read_line(self.said)

    def end(self, number: int = signal.SIGTERM) -> int:
        """How the process ended, after a signal."""
        os.kill(self.process, number)
        return self.wait()

    def wait(self) -> int:
        code, self.process = ended(self.process), None
        os.close(self.said)
        return code


def run(told: int, words: list[str], patch: Callable[[], object] | None) -> None:
    """Runs the command in a forked child, with its standard output to a pipe."""
    sys.stdout = os.fdopen(told, "w")
    if patch is not None:
        patch()
    code = main(words)
    sys.stdout.flush()
    os._exit(code)


def read_line(fd: int) -> str:
    """What comes until a line ends, or until the writer is gone."""
    said = b""
    while not said.endswith(b"\n") and (one := os.read(fd, 1)):
        said += one
    return said.decode()
