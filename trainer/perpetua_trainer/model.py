"""The policy: a base model with the weights that learn, low-rank ones or all, and a value head for PPO."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch import Tensor, nn
from transformers import AutoModelForCausalLM, PreTrainedModel
from transformers.utils.logging import disable_progress_bar

from .batch import Adapter
from .input.refusal import Refusal
from .runtime import Runtime

disable_progress_bar()


class Policy:
    """model: called for logits. weights: the parameters that learn, by the name under which they are saved.

    value_head: from a hidden state [H] to a value [1], in units of reward; None but for PPO. step: updates so far.
    teacher: the weights of an EMA teacher, by the same names; None but for SDPO with one.
    """

    def __init__(self, base: Path, adapter: Adapter, seed: int, runtime: Runtime):
        self.base = base
        self.adapter = adapter
        self.runtime = runtime
        self.step = 0
        self.value_head: nn.Linear | None = None
        self.teacher: dict[str, Tensor] | None = None
        self.peft: PeftModel | None = None
        if adapter.kind == "full" and runtime.dtype == torch.bfloat16:
            raise Refusal("settings", "adapter.kind", "lora: weights that learn need more than bfloat16", "full")
        self.model = load_base(base, runtime)
        if adapter.kind == "lora":
            # Drawn on the CPU, so that a seed means the same on every device.
            torch.manual_seed(seed)
            self.peft = add_adapter(self.model, adapter)
        self.model.to(runtime.device).eval()
        self.weights = trainable(self.peft or self.model)

    def add_value_head(self) -> nn.Linear:
        """A head that says 0 until it has learnt."""
        head = nn.Linear(self.model.config.get_text_config().hidden_size, 1)
        nn.init.zeros_(head.weight)
        nn.init.zeros_(head.bias)
        self.value_head = head.to(self.runtime.device)
        return self.value_head

    @contextmanager
    def as_base(self) -> Iterator[None]:
        """Inside the block the model is the base, without gradient."""
        with torch.no_grad():
            if self.peft is not None:
                with self.peft.disable_adapter():
                    yield
            else:
                with swapped(self.weights, self.base_weights):
                    yield

    @contextmanager
    def as_teacher(self) -> Iterator[None]:
        """Inside the block the model is the EMA teacher, without gradient."""
        with torch.no_grad(), swapped(self.weights, self.teacher):
            yield

    @cached_property
    def base_weights(self) -> dict[str, Tensor]:
        """A second copy of the base, where all of the first one learns."""
        fresh = load_base(self.base, self.runtime).to(self.runtime.device)
        return {name: one.detach() for name, one in fresh.named_parameters()}


def load_base(folder: Path, runtime: Runtime) -> PreTrainedModel:
    return AutoModelForCausalLM.from_pretrained(
        folder, dtype=runtime.dtype, local_files_only=True, attn_implementation="sdpa"
    )


def add_adapter(model: PreTrainedModel, adapter: Adapter) -> PeftModel:
    try:
        return get_peft_model(model, lora_config(adapter))
    except ValueError as error:
        raise Refusal("settings", "adapter.targets", "names of the model's linear layers", str(error)) from error


def lora_config(adapter: Adapter) -> LoraConfig:
    return LoraConfig(
        r=adapter.rank,
        lora_alpha=adapter.alpha,
        target_modules=list(adapter.targets),
        lora_dropout=0.0,
        bias="none",
        task_type="CAUSAL_LM",
    )


def trainable(model: nn.Module) -> dict[str, nn.Parameter]:
    """The parameters that learn, sorted, by PEFT's names on disk (without the adapter's own name)."""
    found = {name.replace(".default", ""): one for name, one in model.named_parameters() if one.requires_grad}
    return dict(sorted(found.items()))


@contextmanager
def swapped(weights: dict[str, nn.Parameter], others: dict[str, Tensor]) -> Iterator[None]:
    """Inside the block the parameters hold the tensors of `others`."""
    kept = {name: one.data for name, one in weights.items()}
    try:
        for name, one in weights.items():
            one.data = others[name]
        yield
    finally:
        for name, one in weights.items():
            one.data = kept[name]


def follow(teacher: dict[str, Tensor], weights: dict[str, nn.Parameter], rate: float) -> None:
    """Moves the EMA teacher: t ← (1 − rate) t + rate · w. Source: SDPO, arXiv:2601.20802, §2.3."""
    with torch.no_grad():
        for name, one in weights.items():
            teacher[name].lerp_(one.detach(), rate)
