"""A tiny random Llama with a tokenizer, made in code, and batches over it."""

import os
import sys
from pathlib import Path

# Before transformers is imported, as the engine itself does.
os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import pytest

from helpers.tiny import make_base
from perpetua_trainer.runtime import Runtime


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    one = Runtime()
    one.set_up()
    return one


@pytest.fixture(scope="session")
def base(tmp_path_factory, runtime) -> dict:
    """{"path", "sha256"} of the tiny model's folder."""
    return make_base(tmp_path_factory.mktemp("base"))
