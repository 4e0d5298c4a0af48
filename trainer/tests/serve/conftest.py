"""Fixtures: a base with a chat template, and servers that end with their tests."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.serving import Served
from helpers.tiny import add_chat


@pytest.fixture(scope="session")
def chat_base(base, tmp_path_factory) -> dict:
    """Folder of the tiny model with a chat template and a tokenizer that splits at spaces, as {"path", "sha256"}."""
    folder = tmp_path_factory.mktemp("chat") / "base"
    shutil.copytree(base["path"], folder)
    return add_chat(folder)


@pytest.fixture(scope="module")
def server(chat_base, tmp_path_factory) -> Iterator[Served]:
    """A server for all tests of a file that do not change it."""
    served = Served(tmp_path_factory.mktemp("server") / "run", chat_base)
    yield served
    assert served.end() == 0


@pytest.fixture
def start(chat_base, tmp_path) -> Iterator[Callable[..., Served]]:
    """A function that starts a server in tmp_path/<name>. After the test, the servers that still run are killed."""
    started: list[Served] = []

    def begin(
        name: str = "run",
        patch: Callable[[], object] | None = None,
        base: dict = chat_base,
        more: tuple[str, ...] = (),
    ) -> Served:
        started.append(Served(Path(tmp_path) / name, base, patch, more))
        return started[-1]

    yield begin
    for served in started:
        if served.process is not None:
            served.end(signal.SIGKILL)
