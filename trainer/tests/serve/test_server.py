"""The server's start and end, its folder and its socket."""

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


def test_the_command_serves_says_so_and_ends_at_a_signal(chat_base, tmp_path):
    words = ["serve", "--folder", str(tmp_path / "run"), "--base", chat_base["path"], "--out", str(tmp_path / "out")]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "perpetua_trainer", *words]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == f"ready {tmp_path / 'run' / 'policy.sock'}\n"
        assert Client(tmp_path / "run").post("/v1/completions", ASK)["choices"]
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        assert process.wait() == 0
    assert json.loads(rest) == {"ended": str(tmp_path / "run" / "policy.sock")}
    assert not (tmp_path / "run" / "policy.sock").exists()


def test_only_its_owner_enters_the_folder(start, tmp_path):
    start()
    assert (tmp_path / "run").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_others_enter_is_refused(start, tmp_path):
    (tmp_path / "run").mkdir(mode=0o755)
    one = start()
    assert "found" in one.line and "with mode 755: chmod 700 it" in one.line
    assert one.wait() == 1


def test_a_folder_whose_socket_would_have_too_long_a_path_is_refused(start):
    one = start("long" * 40)
    assert "choose a shorter folder" in one.line
    assert one.wait() == 1


def test_a_living_server_is_refused_and_a_dead_ones_socket_taken_over(start):
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
    own = connection.sock
    for _ in range(3):
        connection.request("POST", "/v1/completions", json.dumps(ASK))
        assert json.loads(connection.getresponse().read())["choices"]
    assert connection.sock is own
    connection.close()


def test_a_request_without_a_length_is_refused(server):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(str(server.path))
        one.sendall(b"POST /step HTTP/1.1\r\nHost: policy\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
        assert one.makefile("rb").read().startswith(b"HTTP/1.1 411 ")


def test_a_sample_under_way_is_answered_503_when_the_server_ends(start):
    came, come = os.pipe()

    def patch() -> None:
        """Says that the first token was drawn, and goes on when the end has begun."""
        finish_of = together.Together.finish_of

        def slow(self, row):
            os.write(come, b".")
            with self.engine.changed:
                self.engine.changed.wait_for(lambda: self.engine.stopping)
            return finish_of(self, row)

        together.Together.finish_of = slow

    server = start(patch=patch)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.call, "POST", "/v1/completions", ASK)
        os.read(came, 1)
        assert server.end() == 0
        status, found = answer.result()
    assert (status, found["error"]["code"]) == (503, "ending")


def test_a_step_at_work_is_ended_and_answered_before_the_server_ends(start, chat_base):
    came, come = os.pipe()

    def patch() -> None:
        """Says that a step has begun, and goes on when the end has begun too."""
        work = steps.Steps.work

        def slow(self, batch, out):
            os.write(come, b".")
            with self.engine.changed:
                self.engine.changed.wait_for(lambda: self.engine.stopping)
            return work(self, batch, out)

        steps.Steps.work = slow

    server = start(patch=patch)
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(server.post, "/step", batch_of(chat_base))
        os.read(came, 1)
        assert server.end() == 0
        assert json.loads((server.out / FIRST / "result.json").read_text()) == answer.result()


def test_a_client_that_goes_away_does_no_harm(server):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(str(server.path))
        body = json.dumps(ASK | {"n": 16, "max_tokens": 64}).encode()
        one.sendall(
            b"POST /v1/completions HTTP/1.1\r\nHost: policy\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
        )
    assert server.post("/v1/completions", ASK)["choices"]


def test_a_server_of_which_nothing_is_asked_ends_by_itself(start):
    one = start(more=("--idle", "0.2"))
    assert one.line == f"ready {one.path}\n"
    assert one.wait() == 0
    assert not one.path.exists()


def test_the_idle_time_runs_from_the_last_answer_and_not_while_one_is_under_way(tmp_path):
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
