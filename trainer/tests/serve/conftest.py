"""A base with a chat template, and servers that end with their test."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.serving import Served
from helpers.tiny import add_chat


@pytest.fixture(scope="session")
def chat_base(base, tmp_path_factory) -> dict:
    """The tiny model whose words are divided by spaces, with a template."""
    folder = tmp_path_factory.mktemp("chat") / "base"
    shutil.copytree(base["path"], folder)
    return add_chat(folder)


@pytest.fixture(scope="module")
def server(chat_base, tmp_path_factory) -> Iterator[Served]:
    """One for the tests of a file that leave it as it was."""
    one = Served(tmp_path_factory.mktemp("server") / "run", chat_base)
    yield one
    assert one.end() == 0


@pytest.fixture
def start(chat_base, tmp_path) -> Iterator[Callable[..., Served]]:
    """Starts a server in tmp_path/<name>; those that are left are killed."""
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
    for one in started:
        if one.process is not None:
            one.end(signal.SIGKILL)
