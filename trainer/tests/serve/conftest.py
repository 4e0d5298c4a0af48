"""A base with a chat template, and servers that end with their test."""

import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tokenizers import Tokenizer, pre_tokenizers

from helpers.serving import Served
from perpetua_trainer.disk.digest import write_manifest

TEMPLATE = "{% for one in messages %}w1 {{ one.content }} {% endfor %}{% if add_generation_prompt %}w3{% endif %}"


@pytest.fixture(scope="session")
def chat_base(base, tmp_path_factory) -> dict:
    """The tiny model whose words are divided by spaces, with a template."""
    folder = tmp_path_factory.mktemp("chat") / "base"
    shutil.copytree(base["path"], folder)
    (folder / "manifest.json").unlink()
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "chat_template.jinja").write_text(TEMPLATE)
    return {"path": str(folder), "sha256": write_manifest(folder)}


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

    def begin(name: str = "run", patch: Callable[[], object] | None = None, base: dict = chat_base) -> Served:
        started.append(Served(Path(tmp_path) / name, base, patch))
        return started[-1]

    yield begin
    for one in started:
        if one.process is not None:
            one.end(signal.SIGKILL)
