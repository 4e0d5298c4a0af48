"""Tests of the conversion of a GGUF file: once, and with the same weights."""

import hashlib
import os
from pathlib import Path

import pytest
import torch
import transformers
from transformers import AutoTokenizer

from helpers.gguf_file import write_gguf
from helpers.processes import die, exit_code, fork
from helpers.tiny import load_model
from perpetua_trainer import convert as module
from perpetua_trainer.check import verified_hash
from perpetua_trainer.convert import convert
from perpetua_trainer.input.refusal import Refusal


@pytest.fixture(scope="module")
def gguf(base, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    write_gguf(path, load_model(base["path"]))
    return path


def test_the_folder_has_the_weights_and_the_tokenizer_of_the_file(base, gguf, tmp_path):
    made = convert(gguf, tmp_path)
    assert Path(made["path"]).name == hashlib.sha256(gguf.read_bytes()).hexdigest()
    assert verified_hash(Path(made["path"])) == made["sha256"]
    ids = torch.tensor([[3, 14, 15, 9, 2, 6]])
    model, original = load_model(made["path"]), load_model(base["path"])
    with torch.no_grad():
        assert torch.allclose(model(input_ids=ids).logits, original(input_ids=ids).logits, atol=1e-5)
    assert AutoTokenizer.from_pretrained(made["path"]).convert_ids_to_tokens([0, 5]) == ["!", "&"]
    assert (Path(made["path"]) / "chat_template.jinja").exists()


def test_a_file_that_was_converted_is_not_converted_again(gguf, tmp_path, monkeypatch):
    first = convert(gguf, tmp_path)
    monkeypatch.setattr(module, "write", die)
    assert convert(gguf, tmp_path) == first


def test_the_version_of_transformers_is_no_part_of_a_base(gguf, tmp_path):
    folder = Path(convert(gguf, tmp_path)["path"])
    assert all(transformers.__version__.encode() not in path.read_bytes() for path in folder.iterdir())


def test_after_a_kill_before_the_rename_the_next_call_converts_again(gguf, tmp_path):
    def work() -> None:
        os.rename = die
        convert(gguf, tmp_path)

    assert exit_code(fork(work)) == -9
    made = convert(gguf, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [Path(made["path"]).name]


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(Refusal) as caught:
        convert(tmp_path / "none.gguf", tmp_path)
    assert caught.value.code == "wrong-base"
