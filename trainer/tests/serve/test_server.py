"""Tests of the server's start and end, its folder and its socket."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from helpers.serving import Client
from helpers.steps import FIRST, batch_of
from perpetua_trainer.serve import steps, together
from perpetua_trainer.serve.http import Server

ASK = {"model": "base", "prompt": [5, 6, 7], "max_tokens": 4}


def test_the_command_reports_that_it_is_ready_serves_and_ends_at_a_signal(chat_base, tmp_path):
    argv = ["serve", "--folder", str(tmp_path / "run"), "--base", chat_base["path"], "--out", str(tmp_path / "out")]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "perpetua_trainer", *argv]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == f"ready {tmp_path / 'run' / 'policy.sock'}\n"
        assert Client(tmp_path / "run").post("/v1/completions", ASK)["choices"]
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait() == 0
    assert json.loads(rest) == {"ended": str(tmp_path / "run" / "policy.sock")}
    assert not (tmp_path / "run" / "policy.sock").exists()


def test_only_its_owner_can_enter_the_folder(start, tmp_path):
    start()
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_can_enter_is_refused(start, tmp_path):
    (tmp_path / "run").mkdir(mode=0o755)
    server = start()
    assert "found" in server.line and "with mode 755: chmod 700 it" in server.line
    assert server.wait() == 1


def test_a_folder_with_too_long_a_path_for_a_socket_is_refused(start):
    server = start("long" * 40)
    assert "choose a shorter folder" in server.line
    assert server.wait() == 1


def test_the_folder_of_a_live_server_is_refused_and_the_socket_of_a_dead_one_is_replaced(start):
    first = start()
    second = start()
    assert f"found process {first.process}" in json.loads(second.line)["failed"]["message"]
    assert second.wait() == 1
    assert first.post("/v1/completions", ASK)["choices"]
    assert first.end(signal.SIGKILL) == -9
    assert first.path.exists()
    third = start()
    assert third.line == f"ready {first.path}\n"
    assert third.post("/v1/completions", ASK)["choices"]
    assert third.end() == 0
    assert not first.path.exists()


def test_a_connection_serves_many_requests(server):
    connection = http.client.HTTPConnection("policy")
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.connect(str(server.path))
    opened = connection.sock
    for _ in range(3):
        connection.request("POST", "/v1/completions", json.dumps(ASK))
        assert json.loads(connection.getresponse().read())["choices"]
    assert connection.sock is opened
    connection.close()


def test_a_request_without_a_length_is_refused(server):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.path))
        client.sendall(b"POST /step HTTP/1.1\r\nHost: policy\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        assert client.makefile("rb").read().startswith(b"HTTP/1.1 411 ")


def test_a_running_sample_is_answered_503_when_the_server_ends(start):
    arrivals, arrived = os.pipe()

    def patch() -> None:
        """Makes a sample report its first token, and continue when the server begins to end."""
        finish_of = together.Together.finish_of

        def slow(self, row):
            os.write(arrived, b".")
            with self.engine.changed:
                self.engine.changed.wait_for(lambda: self.engine.stopping)
            return finish_of(self, row)

        together.Together.finish_of = slow

    server = start(patch=patch)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.call, "POST", "/v1/completions", ASK)
        os.read(arrivals, 1)
        assert server.end() == 0
        status, found = answer.result()
    assert (status, found["error"]["code"]) == (503, "ending")


def test_a_running_step_is_finished_and_answered_before_the_server_ends(start, chat_base):
    arrivals, arrived = os.pipe()

    def patch() -> None:
        """Makes a step report its start, and continue when the server begins to end."""
        work = steps.Steps.work

        def slow(self, batch, out):
            os.write(arrived, b".")
            with self.engine.changed:
                self.engine.changed.wait_for(lambda: self.engine.stopping)
            return work(self, batch, out)

        steps.Steps.work = slow

    server = start(patch=patch)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.post, "/step", batch_of(chat_base))
        os.read(arrivals, 1)
        assert server.end() == 0
        assert json.loads((server.out / FIRST / "result.json").read_text()) == answer.result()


def test_a_client_that_goes_away_does_no_harm(server):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(server.path))
        body = json.dumps(ASK | {"n": 16, "max_tokens": 64}).encode()
        client.sendall(
            b"POST /v1/completions HTTP/1.1\r\nHost: policy\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )
    assert server.post("/v1/completions", ASK)["choices"]


def test_a_server_without_requests_ends_by_itself(start):
    server = start(more=("--idle", "0.2"))
    assert server.line == f"ready {server.path}\n"
    assert server.wait() == 0
    assert not server.path.exists()


def test_the_idle_time_starts_with_the_last_answer_and_not_while_a_request_runs(tmp_path):
    now = 100.0
    with Server(tmp_path / "policy.sock", service=None, clock=lambda: now) as server:
        now = 104.0
        assert server.idle_left(10) == 6
        with server.counted():
            now = 200.0
            assert server.idle_left(10) == 10
        assert server.idle_left(10) == 10
        now = 210.0
        assert server.idle_left(10) == 0
