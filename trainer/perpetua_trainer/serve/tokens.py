"""Tokenizer and chat template of the base."""

from hashlib import sha256
from itertools import accumulate
from pathlib import Path

from jinja2 import TemplateError
from transformers import AutoTokenizer, GenerationConfig, PretrainedConfig

from ..batch import Folder
from ..disk.digest import read_manifest
from .problem import Problem


class Tokens:
    """Tokenizer of the base.

    ends: tokens that end a completion. longest: limit of prompt and completion in tokens; None without a limit.
    vocabulary: number of tokens. sha256, template: hashes of tokenizer and chat template, which a batch has to state.
    """

    def __init__(self, folder: Folder, config: PretrainedConfig, generation: GenerationConfig | None):
        files, nothing = read_manifest(Path(folder.path)), sha256(b"").hexdigest()
        self.tokenizer = AutoTokenizer.from_pretrained(folder.path, local_files_only=True)
        self.sha256 = files.get("tokenizer.json", nothing)
        self.template = files.get("chat_template.jinja", nothing)
        self.longest: int | None = getattr(config, "max_position_embeddings", None)
        self.vocabulary: int = config.vocab_size
        ends = (config.eos_token_id, getattr(generation, "eos_token_id", None), self.tokenizer.eos_token_id)
        self.ends = frozenset(
            end for ids in ends for end in (ids if isinstance(ids, list) else [ids]) if end is not None
        )

    def of_text(self, text: str) -> list[int]:
        return self.tokenizer.encode(text)

    def of_chat(self, messages: list[dict[str, str]]) -> list[int]:
        """Token ids of messages by the chat template, up to the start of the assistant's answer.

        Raises Problem if the base has no template, or the template refuses the messages.
        """
        if self.tokenizer.chat_template is None:
            raise Problem(
                400, "no-template", "expected a base with a chat template, got one without: use /v1/completions"
            )
        try:
            return self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        except TemplateError as error:
            # Templates can refuse messages, such as two of the same role in a row.
            raise Problem(400, "template", f"expected messages that the chat template takes, got: {error}") from error

    def text(self, ids: list[int]) -> str:
        """Text of token ids, without special tokens."""
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def offsets(self, ids: list[int]) -> list[int]:
        """Positions in the text of ids at which each token begins, in characters."""
        pieces = [self.text([token]) for token in ids]
        if "".join(pieces) == self.text(ids):
            return [0, *accumulate(map(len, pieces))][:-1]
        # Tokens depend on their neighbours: parts of one character, or words that spaces join.
        return [len(self.text(ids[:index])) for index in range(len(ids))]

    def piece(self, token: int) -> str:
        """Text of one token, also of a special one."""
        return self.tokenizer.decode([token])
