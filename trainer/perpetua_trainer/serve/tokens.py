"""The base's tokenizer and its chat template."""

from hashlib import sha256
from pathlib import Path

from jinja2 import TemplateError
from transformers import AutoTokenizer, GenerationConfig, PretrainedConfig

from ..batch import Folder
from ..disk.digest import read_manifest
from .problem import Problem


class Tokens:
    """ends: tokens after which a completion is over. longest: tokens of prompt and completion, None without a bound.

    sha256, template: the hashes that a batch has to state.
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
            end for one in ends for end in (one if isinstance(one, list) else [one]) if end is not None
        )

    def of_text(self, text: str) -> list[int]:
        return self.tokenizer.encode(text)

    def of_chat(self, messages: list[dict[str, str]]) -> list[int]:
        """The messages by the template, up to where the assistant begins. Raises Problem."""
        if self.tokenizer.chat_template is None:
            raise Problem(
                400, "no-template", "expected a base with a chat template, got one without: use /v1/completions"
            )
        try:
            return self.tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
        except TemplateError as error:
            # Templates raise errors of their own, e.g. for roles that do not take turns.
            raise Problem(400, "template", f"expected messages that the chat template takes, got: {error}") from error

    def text(self, ids: list[int]) -> str:
        return self.tokenizer.decode(ids, skip_special_tokens=True)

    def piece(self, token: int) -> str:
        return self.tokenizer.decode([token])
