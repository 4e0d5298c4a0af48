"""A tiny random Llama with a tokenizer, made in code, and batches over it."""

import os
import sys
from pathlib import Path

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
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
