"""Fixtures: a tiny random Llama with a tokenizer, and the runtime."""

import os
import sys
from pathlib import Path

# transformers reads this variable when it is imported.
os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import pytest

from helpers.tiny import make_base
from perpetua_trainer.runtime import Runtime


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    prepared = Runtime()
    prepared.set_up()
    return prepared


@pytest.fixture(scope="session")
def base(tmp_path_factory, runtime) -> dict:
    """Folder of the tiny model, as {"path", "sha256"}."""
    return make_base(tmp_path_factory.mktemp("base"))
